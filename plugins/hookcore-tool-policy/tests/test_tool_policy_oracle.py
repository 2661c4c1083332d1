"""The policy against a naive model of the README's decision order, which shares no code with it."""

from __future__ import annotations

import json
import re
import unicodedata
from fnmatch import fnmatchcase
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore import sanitize_tool_name
from hookcore_tool_policy import ToolPolicy, ToolPolicySettings, ToolRule
from hookcore_tool_policy._lint import dead_rules
from hookcore_tool_policy._rules import compile_rules

PATTERNS = st.sampled_from(["a_b", "aB", "A b", "a*", "*b", "?_b", "*", "c", "[ac]*", "a_?", "C"])
NAMES = st.sampled_from(
    ["a_b", "aB", "A b", "A_B", "c", "C", "ab", "a_c", "x", "\uff41_\uff42", "a\u200b_b"]
)
PATHS = st.sampled_from(["k", "k.0", "k.*", "k.m", "k.*.m", "n"])
EXPRESSIONS = st.sampled_from(["^x$", "x", "^1$", "true|null", "^y", r"^\[", "m"])
LEAVES = st.sampled_from(["x", "y", "xy", "x\ny", 1, 1.0, True, None, ""])
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["m", "0", "q"]), inner, max_size=2)
    ),
    max_leaves=4,
)
ARGUMENTS = st.dictionaries(st.sampled_from(["k", "n"]), VALUES, max_size=2)
RULES = st.builds(
    ToolRule,
    effect=st.sampled_from(["allow", "ask", "deny"]),
    tools=st.lists(PATTERNS, min_size=1, max_size=2, unique=True),
    arguments=st.none() | st.dictionaries(PATHS, EXPRESSIONS, min_size=1, max_size=2),
)
POLICIES = st.builds(
    # Without validation: rules that can never act must not disturb the others either.
    ToolPolicySettings.model_construct,
    default=st.sampled_from(["allow", "deny"]),
    allow=st.lists(PATTERNS, max_size=2),
    ask=st.lists(PATTERNS, max_size=1),
    deny=st.lists(PATTERNS, max_size=1),
    rules=st.lists(RULES, max_size=4),
)


def branches(value: Any, pieces: list[str]) -> list[list[Any]]:
    """Each branch of a path as a list: of its one value, or of none where it is missing."""
    if not pieces:
        return [[value]]
    head, rest = pieces[0], pieces[1:]
    if isinstance(value, dict):
        children = list(value.values()) if head == "*" else [value[head]] if head in value else []
    elif isinstance(value, list):
        inside = head.isdigit() and int(head) < len(value)
        children = value if head == "*" else [value[int(head)]] if inside else []
    else:
        children = []
    return [branch for child in children for branch in branches(child, rest)] or [[]]


def text_of(value: Any) -> str:
    if isinstance(value, str):
        return value
    whole = json.loads(json.dumps(value), parse_float=lambda text: int(float(text)))
    return json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def leaves(value: Any) -> list[str]:
    if not isinstance(value, list | dict):
        return [text_of(value)]
    children = value.values() if isinstance(value, dict) else value
    return [text for child in children for text in leaves(child)]


def holds(rule: ToolRule, arguments: dict[str, Any]) -> bool:
    for path, expression in (rule.arguments or {}).items():
        found = branches(arguments, path.split("."))
        if rule.effect != "allow":
            texts = [
                text for [value] in filter(None, found) for text in (text_of(value), *leaves(value))
            ]
            if not any(re.search(expression, text, re.DOTALL) for text in texts):
                return False
        elif not all(branch and re.search(expression, text_of(branch[0])) for branch in found):
            return False
    return True


def forms(name: str) -> set[str]:
    """The name sanitised, and the same in one case."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return {sanitize_tool_name(name), re.sub("[^a-z0-9]+", "_", plain)}


def named(patterns: list[str], name: str, *, sanitised: bool) -> bool:
    for pattern in patterns:
        if fnmatchcase(name, pattern):
            return True
        if sanitised and any(fnmatchcase(form, pattern) for form in forms(name)):
            return True
        if sanitised and not set(pattern) & set("*?[") and forms(pattern) & forms(name):
            return True
    return False


def verdict(policy: ToolPolicySettings, name: str, arguments: dict[str, Any]) -> str:
    of = {
        effect: [rule for rule in policy.rules if rule.effect == effect]
        for effect in ("allow", "ask", "deny")
    }

    def matches(effect: str) -> bool:
        listed = named(getattr(policy, effect), name, sanitised=effect != "allow")
        return listed or any(
            named(rule.tools, name, sanitised=effect != "allow") and holds(rule, arguments)
            for rule in of[effect]
        )

    if matches("deny"):
        return "deny"
    limits = [rule for rule in of["allow"] if rule.arguments]
    names_it = named(policy.allow, name, sanitised=True) or any(
        named(rule.tools, name, sanitised=True) for rule in of["allow"]
    )
    if matches("allow"):
        decided = "allow"
    elif any(named(rule.tools, name, sanitised=True) for rule in limits):
        decided = "deny"
    else:
        decided = policy.unlisted
    asks = matches("ask") and (decided == "allow" or not names_it)
    return "ask" if asks else decided


def judged(policy: ToolPolicySettings, name: str, arguments: dict[str, Any]) -> str:
    denial = ToolPolicy(policy).judge(name, arguments)
    return "allow" if denial is None else denial.effect


@settings(max_examples=5 * settings().max_examples)
@given(POLICIES, st.lists(st.tuples(NAMES, ARGUMENTS), min_size=1, max_size=5))
def test_every_call_is_decided_in_the_documented_order(
    policy: ToolPolicySettings, calls: list[tuple[str, dict[str, Any]]]
) -> None:
    for name, arguments in calls:
        assert judged(policy, name, arguments) == verdict(policy, name, arguments)


def without(policy: ToolPolicySettings, place: str) -> ToolPolicySettings:
    key, index = place.rstrip("]").split("[")
    kept = list(getattr(policy, key))
    del kept[int(index)]
    return ToolPolicySettings.model_construct(**{**dict(policy), key: kept})


def is_limit(policy: ToolPolicySettings, place: str) -> bool:
    """Tell whether the rule at ``place`` is one that limits a tool, beside what it lets through.

    It does where unlisted tools are allowed, or asked about.
    """
    key, index = place.rstrip("]").split("[")
    asks = policy.ask or any(rule.effect == "ask" for rule in policy.rules)
    limits = policy.default == "allow" or bool(asks)
    return limits and key == "rules" and policy.rules[int(index)].effect == "allow"


@settings(max_examples=5 * settings().max_examples)
@given(POLICIES, st.lists(st.tuples(NAMES, ARGUMENTS), min_size=1, max_size=5))
def test_a_rule_that_is_refused_as_dead_really_changes_nothing(
    policy: ToolPolicySettings, calls: list[tuple[str, dict[str, Any]]]
) -> None:
    rules, _ = compile_rules(policy)
    for sentence in dead_rules(rules, policy.unlisted):
        place = sentence.split(" ")[0]
        lesser = without(policy, place)
        for name, arguments in calls:
            with_it, without_it = verdict(policy, name, arguments), verdict(lesser, name, arguments)
            if is_limit(policy, place):
                # An allow rule is dead when it lets nothing through; what it limits may remain.
                assert (with_it, without_it) != ("allow", "deny")
            else:
                assert with_it == without_it


@settings(max_examples=3 * settings().max_examples)
@given(POLICIES, NAMES, ARGUMENTS, PATTERNS)
def test_a_further_deny_never_lets_more_through(
    policy: ToolPolicySettings, name: str, arguments: dict[str, Any], pattern: str
) -> None:
    stricter = policy.model_copy(update={"deny": [*policy.deny, pattern]})
    if judged(policy, name, arguments) == "deny":
        assert judged(stricter, name, arguments) == "deny"


@settings(max_examples=2 * settings().max_examples)
@given(POLICIES, NAMES, ARGUMENTS, st.randoms(use_true_random=False))
def test_the_order_of_rules_never_matters(
    policy: ToolPolicySettings, name: str, arguments: dict[str, Any], random: Any
) -> None:
    shuffled = random.sample(policy.rules, len(policy.rules))
    assert judged(policy, name, arguments) == judged(
        policy.model_copy(update={"rules": shuffled}), name, arguments
    )
