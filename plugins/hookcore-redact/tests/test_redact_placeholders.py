"""The placeholder of a value: stable, told apart, and never touched again."""

from __future__ import annotations

import re
from typing import Any

import pytest

from hookcore_redact import Redact, RedactSettings

KEY = "sk-" + "ant-api03-" + "a1B2c3D4e5" * 8


def redact(payload: Any, **settings: Any) -> Any:
    return Redact(RedactSettings(**settings)).redact(payload)


def test_values_are_numbered_within_their_kind() -> None:
    text = f"a@x.com b@x.com 10.1.2.3 {KEY} a@x.com"
    assert redact(text) == "[EMAIL_1] [EMAIL_2] [IP_1] [ANTHROPIC_KEY_1] [EMAIL_1]"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("alice@example.com", "Alice@Example.COM"),
        ("4111 1111 1111 1111", "4111-1111-1111-1111"),
        ("4111 1111 1111 1111", "4111111111111111"),
        ("DE89 3704 0044 0532 0130 00", "de89370400440532013000"),
        ("+49 30 1234567", "+49-30-123-4567"),
        ("2001:db8::AB1", "2001:DB8::ab1"),
    ],
)
def test_spellings_of_one_value_get_one_placeholder(one: str, other: str) -> None:
    first, second = redact([one, other])
    assert first == second


def test_the_same_key_found_in_two_ways_gets_one_placeholder() -> None:
    first, second = redact([f"Authorization: Bearer {KEY}", KEY])
    assert first == f"Authorization: Bearer {second}"


def test_fixed_placeholders_say_the_kind_only() -> None:
    assert redact("a@x.com b@x.com", placeholders="fixed") == "[EMAIL] [EMAIL]"


def test_hash_placeholders_are_the_same_for_the_same_key_and_value() -> None:
    settings = {"placeholders": "hash", "hash_key": "0123456789abcdef"}
    first, second = redact("a@x.com b@x.com", **settings).split()
    assert re.fullmatch(r"\[EMAIL:[0-9a-f]{8}\]", first)
    assert first != second
    assert redact("A@X.com", **settings) == first
    assert redact("a@x.com", placeholders="hash", hash_key="another key, as long") != first


def test_hash_placeholders_without_a_key_cannot_be_computed_elsewhere() -> None:
    assert redact("a@x.com", placeholders="hash") != redact("a@x.com", placeholders="hash")


@pytest.mark.parametrize("style", ["typed", "fixed", "hash"])
def test_what_was_redacted_once_is_not_redacted_again(style: str) -> None:
    plugin = Redact(RedactSettings.model_validate({"placeholders": style}))
    once = plugin.redact({"a@x.com": [f"{KEY} 4111111111111111", '{"phone": "5550123456"}']})
    assert plugin.redact(once) is once


EVERYTHING = [
    r"\w+",
    r"[A-Z]+",
    r"\d",
    r".+",
    r"(?s).{3}",
    r"\S+@\S+",
    r"[\[\]]",
    r"[A-Z]+_\d",
    r":[0-9a-f]+",
]


@pytest.mark.parametrize("style", ["typed", "fixed", "hash"])
@pytest.mark.parametrize("regex", EVERYTHING)
def test_no_pattern_opens_a_placeholder(regex: str, style: str) -> None:
    settings = RedactSettings.model_validate(
        {"placeholders": style, "patterns": [{"name": "mine", "regex": regex}]}
    )
    plugin = Redact(settings)
    once = plugin.redact("to a@x.com and 10.1.2.3: 7 b@x.com")
    assert plugin.redact(once) is once
    assert "@" not in once


def test_a_pattern_over_placeholders_swallows_them() -> None:
    patterns = [{"name": "note", "regex": "note: .*"}]
    assert redact("x note: ask [EMAIL_1] or me", patterns=patterns) == "x [NOTE_1]"


def test_a_number_that_stands_in_the_text_is_not_given_again() -> None:
    assert redact(["ask [EMAIL_2]", "mail b@x.com"]) == ["ask [EMAIL_2]", "mail [EMAIL_3]"]


def test_nobody_can_use_up_the_numbers() -> None:
    assert redact("[EMAIL_999999] [EMAIL_4] b@x.com") == "[EMAIL_999999] [EMAIL_4] [EMAIL_5]"


def test_finds_that_overlap_go_together() -> None:
    patterns = [{"name": "ticket", "regex": r"T-[0-9]+ for \S+"}]
    assert redact("T-12 for a@x.com now", patterns=patterns) == "[TICKET_1] now"


def test_only_the_group_of_a_pattern_is_replaced() -> None:
    patterns = [{"name": "password", "regex": r"(?i)password\s*[:=]\s*(\S+)"}]
    assert redact("Password: hunter2 ok", patterns=patterns) == "Password: [PASSWORD_1] ok"


def test_patterns_find_umlauts_and_other_scripts() -> None:
    patterns = [{"name": "name", "regex": "(?i)müller|山田"}]
    assert redact("Frau MÜLLER und 山田さん", patterns=patterns) == "Frau [NAME_1] und [NAME_2]さん"


def test_a_pattern_of_the_group_pii_is_left_in_tool_inputs() -> None:
    pattern = {"name": "member", "regex": r"\bM\d{4}\b", "group": "pii"}
    plugin = Redact(RedactSettings.model_validate({"patterns": [pattern]}))
    assert plugin.redact({"id": "M1234"}, "pre_tool_call") == {"id": "M1234"}
    assert plugin.redact({"id": "M1234"}, "post_tool_call") == {"id": "[MEMBER_1]"}


def test_what_is_allowed_is_left_alone() -> None:
    text = "Support@Example.com, a@corp.example, b@x.com, 10.0.0.1, 192.0.2.1"
    allow = ["support@example.com", "*@corp.example", "10.?.?.1"]
    assert (
        redact(text, allow=allow)
        == "Support@Example.com, a@corp.example, [EMAIL_1], 10.0.0.1, [IP_1]"
    )


def test_an_allowed_glob_means_nothing_but_stars_and_question_marks() -> None:
    assert redact("axb@x.com", allow=["a.b@x.com"]) == "[EMAIL_1]"


def test_a_value_glued_to_another_does_not_show_when_that_is_gone() -> None:
    plugin = Redact()
    once = plugin.redact(f"{KEY}:10.1.2.3 a@x.com10.1.2.3 4111-1111-1111-1111@x.com")
    assert once == "[ANTHROPIC_KEY_1]:[IP_1] [EMAIL_1][IP_1] [EMAIL_2]"
    assert plugin.redact(once) is once
