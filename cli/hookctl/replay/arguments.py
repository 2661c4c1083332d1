"""The recorded arguments of a tool call, as the object that a tool would get."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .jsontext import JSONTextError, describe, parse_json

if TYPE_CHECKING:
    from .model import RecordedCall


class ArgumentsError(ValueError):
    """The arguments are no object; the message never quotes them."""


def parse_arguments(call: RecordedCall) -> dict[str, object]:
    """Read a call's arguments.

    Args:
        call: the call; its arguments are an object or the JSON text of one.

    Returns:
        The arguments. The text of a free-text tool is under the key `input`.

    Raises:
        ArgumentsError: they are anything else, or the call names no tool.
    """
    if not call.name:
        raise ArgumentsError("the tool call has no tool name")
    if call.free_text and isinstance(call.arguments, str):
        return {"input": call.arguments}
    arguments = _parsed(call.arguments)
    if not isinstance(arguments, dict):
        raise ArgumentsError(f"the arguments are {describe(arguments)} instead of an object")
    return arguments


def _parsed(arguments: object) -> object:
    if not isinstance(arguments, str):
        return arguments
    try:
        return parse_json(arguments)
    except JSONTextError as error:
        raise ArgumentsError(f"the arguments are {error}") from None
