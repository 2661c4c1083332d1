"""Histories that grow: what was read before in the run is not read again."""

from __future__ import annotations

from typing import Any

import pytest

from hookcore import HookManager, ModelCallContext
from hookcore_redact import Redact, RedactSettings
from hookcore_redact._text import TextRedactor


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts that were looked through."""
    texts: list[str] = []
    plain = TextRedactor._read

    def noted(self: TextRedactor, text: str, name: str | None) -> str:
        if " " in text or "@" in text:
            texts.append(text)
        return plain(self, text, name)

    monkeypatch.setattr(TextRedactor, "_read", noted)
    return texts


def asked(manager: HookManager, messages: list[Any]) -> list[Any]:
    ctx = ModelCallContext(messages=list(messages), run_id="r", point="pre_model_call")
    result: list[Any] = manager.dispatch("pre_model_call", ctx).payload
    return result


@pytest.fixture
def manager() -> HookManager:
    host = HookManager()
    host.register(Redact, name="redact")
    return host


def history(count: int) -> list[Any]:
    return [{"role": "user", "content": f"message number {at} of this talk"} for at in range(count)]


def test_a_message_that_was_read_is_not_read_again(manager: HookManager, read: list[str]) -> None:
    messages = history(20)
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        read.clear()
        messages.append({"role": "user", "content": "write to mia@example.com"})
        assert asked(manager, messages)[-1]["content"] == "write to [EMAIL_1]"
    assert read == ["write to mia@example.com"]


def test_a_message_that_was_edited_is_read_again(manager: HookManager) -> None:
    messages = history(20)
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        messages[7]["content"] = "write to mia@example.com"
        after = asked(manager, messages)
    assert after[7]["content"] == "write to [EMAIL_1]"
    assert after[6] is messages[6]


def test_a_host_that_keeps_its_values_gets_the_same_placeholders(manager: HookManager) -> None:
    long = "a long enough text about nothing at all, and then: "
    messages = [{"role": "user", "content": f"{long} u{at}@example.com"} for at in range(12)]
    with manager.run({}, run_id="r"):
        first = asked(manager, messages)
        assert asked(manager, messages) == first
    assert first[3]["content"] == f"{long} [EMAIL_4]"


def test_a_number_that_stands_in_an_older_message_is_not_given_again(manager: HookManager) -> None:
    messages = [{"role": "user", "content": "as [EMAIL_1] said"}, *history(12)]
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        after = asked(manager, [*messages, {"role": "user", "content": "mia@example.com"}])
    assert after[-1]["content"] == "[EMAIL_2]"


def test_another_run_knows_nothing_of_it(manager: HookManager, read: list[str]) -> None:
    messages = history(10)
    for run in ("a", "b"):
        read.clear()
        with manager.run({}, run_id=run):
            ctx = ModelCallContext(messages=list(messages), run_id=run, point="pre_model_call")
            manager.dispatch("pre_model_call", ctx)
        assert len(read) == 10


def test_other_settings_in_the_same_run_read_everything_again() -> None:
    host = HookManager()
    messages = [*history(10), {"role": "user", "content": "mia@example.com"}]
    with host.run({}, run_id="r"):
        name = host.register(Redact(RedactSettings(kinds=["card"])), name="redact")
        assert asked(host, messages)[-1] == messages[-1]
        host.unregister(name)
        host.register(Redact(), name="redact")
        assert asked(host, messages)[-1]["content"] == "[EMAIL_1]"


def test_a_whole_number_is_not_taken_for_the_float_that_it_equals(manager: HookManager) -> None:
    messages: list[Any] = [*history(9), {"n": 4111111111111111.0}]
    with manager.run({}, run_id="r"):
        asked(manager, messages)
        assert asked(manager, [*messages[:9], {"n": 4111111111111111}])[9] == {"n": "[CARD_1]"}
