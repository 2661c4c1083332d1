"""The checks of settings against a shipped schema, held against pydantic's own."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from hookctl.settings.checking import problems
from hookctl.settings.described import settings_of


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    effect: Literal["allow", "deny"]
    tools: list[str] = Field(default=[], min_length=1, max_length=3)


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid")

    count: int = Field(default=1, ge=0, lt=10)
    share: float | None = Field(default=None, gt=0, le=1)
    on: bool = False
    name: Annotated[str, Field(min_length=1, max_length=5, pattern="^[a-z]+$")] = "x"
    either: int | Literal["all"] | list[str] = "all"
    inner: Inner | None = None
    inners: list[Inner] = []
    table: dict[str, int] = {}
    secret: SecretStr = SecretStr("")


SCHEMA = Model.model_json_schema()
SCALARS = st.one_of(
    st.integers(-2, 12),
    st.floats(-1, 2),
    st.booleans(),
    st.sampled_from(["", "x", "all", "deny", "lengthy", "X"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["effect", "tools", "other"]), inner, max_size=3),
    ),
    max_leaves=6,
)
NAMES = st.sampled_from([*Model.model_fields, "unknown"])


def whole(value: Any) -> Any:
    """See as JSON Schema and pydantic's usual mode do: 1.0 is a whole number."""
    if isinstance(value, dict):
        return {key: whole(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def is_right(settings: dict[str, Any]) -> bool:
    """Ask pydantic when it turns no text into a number and no number into a switch."""
    try:
        Model.model_validate(whole(settings), strict=True)
    except ValidationError:
        return False
    return True


@given(st.dictionaries(NAMES, VALUES, max_size=3))
def test_what_pydantic_takes_is_never_refused_and_what_it_refuses_is(
    settings: dict[str, Any],
) -> None:
    found = problems(settings, SCHEMA, SCHEMA)
    assert (not found) == is_right(settings), [str(problem) for problem in found]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"cont": 1}, 'cont is no setting that the plugin knows; did you mean "count"?'),
        ({"count": "1"}, 'count must be a whole number, not "1"'),
        ({"count": 10}, "count must be less than 10, not 10"),
        ({"either": 1.5}, "either must be a whole number or text or list of text, not 1.5"),
        ({"either": ["a", 1]}, "either[1] must be text, not 1"),
        ({"inner": {"tools": ["a"]}}, "inner.effect is missing"),
        ({"inners": [{"effect": "x"}]}, 'inners[0].effect must be one of "allow", "deny", not "x"'),
        ({"table": {"a b": "x"}}, 'table."a b" must be a whole number, not "x"'),
        ({"name": "X"}, "name must match ^[a-z]+$"),
        ({"name": ""}, "name must not be empty; name must match ^[a-z]+$"),
        ({"secret": 5}, "secret must be text"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(settings: dict[str, Any], words: str) -> None:
    assert "; ".join(map(str, problems(settings, SCHEMA, SCHEMA))) == words


@pytest.mark.parametrize("reference", ["env:COUNT", "file:secrets/name"])
def test_a_reference_is_looked_at_where_the_plugin_is_loaded(reference: str) -> None:
    assert problems({"name": reference, "count": reference}, SCHEMA, SCHEMA) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["x", 3]},
        {"anyOf": 3},
        {"$ref": "#/$defs/none"},
        {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}},
        {"type": "object", "properties": 3, "additionalProperties": 3, "required": 3},
        {"type": "string", "pattern": "("},
        {"enum": 5},
        {"allOf": [{"type": "integer"}, {"minimum": 3}]},
        [],
    ],
)
def test_a_schema_that_nobody_understands_refuses_nothing(schema: Any) -> None:
    value = "x" if schema and schema.get("type") == "string" else {}
    assert problems(value, schema, schema) == []


SELF = {"anyOf": [{"$ref": "#/$defs/A"}] * 9 + [{"type": "null"}] * 9}
ENDLESS = [
    {"properties": {"x": SELF}, "$defs": {"A": SELF}},
    {
        "properties": {"x": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"type": "array", "items": {"$ref": "#/$defs/A"}}},
    },
    {
        "properties": {f"p{number}": {"$ref": "#/$defs/A"} for number in range(40)},
        "$defs": {
            "A": {
                "type": "object",
                "properties": {f"q{number}": {"$ref": "#/$defs/A"} for number in range(40)},
            }
        },
    },
    {
        "properties": {"x": {"type": "array", "items": SELF}},
        "$defs": {"A": {"type": "array", "items": SELF}},
    },
    {"properties": {"x": {"type": "string", "minLength": "y", "maxLength": []}}},
    {
        "properties": {
            "x": {"type": "integer", "minimum": "y", "description": 3, "examples": 3, "default": {}}
        }
    },
]


@pytest.mark.parametrize("schema", ENDLESS)
def test_a_schema_that_never_ends_or_means_nothing_is_read_all_the_same(
    schema: dict[str, Any],
) -> None:
    assert 0 < len(settings_of(schema)) <= 1000
    for value in ("text", 3, [[["a"]]], {"q1": {"q2": 3}}):
        problems({"x": value, "p1": value}, schema, schema)


@pytest.mark.parametrize("value", [1e300, float("inf"), -(2**80)])
def test_a_number_of_any_size_is_compared(value: float) -> None:
    bounds = {"type": "number", "exclusiveMinimum": -1e301}
    assert problems(value, {"type": "number"}, {}) == []
    assert problems(value, bounds, bounds) == []


def test_a_value_under_a_telling_name_is_never_quoted() -> None:
    schema = {"properties": {"api_key": {"type": "integer"}, "password": {"enum": ["a", "b"]}}}
    given = {"api_key": "hunter2", "password": "hunter2"}
    assert [str(problem) for problem in problems(given, schema, schema)] == [
        "api_key must be a whole number",
        'password must be one of "a", "b"',
    ]
