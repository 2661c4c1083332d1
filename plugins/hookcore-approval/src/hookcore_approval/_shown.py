"""The arguments of a call as people may see them."""

from __future__ import annotations

import json
from typing import Any, Final, Literal

from hookcore import Told, told_by

__all__ = ["one_line", "shown_arguments"]

Show = Literal["names", "redacted", "full"]
_MASK: Final = "********"


def shown_arguments(arguments: dict[str, Any], show: Show) -> str:
    """Return arguments as JSON, as much of them as the settings let be stored.

    Args:
        arguments: the arguments, of JSON's types.
        show: what may be stored.
    """
    if show == "names":
        shown: Any = {name: _kind(value) for name, value in arguments.items()}
    else:
        shown = arguments if show == "full" else _redacted(arguments, Told.NOTHING)
    return json.dumps(shown)


def _kind(value: Any) -> str:
    return f"({type(value).__name__})"


def _redacted(value: Any, told: Told) -> Any:
    if isinstance(value, dict):
        return {
            key: _redacted(inner, _stronger(told, told_by(key))) for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_redacted(inner, told) for inner in value]
    hidden = told is Told.ALL or (told is Told.TEXT and isinstance(value, str))
    return _MASK if hidden and value is not None else value


def _stronger(outer: Told, inner: Told) -> Told:
    order = (Told.NOTHING, Told.TEXT, Told.ALL)
    return max(outer, inner, key=order.index)


def one_line(text: object) -> str:
    """Make text safe for a terminal: nothing in it moves the cursor, or passes for a line of ours.

    Args:
        text: anything; names and arguments come from a model.
    """
    return "".join(
        char
        if char.isprintable()
        else char.encode("unicode_escape", "surrogatepass").decode("ascii")
        for char in str(text)
    )
