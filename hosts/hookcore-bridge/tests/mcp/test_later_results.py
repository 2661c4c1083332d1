from __future__ import annotations

from typing import Any

import pytest

from hookcore import Abort, HookManager, hookimpl
from hookcore.hosting.checks import MESSAGE, SECRET, Recorder
from hookcore_bridge.mcp import rpc

pytestmark = pytest.mark.asyncio

TASK = {"task": {"taskId": "t1", "status": "working"}}


class Everything:
    """Takes the secret out of all that comes back, and denies what says STOP."""

    @hookimpl
    def post_tool_call(self, ctx: Any) -> Any:
        return self.judged(ctx)

    @hookimpl
    def pre_step(self, ctx: Any) -> Any:
        return self.judged(ctx)

    @hookimpl
    def post_step(self, ctx: Any) -> Any:
        return self.judged(ctx)

    @hookimpl
    def pre_model_call(self, ctx: Any) -> Any:
        return self.judged(ctx)

    @hookimpl
    def post_model_call(self, ctx: Any) -> Any:
        return self.judged(ctx)

    @staticmethod
    def judged(ctx: Any) -> Any:
        if "STOP" in str(ctx.texts()):
            return Abort("rule 2", message=MESSAGE)
        ctx.texts().replace(lambda text: text.replace(SECRET, "[gone]"))
        return None


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def manager(recorder: Recorder) -> HookManager:
    made = HookManager()
    made.register(Everything())
    made.register(recorder)
    return made


def text(value: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}]}


async def test_the_result_of_a_task_is_judged_as_its_tools(
    connect: Any, manager: HookManager, recorder: Recorder
) -> None:
    async with connect(manager) as wire:
        begun = await wire.calls("slow", {"q": 1}, TASK)
        assert begun["result"] == TASK
        answer = await wire.asks("tasks/result", {"taskId": "t1"}, {"result": text(SECRET)})
        assert answer["result"] == text("[gone]")
        withheld = await wire.asks("tasks/result", {"taskId": "t1"}, {"result": text("STOP")})
        assert MESSAGE in withheld["error"]["message"]
        failed = await wire.asks(
            "tasks/result", {"taskId": "t1"}, {"error": {"code": 5, "message": SECRET}}
        )
        assert failed["error"] == {"code": 5, "message": "[gone]"}
    assert recorder.tools() == [("slow", "ok")]


async def test_a_task_cannot_take_the_place_of_another(connect: Any, manager: HookManager) -> None:
    async with connect(manager) as wire:
        await wire.calls("secret", {}, TASK)
        answer = await wire.calls("harmless", {}, TASK)
    assert answer["error"]["code"] == rpc.INTERNAL_ERROR


async def test_a_result_within_a_tasks_state_is_judged_too(
    connect: Any, manager: HookManager
) -> None:
    begun = {"resultType": "task", "taskId": "t1", "status": "working"}
    async with connect(manager) as wire:
        await wire.calls("slow", {}, begun)
        state = {"taskId": "t1", "status": "working"}
        answer = await wire.asks("tasks/get", {"taskId": "t1"}, {"result": state})
        assert answer["result"] == state
        done = {**state, "status": "completed", "result": text(SECRET)}
        answer = await wire.asks("tasks/get", {"taskId": "t1"}, {"result": done})
        assert answer["result"] == {**done, "result": text("[gone]")}


@pytest.mark.parametrize("method", ["tasks/result", "tasks/get"])
async def test_the_result_of_an_unknown_task_is_withheld(
    connect: Any, manager: HookManager, method: str
) -> None:
    result = {"taskId": "t1", "result": text("x")}
    async with connect(manager) as wire:
        answer = await wire.asks(method, {"taskId": "t1"}, {"result": result})
    assert answer["error"]["code"] == rpc.INTERNAL_ERROR
    assert "has not begun" in answer["error"]["message"]


async def test_a_notice_of_a_task_passes_without_its_result_only(
    connect: Any, manager: HookManager
) -> None:
    async with connect(manager) as wire:
        notice = {"jsonrpc": "2.0", "method": "notifications/tasks/status"}
        plain = {**notice, "params": {"taskId": "t1", "status": "completed"}}
        assert await wire.server(plain) is plain
        assert await wire.server({**notice, "params": {"result": text(SECRET)}}) is None


async def test_sampling_as_a_task_is_judged_when_the_server_asks_for_it(
    connect: Any, manager: HookManager
) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage"}
    poll = {"jsonrpc": "2.0", "id": 2, "method": "tasks/result", "params": {"taskId": "t1"}}
    sampled = {"role": "assistant", "model": "m", "content": {"type": "text", "text": SECRET}}
    async with connect(manager) as wire:
        await wire.server({**request, "params": {"messages": []}})
        await wire.client(rpc.result(1, TASK))
        await wire.server(poll)
        answer = await wire.client(rpc.result(2, sampled))
    assert answer["result"]["content"] == {"type": "text", "text": "[gone]"}


ASKS = {
    "resultType": "input_required",
    "requestState": "opaque",
    "inputRequests": {
        "who": {"method": "elicitation/create", "params": {"message": f"who? {SECRET}"}},
        "say": {
            "method": "sampling/createMessage",
            "params": {"messages": [{"role": "user", "content": {"type": "text", "text": SECRET}}]},
        },
        "where": {"method": "roots/list"},
    },
}


async def test_questions_in_an_answer_are_judged_and_so_are_the_replies(
    connect: Any, manager: HookManager, recorder: Recorder
) -> None:
    async with connect(manager) as wire:
        answer = await wire.calls("ask", {}, ASKS)
        asked = answer["result"]["inputRequests"]
        assert asked["who"]["params"] == {"message": "who? [gone]"}
        assert SECRET not in repr(asked)
        assert asked["where"] == {"method": "roots/list"}
        replies = {
            "who": {"action": "accept", "content": {"name": SECRET}},
            "say": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "x"}},
            "where": {"roots": [{"uri": "file:///a"}]},
        }
        params = {"name": "ask", "inputResponses": replies, "requestState": "opaque"}
        done = await wire.asks("tools/call", params, {"result": text("thanks")})
    sent = wire.at_server[-1]["params"]
    assert sent["inputResponses"]["who"] == {"action": "accept", "content": {"name": "[gone]"}}
    assert sent["inputResponses"]["where"] == replies["where"]
    assert sent["requestState"] == "opaque"
    assert done["result"] == text("thanks")
    assert recorder.tools() == [("ask", "cancelled"), ("ask", "ok")]
    assert recorder.statuses("model_finished") == ["ok"]


async def test_a_denied_question_denies_the_call(
    connect: Any, manager: HookManager, recorder: Recorder
) -> None:
    question = {"method": "elicitation/create", "params": {"message": "STOP"}}
    first = ASKS["inputRequests"]["say"]  # type: ignore[index]
    asks = {**ASKS, "inputRequests": {"a": first, "b": question}}
    async with connect(manager) as wire:
        answer = await wire.calls("ask", {}, asks)
    assert answer["result"]["isError"]
    assert MESSAGE in answer["result"]["content"][0]["text"]
    assert recorder.statuses("model_finished") == ["cancelled"]


@pytest.mark.parametrize("replies", [[], {"who": {}}, {"x": {"action": "accept"}}])
async def test_a_reply_to_nothing_is_refused(
    connect: Any, manager: HookManager, replies: Any
) -> None:
    async with connect(manager) as wire:
        params = {"name": "ask", "inputResponses": replies}
        answer = await wire.asks("tools/call", params, {"result": text("x")})
    assert wire.at_server == []
    assert answer["error"]["code"] == rpc.INVALID_PARAMS


async def test_questions_for_a_resource_are_judged(connect: Any, manager: HookManager) -> None:
    asks = {**ASKS, "inputRequests": {"who": ASKS["inputRequests"]["who"]}}  # type: ignore[index]
    async with connect(manager) as wire:
        answer = await wire.asks("resources/read", {"uri": "x"}, {"result": asks})
        assert answer["result"]["inputRequests"]["who"]["params"]["message"] == "who? [gone]"
        params = {"uri": "x", "requestState": "s", "inputResponses": {"who": {"action": "decline"}}}
        await wire.asks("resources/read", params, {"result": {"contents": []}})
    assert wire.at_server[-1]["params"] == params
