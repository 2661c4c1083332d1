from __future__ import annotations

import logging
from typing import Any

import pytest
from pydantic import ValidationError

from hookcore_tool_policy import ToolPolicy, ToolPolicySettings


def settings(**values: Any) -> ToolPolicySettings:
    return ToolPolicySettings.model_validate(values)


def refusal(**values: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        settings(**values)
    return str(caught.value)


def deny(*tools: str, **arguments: str) -> dict[str, Any]:
    rule: dict[str, Any] = {"effect": "deny", "tools": list(tools)}
    return {**rule, "arguments": arguments} if arguments else rule


def allow(*tools: str, **arguments: str) -> dict[str, Any]:
    return {**deny(*tools, **arguments), "effect": "allow"}


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"rules": [deny()]}, "rules[0] can never act: tools = [] matches no tool"),
    ({"deny": ["a", "b", "a"]}, 'deny[2] ("a") can never act: it repeats deny[0]'),
    ({"default": "deny", "allow": ["a", "a"]}, 'allow[1] ("a") can never act: it repeats allow[0]'),
    ({"rules": [deny("a", "a", x="y")]}, 'rules[0].tools[1] ("a") can never act: it repeats'),
    (
        {"rules": [deny("a", x="y"), deny("a", x="y")]},
        "rules[1] can never act: it repeats rules[0]",
    ),
    (
        {"deny": ["d*"], "rules": [deny("do", x="y")]},
        'rules[0] can never act: deny[0] ("d*") denies',
    ),
    ({"deny": ["d*"], "rules": [allow("do", x="y")]}, "rules[0] can never act: deny[0]"),
    ({"deny": ["d*"], "rules": [allow("do")]}, "rules[0] can never act: deny[0]"),
    ({"deny": ["d*"], "allow": ["do"]}, 'allow[0] ("do") can never act: deny[0]'),
    ({"deny": ["do"], "allow": ["Do"]}, 'allow[0] ("Do") can never act: deny[0]'),
    ({"deny": ["do"], "rules": [deny("Do", x="y")]}, "rules[0] can never act: deny[0]"),
    ({"deny": ["do_*", "Do It"]}, 'deny[1] ("Do It") can never act: deny[0]'),
    ({"deny": ["delete_*", "Delete*"]}, 'deny[0] ("delete_*") can never act: deny[1]'),
    ({"deny": ["D*", "Do It"]}, 'deny[1] ("Do It") can never act: deny[0]'),
    ({"deny": ["mcp__x__*", "mcp-x-*"]}, 'deny[1] ("mcp-x-*") can never act: deny[0]'),
    ({"deny": ["mcp__x__*"], "allow": ["Mcp X Y"]}, 'allow[0] ("Mcp X Y") can never act: deny[0]'),
    ({"deny": ["Do It", "do_it"]}, 'deny[1] ("do_it") can never act: deny[0]'),
    (
        {"deny": ["a"], "rules": [deny("b"), deny("a", "b", x="y")]},
        "rules[1] can never act: deny[0]",
    ),
    ({"rules": [deny("*"), allow("a")]}, "rules[1] can never act: rules[0] denies"),
    (
        {"allow": ["g*"], "rules": [allow("get", x="y")]},
        'rules[0] can never act: allow[0] ("g*") allows',
    ),
    ({"rules": [allow("get", x="y"), allow("g*")]}, "rules[0] can never act: rules[1] allows"),
    ({"rules": [deny("a", x="y"), deny("a", x="y", z="w")]}, "rules[1] can never act: rules[0]"),
    ({"rules": [deny("a", x="y"), allow("a", x="y", z="w")]}, "rules[1] can never act: rules[0]"),
    ({"default": "allow", "allow": ["a"]}, 'allow[0] ("a") can never act: default = "allow"'),
    ({"default": "allow", "rules": [allow("a")]}, 'rules[0] can never act: default = "allow"'),
    ({"deny": [""]}, "deny[0]: the pattern '' matches no tool: it is empty"),
    ({"deny": [" a"]}, "deny[0]: the pattern ' a' matches no tool: it has spaces around it"),
    ({"deny": ["a" * 257]}, "longer than 256 characters"),
    ({"deny": ["?" * 257 + "*"]}, "longer than 256 characters"),
    ({"deny": ["[!\0-\U0010ffff]"]}, "leaves no character"),
    ({"deny": ["\u200b*"]}, "holds nothing that can be seen"),
    ({"deny": ["[a"]}, '"[" is not closed'),
    ({"deny": ["[z-a]"]}, '"[z-a]" runs backwards'),
    ({"deny": ["\ud800"]}, "lone surrogate"),
    (
        {"rules": [deny("a", x="(")]},
        "rules[0].arguments['x']: the expression '(' does not compile: missing )",
    ),
    ({"rules": [deny("a", x="(?=b)")]}, "RE2 has no look-around"),
    ({"rules": [deny("a", x="\ud800")]}, "lone surrogate"),
    ({"rules": [deny("a", x="")]}, "rules[0].arguments['x']: an empty expression"),
    ({"rules": [{**deny("a"), "arguments": {}}]}, "rules[0].arguments is empty"),
    ({"rules": [{**deny("a"), "reason": " "}]}, "rules[0].reason is empty"),
    ({"rules": [{**deny("a"), "arguments": {"a": {"b": "x"}}}]}, 'write "a.b" = "..."'),
    ({"rules": [deny("a", **{"": "x"})]}, "an empty piece"),
    ({"rules": [deny("a", **{"b.": "x"})]}, "an empty piece"),
    ({"rules": [deny("a", **{"b..c": "x"})]}, "an empty piece"),
    ({"rules": [deny("a", **{"b. c": "x"})]}, "has spaces around it"),
    ({"rules": [deny("a", **{"b*": "x"})]}, "mixes * with text"),
    ({"rules": [deny("a", **{"'b": "x"})]}, "the quote ' is not closed"),
    ({"rules": [deny("a", **{"'b'c": "x"})]}, "a dot must follow"),
    ({"rules": [{"effect": "forbid", "tools": ["a"]}]}, "rules.0.effect"),
    ({"rules": [{"tools": ["a"]}]}, "rules.0.effect"),
    ({"rules": [{"effect": "deny", "tools": "a"}]}, "rules.0.tools"),
    ({"rules": [{"effect": "deny", "tools": ["a"], "args": {}}]}, "rules.0.args"),
    ({"deny": "a"}, "valid list"),
    ({"denied": ["a"]}, "denied"),
    ({"default": "block"}, "'allow' or 'deny'"),
]


@pytest.mark.parametrize(("values", "text"), REFUSED)
def test_what_cannot_act_or_cannot_be_meant_is_refused_and_named(
    values: dict[str, Any], text: str
) -> None:
    assert text in refusal(**values)


def test_of_two_that_say_the_same_only_the_later_is_refused() -> None:
    text = refusal(deny=["a*", "a*"], rules=[deny("b", x="y"), deny("b", x="y")])
    assert text.count("can never act") == 2
    assert "deny[1]" in text
    assert "rules[1] can never act" in text


def test_all_that_is_wrong_is_said_at_once() -> None:
    text = refusal(deny=["a", "a", ""], rules=[deny("b", x="(")])
    assert "deny[1]" in text
    assert "deny[2]" in text
    assert "rules[0]" in text


ACCEPTED: list[dict[str, Any]] = [
    {},
    {"default": "deny"},
    {"default": "deny", "deny": ["a"]},
    {"default": "deny", "allow": ["*"], "deny": ["a"]},
    {"deny": ["a", "b*"]},
    {"deny": ["删除", "查询"]},
    {"deny": ["[abcdefghij]" * 30]},
    {"allow": ["a", "A"]},
    {"deny": ["a"], "rules": [deny("a", "b", x="y")]},
    {"deny": ["a"], "allow": ["*"]},
    {"rules": [deny("a", x="y"), deny("a", x="z")]},
    {"rules": [deny("a", x="y"), allow("a", z="w")]},
    {"rules": [deny("a", x="y", z="w"), allow("a", x="y")]},
    {"default": "allow", "rules": [allow("a", x="y")]},
    {"default": "allow", "allow": ["read_a"], "rules": [allow("read_*", x="y")]},
]


@pytest.mark.parametrize("values", ACCEPTED)
def test_what_can_act_is_accepted(values: dict[str, Any]) -> None:
    assert ToolPolicy(settings(**values)).judge("", {}) is not None


@pytest.mark.parametrize(
    ("values", "unlisted"),
    [
        ({}, "allow"),
        ({"deny": ["a"]}, "allow"),
        ({"rules": [deny("a", x="y")]}, "allow"),
        ({"allow": ["a"]}, "deny"),
        ({"rules": [allow("a", x="y")]}, "deny"),
        ({"default": "deny"}, "deny"),
        ({"default": "allow", "rules": [allow("a", x="y")]}, "allow"),
    ],
)
def test_unlisted_tools_are_denied_as_soon_as_anything_is_allowed_explicitly(
    values: dict[str, Any], unlisted: str
) -> None:
    policy = ToolPolicy(settings(**values))
    assert settings(**values).unlisted == unlisted
    assert (policy.judge("unlisted", {}) is None) == (unlisted == "allow")


def test_a_policy_without_any_rule_warns_at_start(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="hookcore_tool_policy"):
        ToolPolicy(ToolPolicySettings())
    assert "lets every tool call through" in caplog.text


def test_a_policy_with_rules_is_silent_at_start(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="hookcore_tool_policy"):
        ToolPolicy(ToolPolicySettings(deny=["a"]))
    assert not caplog.records


def test_unvalidated_settings_that_do_not_compile_are_refused_by_the_policy_itself() -> None:
    with pytest.raises(ValueError, match=r"deny\[0\]"):
        ToolPolicy(ToolPolicySettings.model_construct(deny=["["]))


@pytest.mark.timeout(30)
def test_a_thousand_names_are_checked_in_reasonable_time() -> None:
    names = [f"tool_{number}" for number in range(1000)]
    assert len(settings(deny=names, allow=[f"other_{name}" for name in names]).deny) == 1000


@pytest.mark.timeout(30)
def test_a_thousand_globs_are_checked_in_reasonable_time() -> None:
    globs = [f"tool_{number}_*" for number in range(1000)]
    assert len(settings(deny=globs, allow=[f"other_{glob}" for glob in globs]).deny) == 1000
