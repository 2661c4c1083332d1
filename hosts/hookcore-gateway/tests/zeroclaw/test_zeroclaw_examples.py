"""The examples do what they say."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from hookcore import HookAborted, HookManager, ModelCallContext, ModelChoice
from hookcore_agent import Agent, ScriptedModel
from hookcore_gateway.zeroclaw import ChannelMessage, ChatResponse, HookRunner

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "zeroclaw"


@pytest.fixture
def replying(runner: HookRunner) -> HookRunner:
    runner.register(runpy.run_path(str(EXAMPLES / "reply_hook.py"))["ReplyHook"]())
    return runner


def message(content: str) -> ChannelMessage:
    return ChannelMessage(id="1", sender="ana", reply_target="ana", content=content, channel="mail")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Hello!", "[greeting] Hello!"),
        ("hi, bot", "[greeting] hi, bot"),
        ("Delete it", "Delete it"),
        ("history", "history"),
        ("", ""),
    ],
)
async def test_the_example_hook_tags_greetings_only(
    replying: HookRunner, written: str, read: str
) -> None:
    result = await replying.run_on_message_received(message(written))
    assert result.value == message(read)


@pytest.mark.asyncio
async def test_the_example_hook_puts_its_prefix_before_a_reply_once(replying: HookRunner) -> None:
    first = await replying.run_on_message_sending("mail", "ana", "done")
    assert first.value == ("mail", "ana", "[bot] done")
    assert (await replying.run_on_message_sending(*first.value)).value == first.value


@pytest.mark.asyncio
async def test_the_example_hook_logs_the_length_and_not_the_text(
    replying: HookRunner, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", logger="reply-hook"):
        await replying.fire_llm_output(ChatResponse(text="a secret"))
    assert caplog.messages == ["the answer has 8 characters"]


def router(*rules: dict[str, Any]) -> HookManager:
    manager = HookManager()
    kind = runpy.run_path(str(EXAMPLES / "model_router.py"))["ModelRouter"]
    manager.register(kind, settings={"rules": list(rules)})
    return manager


def routed(manager: HookManager, **fields: Any) -> str:
    ctx = ModelCallContext(payload=ModelChoice("cloud", "large"), **fields)
    choice = manager.dispatch("model_resolve", ctx).payload
    return f"{choice.provider}/{choice.model}"


SMALL = {"provider": "local", "model": "small"}


@pytest.mark.parametrize(
    ("rule", "fields", "choice"),
    [
        ({"agents": ["pay*"]}, {"agent": "payroll"}, "local/small"),
        ({"agents": ["pay*"]}, {"agent": "poet"}, "cloud/large"),
        ({"agents": ["pay*"]}, {}, "cloud/large"),
        ({"models": ["large"]}, {}, "local/small"),
        ({"models": ["huge"]}, {}, "cloud/large"),
        ({"attributes": {"channel": "sms*"}}, {"attributes": {"channel": "sms-2"}}, "local/small"),
        ({"attributes": {"channel": "sms*"}}, {}, "cloud/large"),
        ({}, {}, "local/small"),
    ],
)
def test_the_example_router_follows_its_rules(
    rule: dict[str, Any], fields: dict[str, Any], choice: str
) -> None:
    assert routed(router({**SMALL, **rule}), **fields) == choice


def test_the_first_rule_that_matches_wins() -> None:
    manager = router({"agents": ["a"], "provider": "x", "model": "1"}, SMALL)
    assert (routed(manager, agent="a"), routed(manager, agent="b")) == ("x/1", "local/small")


@pytest.mark.parametrize("rules", [[], [{"provider": "x"}], [{**SMALL, "agent": ["a"]}]])
def test_wrong_rules_are_refused(rules: list[Any]) -> None:
    kind = runpy.run_path(str(EXAMPLES / "model_router.py"))["RouterSettings"]
    with pytest.raises(ValidationError):
        kind.model_validate({"rules": rules})


def test_a_router_that_fails_denies_the_call() -> None:
    manager = router(SMALL)
    with pytest.raises(HookAborted):
        manager.dispatch("model_resolve", ModelCallContext(payload=None))


@pytest.mark.asyncio
async def test_the_example_router_routes_the_reference_agent() -> None:
    manager = router({"agents": ["clerk"], "provider": "script", "model": "small"})
    small = ScriptedModel(["routed"], name="small")
    agent = Agent("clerk", ScriptedModel([]), hooks=manager, models=[small])
    assert (await agent.run("hi")).output == "routed"


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        (
            "reply_hook.py",
            ["the agent reads: [greeting] Hello!", "ana reads: [bot] Good morning."],
        ),
        ("model_router.py", ["payroll-clerk: local/small", "poet: cloud/large"]),
        (
            "repeat_guard.py",
            [
                "invoice: nothing found",
                "bill: nothing found",
                "invoice: denied, search was called with these arguments before",
                "invoice: the run is given up, 2 calls were repeats",
            ],
        ),
    ],
)
def test_an_example_runs_as_a_script(script: str, lines: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / script)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == lines
