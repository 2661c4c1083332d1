"""JSON that is read strictly, so that nobody can read it in another way than we did."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["UnreadableError", "guessed", "read", "same", "write"]


class UnreadableError(ValueError):
    """A text is no JSON, or JSON that two programs may read in two ways."""


def read(data: bytes) -> Any:
    """Return the value of a JSON text.

    Args:
        data: the text, in UTF-8.

    Raises:
        UnreadableError: it is no JSON, says a key twice, or is nested too deeply.
    """
    try:
        return _DECODER.decode(data.decode("utf-8"))
    except RecursionError:
        raise UnreadableError("it is nested too deeply") from None
    except UnreadableError:
        raise
    except ValueError as problem:
        # The exception holds the text, which is nobody's business.
        raise UnreadableError(f"it is no JSON ({type(problem).__name__})") from None


def guessed(data: bytes) -> Any:
    """Return what a text seems to say that could not be read strictly; None when that fails."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise UnreadableError("it has a key twice")
    return made


def _refused(name: str) -> Any:
    raise UnreadableError(f"{name} is no JSON")


def write(value: Any) -> bytes:
    """Return JSON in one line without its end; ASCII, since a text may be half a surrogate."""
    return _ENCODER.encode(value).encode("ascii")


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are written alike: 1, 1.0 and true are three."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


# Made once: to make them costs more than to read a short message.
_DECODER = json.JSONDecoder(object_pairs_hook=_without_twins, parse_constant=_refused)
_ENCODER = json.JSONEncoder(separators=(",", ":"))
