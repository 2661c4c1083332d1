"""JSON text to values, with every way to fail turned into one short reason."""

from __future__ import annotations

import json

MAX_DEPTH = 100
"""Levels of nesting that are read; policies and copies recurse, so the depth has a bound."""


class JSONTextError(ValueError):
    """The text is not JSON that can be replayed; the message never quotes the text."""


def parse_json(text: str | bytes) -> object:
    """Parse one JSON value.

    Args:
        text: the JSON text; bytes are read as UTF-8.

    Returns:
        The value.

    Raises:
        JSONTextError: the text is not UTF-8, not JSON, or nested too deeply.
    """
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        value = json.loads(decoded)
    except UnicodeDecodeError as error:
        raise JSONTextError(f"not UTF-8 text (byte {error.start})") from None
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}"
        raise JSONTextError(f"not JSON: {error.msg} ({place})") from None
    except RecursionError:
        raise JSONTextError(_TOO_DEEP) from None
    except ValueError:
        raise JSONTextError("not JSON that can be read: a number has too many digits") from None
    if decoded.count("[") + decoded.count("{") > MAX_DEPTH and _deeper_than(value, MAX_DEPTH):
        raise JSONTextError(_TOO_DEEP)
    return value


def describe(value: object) -> str:
    """Say what kind of JSON value something is, without quoting its values.

    Args:
        value: a value as `parse_json` gives it.

    Returns:
        For example `an object with the keys id, text`.
    """
    if isinstance(value, dict):
        keys = [str(key)[:40] for key in list(value)[:6]]
        more = ", ..." if len(value) > len(keys) else ""
        return f"an object with the keys {', '.join(keys)}{more}" if keys else "an empty object"
    if isinstance(value, list):
        return f"a list whose first item is {describe(value[0])}" if value else "an empty list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return "a string" if isinstance(value, str) else "a number"


def _deeper_than(value: object, levels: int) -> bool:
    layer = [value] if isinstance(value, (dict, list)) else []
    for _ in range(levels):
        layer = [
            child
            for item in layer
            for child in (item.values() if type(item) is dict else item)
            if type(child) is dict or type(child) is list
        ]
        if not layer:
            return False
    return True


_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"
