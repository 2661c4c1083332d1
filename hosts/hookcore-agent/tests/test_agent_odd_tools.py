"""Tools and models that misbehave: the request goes on, and its history stays whole."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_agent import Agent, RequestContext, ScriptedModel, Session, SessionBusyError, ToolCall
from hookcore_agent.lifecycle import Extension

pytestmark = pytest.mark.asyncio


def endless() -> list[Any]:
    """Return a list that holds itself."""
    made: list[Any] = []
    made.append(made)
    return made


def deep() -> list[Any]:
    """Return a list in a list in a list."""
    made: list[Any] = []
    for _ in range(100_000):
        made = [made]
    return made


class MuteError(Exception):
    """Has no text."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


class Unwritable:
    """Has no text either."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


async def told(manager: HookManager, tool: Any, arguments: dict[str, Any] | None = None) -> Any:
    """Let the model call the tool once, and return the message that it reads."""
    name = tool.__name__
    model = ScriptedModel([[ToolCall(name, arguments or {})], "done"])
    result = await Agent("a", model, [tool], hooks=manager).run("go")
    assert result.output == "done"
    return result.messages[2]


@pytest.mark.parametrize(
    ("make", "why"),
    [(endless, "ValueError"), (deep, "RecursionError"), (Unwritable, "RuntimeError")],
)
async def test_a_result_that_is_no_json_does_not_fail_the_request(
    manager: HookManager, make: Any, why: str
) -> None:
    def fetch() -> Any:
        return make()

    assert why in (await told(manager, fetch)).content


async def test_an_exception_without_a_text_is_told_by_its_class(manager: HookManager) -> None:
    def fetch() -> None:
        raise MuteError

    message = await told(manager, fetch)
    assert (message.content, message.is_error) == ("MuteError", True)


async def test_a_plain_tool_that_raises_stop_iteration_fails_and_does_not_hang(
    manager: HookManager,
) -> None:
    def fetch() -> Any:
        return next(iter(()))

    message = await asyncio.wait_for(told(manager, fetch), 10)
    assert (message.content, message.is_error) == ("the tool raised StopIteration", True)


async def test_arguments_named_like_attributes_are_only_arguments(manager: HookManager) -> None:
    def fetch(**given: Any) -> list[str]:
        return sorted(given)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        message = await told(manager, fetch, {"model_fields": 1, "argument_0": 2})
    assert message.content == '["argument_0", "model_fields"]'


@pytest.mark.parametrize("depth", [50, 98, 120, 600, 900, 100_000])
async def test_arguments_too_deep_to_be_judged_deny_the_call(
    manager: HookManager, depth: int
) -> None:
    ran: list[Any] = []
    text = '{"given": ' + "[" * depth + "]" * depth + "}"
    model = ScriptedModel([[ToolCall("append", text)], "done"])

    def append(given: Any) -> str:
        ran.append(given)
        return "ran"

    result = await Agent("a", model, [append], hooks=manager).run("go")
    if depth < 100:
        assert (result.messages[2].content, len(ran)) == ("ran", 1)
    else:
        assert (result.messages[2].get("denied_by"), ran) == ("hookcore", [])


class Doubler(Extension):
    """Doubles the second call's number."""

    async def before_tool(self, context: RequestContext, call: ToolCall) -> None:
        assert isinstance(call.arguments, dict)
        call.arguments = {"n": 4 if call.arguments["n"] == 2 else call.arguments["n"]}


async def test_ids_that_a_model_repeats_do_not_mix_up_the_history(manager: HookManager) -> None:
    def fetch(n: int) -> str:
        return f"got {n}"

    turns = [[ToolCall("fetch", {"n": 1}, "c")], [ToolCall("fetch", {"n": 2}, "c")], "done"]
    agent = Agent("a", ScriptedModel(turns), [fetch], [Doubler()], manager)
    messages = (await agent.run("go")).messages
    calls = [message["tool_calls"][0] for message in messages if message.get("tool_calls")]
    assert [call["function"]["arguments"] for call in calls] == ['{"n": 1}', '{"n": 4}']
    answers = [m["tool_call_id"] for m in messages if m.role == "tool"]
    assert answers == [call["id"] for call in calls]
    assert len(set(answers)) == 2


async def test_a_session_has_one_request_whichever_agent_serves_it(manager: HookManager) -> None:
    go, begun = asyncio.Event(), asyncio.Event()

    async def wait() -> str:
        begun.set()
        await go.wait()
        return "waited"

    session = Session("s")
    model = ScriptedModel([[ToolCall("wait", {})], "done"])
    first = asyncio.create_task(Agent("a", model, [wait], hooks=manager).run("go", session))
    other = Agent("b", ScriptedModel(["hello"]), hooks=manager)
    await begun.wait()
    with pytest.raises(SessionBusyError, match="session s of agent a has a request in progress"):
        await other.run("me too", session)
    go.set()
    await first
    assert (await other.run("now me", session)).output == "hello"
