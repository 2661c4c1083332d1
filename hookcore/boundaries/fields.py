"""Mistakes in what a boundary is called with, told in its own words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hookcore_specs import HookContext

from ..naming.suggest import did_you_mean

__all__ = ["explained", "refuse_text"]

_OWN = {
    "call_tool": ("on_denied", "resolve"),
    "call_model": ("on_denied",),
    "stream_model": ("codec",),
    "run": ("message",),
    "receive_message": ("on_denied",),
    "send_message": ("on_denied",),
}
"""The keywords of boundaries that are no fields of a context."""
_PLACES = {"payload", "messages", "tool_name", "tool_input"}
"""Fields that boundaries take in their first places."""
_INNER = {"call_input", "call_result"}


def explained(
    error: TypeError, boundary: str, kind: type[HookContext], fields: Mapping[str, Any]
) -> TypeError:
    """Return the error of a context that could not be made, in words about the boundary.

    Args:
        error: what the context's class raised.
        boundary: the method that the host has called, such as ``call_tool``.
        kind: the class of the context.
        fields: the keywords that the method was called with.

    Returns:
        An error that names the wrong keyword and the nearest right one; the same error where no
        keyword is wrong.
    """
    known = [*_fields_of(kind), *_OWN.get(boundary.removeprefix("a"), ())]
    wrong = next((name for name in fields if name not in known), None)
    if wrong is None:
        return error
    if wrong in _PLACES:
        return TypeError(f"{boundary}() takes {wrong} before the keywords, or in a context")
    near = did_you_mean(wrong, known)
    return TypeError(
        f"{boundary}() got an unexpected keyword argument {wrong!r}"
        + (near or f"; it takes {', '.join(sorted(known))}, and all else in attributes={{...}}")
    )


def _fields_of(kind: type[HookContext]) -> Iterable[str]:
    """Return the fields that a boundary takes as keywords."""
    import inspect  # only a mistake needs it

    names: dict[str, None] = {}
    for each in kind.__mro__:
        if "__init__" in each.__dict__ and issubclass(each, HookContext):
            parameters = inspect.signature(each.__dict__["__init__"]).parameters.values()
            names |= {p.name: None for p in parameters if p.kind is p.KEYWORD_ONLY}
    return [name for name in names if name not in _PLACES | _INNER]


def refuse_text(messages: object, boundary: str) -> None:
    """Refuse what is no list of messages: a text, bytes, or one message alone.

    Args:
        messages: what the boundary was given.
        boundary: its name.

    Raises:
        TypeError: it is one.
    """
    if isinstance(messages, str | bytes | dict):
        what = {str: "a text", bytes: "bytes"}.get(type(messages), "one message")
        raise TypeError(
            f"{boundary}() takes the list of messages, not {what}: write "
            '[{"role": "user", "content": text}]'
        )
