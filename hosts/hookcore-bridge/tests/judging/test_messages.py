"""Prompts, the model's last answers, and sessions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import Abort, hookimpl
from hookcore_bridge.dialects import CLIENTS, denying
from tests.waiting import until

from .telling import call_of

Ask = Callable[..., Any]
WITH_PROMPTS = [name for name, dialect in CLIENTS.items() if dialect.with_role("prompt")]


def prompt(client: str, text: str = "do it") -> tuple[dict[str, Any], str]:
    event, told = call_of(CLIENTS[client], "prompt", prompt=text)
    return told, event


class No:
    @hookimpl
    def message_received(self, ctx: Any) -> Abort:
        return Abort("rule 9", message="Not that.")


@pytest.mark.parametrize("client", WITH_PROMPTS)
def test_a_prompt_is_stopped_with_the_message(client: str, ask: Ask) -> None:
    told, event = prompt(client)
    reason = "denied by policy-0.message_received: Not that."
    assert ask(client, told, event, No()) == denying(CLIENTS[client].events[event], reason)


@pytest.mark.parametrize("client", WITH_PROMPTS)
def test_a_prompt_that_a_policy_changes_is_stopped_since_no_client_takes_another(
    client: str, ask: Ask
) -> None:
    class Change:
        @hookimpl
        def message_received(self, ctx: Any) -> None:
            ctx.payload.content = "something else"

    told, event = prompt(client)
    answer = json.dumps(ask(client, told, event, Change()))
    assert "takes no changed one" in answer
    assert "something else" not in answer


@pytest.mark.parametrize("client", WITH_PROMPTS)
def test_what_a_policy_adds_to_a_prompt_is_shown_to_the_model(client: str, ask: Ask) -> None:
    class Add:
        @hookimpl
        def message_received(self, ctx: Any) -> None:
            ctx.payload.content += "\nUse make."

    told, event = prompt(client)
    answer = ask(client, told, event, Add())
    assert "decision" not in answer
    assert "Use make." in json.dumps(answer)


@pytest.mark.parametrize("client", WITH_PROMPTS)
def test_a_prompt_that_nobody_minds_passes(client: str, ask: Ask) -> None:
    told, event = prompt(client)
    assert ask(client, told, event) == {}


def test_the_empty_prompt_after_each_result_of_qwen_code_is_none(ask: Ask) -> None:
    told, event = prompt("qwen-code", "")
    assert ask("qwen-code", told, event, No()) == {}


def test_sessions_and_answers_are_told_of(ask: Ask) -> None:
    class Watch:
        seen: list[Any] = []  # noqa: RUF012

        @hookimpl
        def session_start(self, ctx: Any) -> None:
            self.seen.append(("start", ctx.channel, ctx.session_id))

        @hookimpl
        def session_end(self, ctx: Any) -> None:
            self.seen.append(("end", ctx.reason))

        @hookimpl
        def message_sent(self, ctx: Any) -> None:
            self.seen.append((ctx.payload.sender, ctx.payload.content))

    watch = Watch()
    for role, facts in (
        ("session_start", {}),
        ("answer", {"last_assistant_message": "done"}),
        ("session_end", {"reason": "other"}),
    ):
        event, told = call_of(CLIENTS["claude-code"], role, **facts)
        assert ask("claude-code", told, event, watch) == {}
    assert watch.seen == [
        ("start", "claude-code", "s1"), ("claude-code", "done"), ("end", "other"),
    ]  # fmt: skip


def test_a_session_that_ends_ends_its_open_calls_and_forgets_its_state(ask: Ask) -> None:
    class Count:
        statuses: list[str] = []  # noqa: RUF012
        counts: list[int] = []  # noqa: RUF012

        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None:
            ctx.state["n"] = ctx.state.get("n", 0) + 1
            self.counts.append(ctx.state["n"])

        @hookimpl
        def tool_finished(self, ctx: Any) -> None:
            self.statuses.append(ctx.status)

    count = Count()
    begin = call_of(CLIENTS["codex"], "tool_before", tool="Bash", tool_input={}, call_id="c1")
    done = call_of(CLIENTS["codex"], "tool_after", tool="Bash", tool_input={}, call_id="c1",
                   result="x")  # fmt: skip
    end = call_of(CLIENTS["codex"], "session_end")
    for event, told in (begin, done, begin, end, begin, done):
        ask("codex", told, event, count)
    until(lambda: len(count.statuses) == 3)
    assert count.counts == [1, 2, 1]
    assert sorted(count.statuses) == ["cancelled", "ok", "ok"]
