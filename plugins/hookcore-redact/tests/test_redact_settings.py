"""Settings that are wrong, or can have no effect, are refused; nothing shows a secret."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from hookcore import HookManager, RegistrationError
from hookcore_redact import Redact, RedactSettings
from hookcore_redact.kinds import PII, SECRETS
from hookcore_redact.settings import POINTS


def test_by_default_everything_is_redacted_and_personal_data_stay_in_tool_inputs() -> None:
    settings = RedactSettings()
    assert settings.kinds_at("post_tool_call") == {*SECRETS, *PII}
    assert settings.kinds_at("pre_tool_call") == {*SECRETS}


def test_kinds_are_groups_single_kinds_and_patterns() -> None:
    patterns = [{"name": "member", "regex": "M1", "group": "pii"}, {"name": "badge", "regex": "B1"}]
    settings = RedactSettings.model_validate(
        {"kinds": ["pii", "badge", "jwt"], "skip_kinds": ["ip"], "patterns": patterns}
    )
    assert settings.all_kinds == {*PII, "badge", "jwt", "member"} - {"ip"}
    assert settings.kinds_in_tool_inputs == {"badge", "jwt"}


def test_points_that_are_left_out_have_no_hook() -> None:
    manager = HookManager()
    manager.register(Redact, name="redact", settings={"points": ["post_tool_call", "output"]})
    assert [point for point in POINTS if manager.has_hooks(point)] == ["output", "post_tool_call"]


def test_a_point_with_nothing_to_redact_has_no_hook() -> None:
    manager = HookManager()
    manager.register(Redact, name="redact", settings={"kinds": ["pii"]})
    assert not manager.has_hooks("pre_tool_call")
    assert manager.has_hooks("post_tool_call")


def test_every_point_that_is_named_exists() -> None:
    manager = HookManager()
    manager.register(Redact, name="redact")
    assert all(manager.has_hooks(point) for point in POINTS)


PATTERN = {"name": "mine", "regex": "x"}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"kinds": ["emial"]}, 'did you mean "email"'),
    ({"kinds": ["zzzz"]}, "the kinds are secrets, pii, private_key"),
    ({"skip_kinds": ["ipv4"]}, "skip_kinds: there is no kind 'ipv4'"),
    ({"tool_input_kinds": ["secret"]}, 'did you mean "secrets"'),
    ({"kinds": ["email"], "skip_kinds": ["pii"]}, "nothing is redacted anywhere"),
    ({"kinds": ["pii"], "points": ["pre_tool_call"]}, "nothing is redacted anywhere"),
    ({"points": ["pre_tool"]}, "points.0"),
    ({"points": []}, "nothing is redacted anywhere"),
    ({"placeholders": "stars"}, "placeholders"),
    ({"hash_key": "0123456789abcdef"}, 'only with placeholders = "hash"'),
    ({"hash_key": "short", "placeholders": "hash"}, "16 characters or more"),
    ({"allow": ["*"]}, "matches every value"),
    ({"allow": [""]}, "matches every value"),
    ({"patterns": [PATTERN, PATTERN]}, "two named 'mine'"),
    ({"patterns": [{"name": "email", "regex": "x"}]}, "built-in kind"),
    ({"patterns": [{"name": "Mine!", "regex": "x"}]}, "patterns.0.name"),
    ({"patterns": [{"name": "mine", "regex": "("}]}, "missing )"),
    ({"patterns": [{"name": "mine", "regex": "(?=x)"}]}, "RE2 has no look-around"),
    ({"patterns": [{"name": "mine", "regex": "x*"}]}, "matches the empty text"),
    ({"restore": True, "placeholders": "fixed"}, "tell values apart"),
    ({"restore": True, "points": ["output"]}, "points leaves out"),
    ({"restore": True, "tool_input_kinds": ["secrets", "pii"]}, "restore can never act"),
    ({"restore_tools": ["send_*"]}, "only with restore = true"),
    ({"restore": True, "restore_tools": ["send_["]}, '"[" is not closed'),
    ({"window": 10_000}, "window"),
    ({"stream": "windows"}, "stream"),
    ({"kind": ["email"]}, "kind"),
]


@pytest.mark.parametrize(("settings", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_what_is_wrong_is_refused_with_what_to_do(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        RedactSettings.model_validate(settings)
    assert words in str(caught.value)


def test_the_key_of_hashes_is_shown_nowhere() -> None:
    settings = RedactSettings.model_validate(
        {"placeholders": "hash", "hash_key": "0123456789abcdef"}
    )
    plugin = Redact(settings)
    plugin.redact("a@x.com")
    assert "0123456789abcdef" not in f"{settings!r} {settings} {plugin!r} {vars(plugin)!r}"


def test_a_wrong_setting_is_not_repeated_in_the_error() -> None:
    with pytest.raises(RegistrationError) as caught:
        HookManager().register(Redact, settings={"hash_key": 1234567890123456, "allow": 5})
    assert "1234567890123456" not in str(caught.value)
