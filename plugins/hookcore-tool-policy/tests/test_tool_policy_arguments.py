from __future__ import annotations

import json
from datetime import date
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore_tool_policy import ToolPolicy, ToolPolicySettings, ToolRule
from hookcore_tool_policy._values import NotJsonError, canonical_json


def denied_by_deny(path: str, expression: str, arguments: object) -> bool:
    rule = {"effect": "deny", "tools": ["t"], "arguments": {path: expression}}
    policy = ToolPolicy(ToolPolicySettings.model_validate({"default": "allow", "rules": [rule]}))
    return policy.judge("t", arguments) is not None


def let_through_by_allow(path: str, expression: str, arguments: object) -> bool:
    rule = {"effect": "allow", "tools": ["t"], "arguments": {path: expression}}
    policy = ToolPolicy(ToolPolicySettings.model_validate({"default": "deny", "rules": [rule]}))
    return policy.judge("t", arguments) is None


PRICES = {"items": [{"price": 5}, {"price": 700}]}

REACHED: list[tuple[str, str, Any]] = [
    ("a", "^x$", {"a": "x"}),
    ("a.b.c", "^x$", {"a": {"b": {"c": "x"}}}),
    ("items.1.price", "^700$", PRICES),
    ("items.0", "^x$", {"items": {"0": "x"}}),
    ("007", "^x$", {"007": "x"}),
    ('"a.b"', "^x$", {"a.b": "x"}),
    ("'a.b'.c", "^x$", {"a.b": {"c": "x"}}),
    (r'"a\"b\\"', "^x$", {'a"b\\': "x"}),
    ("'*'", "^x$", {"*": "x", "y": "z"}),
    ('""', "^x$", {"": "x"}),
    ("a.*", "^x$", {"a": {"b": "x", "c": "x"}}),
    ("a.*.*", "^x$", {"a": [["x"], ["x", "x"]]}),
    ("a", "^true$", {"a": True}),
    ("a", "^null$", {"a": None}),
    ("a", "^100$", {"a": 100}),
    ("a", "^100$", {"a": 100.0}),
    ("a", "^100$", {"a": 1e2}),
    ("a", "^0$", {"a": -0.0}),
    ("a", r"^0\.5$", {"a": 0.5}),
    ("a", r'^\["x",\{"b":1,"c":2\}\]$', {"a": ["x", {"c": 2.0, "b": 1}]}),
    ("a", r'^\["x"\]$', {"a": ("x",)}),
    ("a", "^é$", {"a": "é"}),
]

MISSED: list[tuple[str, str, Any]] = [
    ("a", "x", {}),
    ("a.b", "x", {"a": "x"}),
    ("a.b", "x", {"a": None}),
    ("a.b", "x", {"a": 7}),
    ("a.0", "x", {"a": []}),
    ("a.1", "x", {"a": ["x"]}),
    ("a.00", "x", {"a": ["x"]}),
    ("a.-1", "x", {"a": ["x"]}),
    ("a.x", "x", {"a": ["x"]}),
    ('a."0"', "x", {"a": ["x"]}),
    ("a.*", "x", {"a": []}),
    ("a.*", "x", {"a": {}}),
    ("a.*", "x", {"a": "x"}),
    ("a." + "9" * 5000, "x", {"a": ["x"]}),
]


@pytest.mark.parametrize(("path", "expression", "arguments"), REACHED)
def test_a_deny_rule_sees_the_value_at_its_path(path: str, expression: str, arguments: Any) -> None:
    assert denied_by_deny(path, expression, arguments)


@pytest.mark.parametrize(("path", "expression", "arguments"), REACHED)
def test_an_allow_rule_sees_the_value_at_its_path(
    path: str, expression: str, arguments: Any
) -> None:
    assert let_through_by_allow(path, expression, arguments)


@pytest.mark.parametrize(("path", "expression", "arguments"), MISSED)
def test_a_missing_path_triggers_no_deny(path: str, expression: str, arguments: Any) -> None:
    assert not denied_by_deny(path, expression, arguments)


@pytest.mark.parametrize(("path", "expression", "arguments"), MISSED)
def test_a_missing_path_satisfies_no_allow(path: str, expression: str, arguments: Any) -> None:
    assert not let_through_by_allow(path, expression, arguments)


def test_one_matching_element_is_enough_for_a_deny() -> None:
    assert denied_by_deny("items.*.price", "^[0-9]{3,}$", PRICES)


def test_one_stray_element_is_enough_to_fail_an_allow() -> None:
    assert not let_through_by_allow("items.*.price", "^[0-9]{1,2}$", PRICES)


def test_one_element_without_the_key_is_enough_to_fail_an_allow() -> None:
    arguments = {"items": [{"price": 5}, {"sku": "x"}]}
    assert not let_through_by_allow("items.*.price", "^5$", arguments)


def test_one_element_without_the_key_does_not_hide_the_others_from_a_deny() -> None:
    arguments = {"items": [{"sku": "x"}, "y", {"price": 5}]}
    assert denied_by_deny("items.*.price", "^5$", arguments)


def test_expressions_are_searched_not_matched() -> None:
    assert denied_by_deny("cmd", "rm", {"cmd": "sudo rm -rf /"})


def test_case_counts_unless_the_expression_says_otherwise() -> None:
    assert not denied_by_deny("sql", "drop table", {"sql": "DROP TABLE x"})
    assert denied_by_deny("sql", "(?i)drop table", {"sql": "DROP TABLE x"})


def test_a_line_break_carries_nothing_past_a_deny() -> None:
    assert denied_by_deny("sql", "drop.*table", {"sql": "drop\ntable x"})


def test_a_line_break_carries_nothing_into_an_allow() -> None:
    assert not let_through_by_allow("path", "^/srv/.*$", {"path": "/srv/x\n/etc"})
    assert not let_through_by_allow("path", "^/srv/x$", {"path": "/srv/x\n"})


def test_wrapping_a_value_in_a_list_hides_nothing_from_a_deny() -> None:
    assert denied_by_deny("cmd", "^rm ", {"cmd": ["rm -rf /"]})
    assert denied_by_deny("amount", "^[0-9]{4}$", {"amount": [[5000]]})
    assert denied_by_deny("force", "^true$", {"force": {"value": True}})
    assert denied_by_deny("cmd", '^say "hi"$', {"cmd": {"argv": ["x", 'say "hi"']}})


def test_an_allow_does_not_look_into_a_list_for_its_string() -> None:
    assert not let_through_by_allow("cmd", "^ls$", {"cmd": ["ls", "rm"]})


def deep(levels: int) -> object:
    value: object = "x"
    for _ in range(levels):
        value = [value]
    return value


UNREADABLE: list[object] = [
    float("nan"),
    float("inf"),
    "\ud800",
    ["\ud800"],
    {"k": {1: "a key that is no string"}},
    b"bytes",
    [date(2026, 1, 1)],
    10**5000,
    deep(65),
    deep(100_000),
    [0] * 100_001,
]


@pytest.mark.parametrize("value", UNREADABLE, ids=lambda value: str(type(value).__name__))
def test_a_value_that_cannot_be_read_satisfies_every_deny(value: object) -> None:
    assert denied_by_deny("a", "never there", {"a": value})


@pytest.mark.parametrize("value", UNREADABLE, ids=lambda value: str(type(value).__name__))
def test_a_value_that_cannot_be_read_satisfies_no_allow(value: object) -> None:
    assert not let_through_by_allow("a", "(?s).*", {"a": value})


def test_a_path_into_a_foreign_object_is_unreadable_not_missing() -> None:
    assert denied_by_deny("a.b", "never there", {"a": object()})
    assert not let_through_by_allow("a.b", "^", {"a": object()})


@pytest.mark.parametrize("arguments", [None, "{}", [], 7])
def test_arguments_that_are_no_table_are_unreadable(arguments: object) -> None:
    assert denied_by_deny("a", "x", arguments)
    assert not let_through_by_allow("a", "^", arguments)


@pytest.mark.timeout(20)
def test_no_input_makes_an_expression_slow() -> None:
    assert not denied_by_deny("a", "(a+)+(b|c)+$", {"a": "a" * 500_000 + "!"})


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=12,
    )
)
def test_canonical_json_reads_back_as_the_value(value: object) -> None:
    text = canonical_json([value])
    assert json.loads(text) == [value]
    assert text == json.dumps([value], sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_canonical_floats_read_back_as_the_same_number(value: float) -> None:
    assert float(canonical_json(value)) == value


def test_shared_structure_cannot_blow_up_the_canonical_json() -> None:
    value: list[object] = ["x"]
    for _ in range(40):
        value = [value, value]
    with pytest.raises(NotJsonError):
        canonical_json(value)


class LyingDict(dict[str, Any]):
    """Says one thing when it is asked, and gives the tool another."""

    def get(self, key: Any, default: Any = None) -> Any:
        return "harmless"

    def __getitem__(self, key: str) -> Any:
        return "harmless"

    def values(self) -> Any:
        return ["harmless"]

    def items(self) -> Any:
        return [("k", "harmless")]

    def __iter__(self) -> Any:
        return iter(["k"])


class LyingList(list[Any]):
    def __iter__(self) -> Any:
        return iter(["harmless"])

    def __getitem__(self, index: Any) -> Any:
        return "harmless"


class LyingStr(str):
    __slots__ = ()

    def encode(self, *args: Any, **kwargs: Any) -> bytes:
        return b"harmless"

    def __str__(self) -> str:
        return "harmless"


class LyingFloat(float):
    def __int__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "0"

    def is_integer(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("path", "arguments"),
    [
        ("k", LyingDict(k="rm -rf")),
        ("*", LyingDict(k="rm -rf")),
        ("k.m", {"k": LyingDict(m="rm -rf")}),
        ("k", {"k": LyingDict(m="rm -rf")}),
        ("k.0", {"k": LyingList(["rm -rf"])}),
        ("k.*", {"k": LyingList(["rm -rf"])}),
        ("k", {"k": LyingList(["rm -rf"])}),
        ("k", {"k": LyingStr("rm -rf")}),
        ("k", {"k": [LyingStr("rm -rf")]}),
    ],
)
def test_what_is_there_is_read_and_not_what_it_says_of_itself(path: str, arguments: Any) -> None:
    rules = [ToolRule(effect="deny", tools=["*"], arguments={path: "rm"})]
    assert ToolPolicy(ToolPolicySettings(rules=rules)).judge("shell", arguments) is not None


def test_a_number_is_read_as_what_it_is() -> None:
    rules = [ToolRule(effect="deny", tools=["*"], arguments={"k": r"^5\.5$"})]
    policy = ToolPolicy(ToolPolicySettings(rules=rules))
    assert policy.judge("pay", {"k": LyingFloat(5.5)}) is not None


@pytest.mark.parametrize("effect", ["allow", "deny"])
def test_a_table_that_is_no_dict_cannot_be_read(effect: Any) -> None:
    rules = [ToolRule(effect=effect, tools=["*"], arguments={"k": "harmless"})]
    policy = ToolPolicy(ToolPolicySettings(rules=rules))
    assert policy.judge("shell", MappingProxyType({"k": "harmless"})) is not None
    assert policy.judge("shell", {"k": MappingProxyType({})}) is not None
