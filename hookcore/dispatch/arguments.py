"""The arguments of a tool call, as a plain dict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from hookcore_specs import HookAborted

from ..later import json
from .plain import plain

__all__ = ["parse_arguments"]


def parse_arguments(name: str, arguments: Any) -> dict[str, Any]:
    """Return a call's arguments as a plain dict; text is parsed as JSON.

    Args:
        name: the tool's name, for the message.
        arguments: a JSON text, or a mapping; of values of subclasses, what they hold is taken.

    Raises:
        HookAborted: they are no JSON object; they never become ``{}``.
    """
    if isinstance(arguments, (str, bytes, bytearray)):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            raise _unparsable(name, "do not parse as JSON") from None
        if type(arguments) is dict:
            return arguments
    if not isinstance(arguments, dict) and isinstance(arguments, Mapping):
        arguments = dict(arguments)
    if isinstance(arguments, dict):
        try:
            return cast("dict[str, Any]", plain(arguments))
        except RecursionError:
            raise _unparsable(name, "are nested too deeply") from None
    raise _unparsable(name, f"are {type(arguments).__name__}, not an object")


def _unparsable(name: str, what: str) -> HookAborted:
    return HookAborted(
        f"the arguments of {name} {what}",
        source="hookcore",
        message="The arguments are not a valid JSON object.",
    )
