from __future__ import annotations

from typing import Any

import pytest

from hookcore.hosting import with_defaults

SCHEMA = {
    "properties": {
        "to": {"type": "string", "default": "everybody"},
        "times": {"type": "integer", "default": 3},
        "when": {"type": "string", "format": "date-time", "default": "2026-01-01T00:00:00Z"},
        "how": {"type": "string", "enum": ["a", "b"], "default": "a"},
        "who": {"$ref": "#/$defs/Who", "default": {}},
        "text": {"type": "string"},
    }
}


def test_plain_defaults_are_filled_in_and_others_left_to_the_tool() -> None:
    given = {"text": "hi"}
    assert with_defaults(given, SCHEMA) == {"text": "hi", "to": "everybody", "times": 3}
    assert given == {"text": "hi"}


def test_what_is_given_stays() -> None:
    given = {"to": "ana", "times": 1}
    assert with_defaults(given, SCHEMA) is given


@pytest.mark.parametrize("schema", [None, {}, [], {"properties": None}, {"properties": {"a": 1}}])
def test_what_is_no_schema_has_no_defaults(schema: Any) -> None:
    assert with_defaults({"text": "hi"}, schema) == {"text": "hi"}
