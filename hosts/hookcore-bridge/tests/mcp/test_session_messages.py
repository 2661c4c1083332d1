from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hookcore import Abort, HookManager, ModelResponse, hookimpl
from hookcore.hosting.checks import MESSAGE, SECRET, checked
from hookcore_bridge.mcp import rpc
from tests.waiting import settle

pytestmark = pytest.mark.asyncio

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}
RESULT = {"content": [{"type": "text", "text": "ran"}]}
SAMPLED = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "hi"}}


class Everything:
    """Takes the secret out wherever it is, and denies what says STOP."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

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

    def judged(self, ctx: Any) -> Any:
        self.seen.append((str(ctx.point), getattr(ctx, "kind", None)))
        if "STOP" in str(ctx.texts()):
            return Abort("rule 2", message=MESSAGE)
        ctx.texts().replace(lambda text: text.replace(SECRET, "[gone]"))
        return None


@pytest.fixture
def policies() -> Everything:
    return Everything()


@pytest.fixture
def manager(policies: Everything) -> HookManager:
    made = HookManager()
    made.register(policies)
    return made


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"x": [1]}},
        {"jsonrpc": "2.0", "id": "a", "method": "never/heard/of"},
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "what?"}},
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}},
    ],
)
async def test_what_is_not_judged_passes_as_it_came(
    connect: Any, manager: HookManager, message: Any
) -> None:
    async with connect(manager) as wire:
        assert await wire.client(message) is message


async def test_the_number_1_and_the_text_1_are_two_requests(connect: Any) -> None:
    manager, recorder = checked()
    async with connect(manager) as wire:
        await wire.client({**CALL, "params": {"name": "number"}})
        await wire.client({**CALL, "id": "1", "params": {"name": "text"}})
        await wire.server(rpc.result("1", RESULT))
        assert recorder.tools() == [("text", "ok")]
        await wire.server(rpc.result(1, RESULT))
    assert recorder.tools() == [("number", "ok"), ("text", "ok")]


@pytest.mark.parametrize("given", ["1", 1.0, True, 2, None])
async def test_an_answer_to_nothing_is_dropped(connect: Any, given: Any) -> None:
    manager, _ = checked()
    async with connect(manager) as wire:
        await wire.client(CALL)
        assert await wire.server(rpc.result(given, RESULT)) is None
        assert wire.notes == ["dropped an answer to nothing, from the server"]


async def test_a_second_answer_is_dropped(connect: Any) -> None:
    manager, _ = checked()
    async with connect(manager) as wire:
        await wire.client(CALL)
        await wire.server(rpc.result(1, RESULT))
        assert await wire.server(rpc.result(1, RESULT)) is None


async def test_an_answer_that_comes_before_the_call_was_let_through_is_dropped(
    connect: Any,
) -> None:
    manager, waiting = HookManager(), asyncio.Event()

    class Slow:
        @hookimpl
        async def pre_tool_call(self, ctx: Any) -> None:
            await waiting.wait()

    manager.register(Slow())
    async with connect(manager) as wire:
        call = asyncio.ensure_future(wire.client(CALL))
        await settle()
        assert await wire.server(rpc.result(1, RESULT)) is None
        waiting.set()
        assert await call is CALL
        assert await wire.server(rpc.result(1, RESULT)) is not None


async def test_an_id_that_is_under_way_is_not_taken_again(connect: Any) -> None:
    manager, recorder = checked()
    async with connect(manager) as wire:
        await wire.client(CALL)
        assert await wire.client({**CALL, "params": {"name": "y"}}) is None
        assert wire.at_client[-1]["error"]["code"] == rpc.INVALID_REQUEST
        await wire.server(rpc.result(1, RESULT))
    assert recorder.tools() == [("x", "ok")]


@pytest.mark.parametrize("method", ["tools/call", "tools/list", "resources/read", "prompts/get"])
async def test_a_judged_request_without_an_id_is_dropped(connect: Any, method: str) -> None:
    manager, _ = checked()
    async with connect(manager) as wire:
        message = {"jsonrpc": "2.0", "method": method, "params": {"name": "x", "uri": "x"}}
        assert await wire.client(message) is None


@pytest.mark.parametrize("given", [None, 1.5, True, [], {}])
async def test_a_request_with_an_odd_id_is_refused(connect: Any, given: Any) -> None:
    manager, _ = checked()
    async with connect(manager) as wire:
        assert await wire.client({**CALL, "id": given}) is None
        assert wire.at_client == [rpc.error(None, rpc.INVALID_REQUEST, "the id is no id")]


@pytest.mark.parametrize(
    "message",
    [
        {**CALL, "result": {}},
        {**CALL, "error": None},
        {"jsonrpc": "2.0", "id": 5},
        {"jsonrpc": "2.0", "id": 5, "result": 1, "error": {}},
        "text",
        5,
        None,
        {},
        {"jsonrpc": "2.0", "id": 5, "method": 7},
    ],
)
async def test_what_could_be_read_in_two_ways_goes_nowhere(connect: Any, message: Any) -> None:
    manager, _ = checked()
    async with connect(manager) as wire:
        assert await wire.client(message) is None
        assert len(wire.notes) == 1


async def test_who_waits_for_an_unusable_answer_is_told(connect: Any) -> None:
    manager, recorder = checked()
    async with connect(manager) as wire:
        await wire.client(CALL)
        await wire.server({"jsonrpc": "2.0", "id": 1, "result": RESULT, "error": {"code": 1}})
        assert wire.at_client[-1]["error"]["code"] == rpc.INTERNAL_ERROR
    assert recorder.tools() == [("x", "cancelled")]


async def test_a_cancelled_call_ends_and_its_late_answer_is_dropped(connect: Any) -> None:
    manager, recorder = checked()
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    async with connect(manager) as wire:
        await wire.client(CALL)
        assert await wire.client(cancel) is cancel
        assert recorder.tools() == [("x", "cancelled")]
        assert await wire.server(rpc.result(1, RESULT)) is None


async def test_a_call_that_is_cancelled_while_it_is_judged_never_reaches_the_server(
    connect: Any,
) -> None:
    class Slow:
        @hookimpl
        async def pre_tool_call(self, ctx: Any) -> None:
            await asyncio.Event().wait()

    manager, recorder = checked(Slow())
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    async with connect(manager) as wire:
        call = asyncio.ensure_future(wire.client(CALL))
        await settle()
        assert await wire.client(cancel) is None
        assert await call is None
    assert wire.at_server == []
    assert recorder.tools() == [("x", "cancelled")]


async def test_a_cancellation_of_another_id_takes_nothing_along(connect: Any) -> None:
    manager, recorder = checked()
    async with connect(manager) as wire:
        await wire.client(CALL)
        params = {"requestId": "1"}
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        assert await wire.client(cancel) is cancel
        await wire.server(rpc.result(1, RESULT))
    assert recorder.tools() == [("x", "ok")]


async def test_calls_that_are_open_end_with_the_session(connect: Any) -> None:
    manager, recorder = checked()
    async with connect(manager) as wire:
        await wire.client(CALL)
    assert recorder.tools() == [("x", "cancelled")]


RESOURCE = ("resources/read", {"uri": "file:///a"}, "mcp_resource")
PROMPT = ("prompts/get", {"name": "greet", "arguments": {"who": "x"}}, "mcp_prompt")


@pytest.mark.parametrize("read", [RESOURCE, PROMPT])
async def test_what_a_client_reads_is_a_step(
    connect: Any, manager: HookManager, policies: Everything, read: tuple[str, Any, str]
) -> None:
    method, params, kind = read
    async with connect(manager) as wire:
        answer = await wire.asks(method, params, {"result": {"contents": [{"text": SECRET}]}})
    assert answer["result"] == {"contents": [{"text": "[gone]"}]}
    assert policies.seen == [("pre_step", kind), ("post_step", kind)]


async def test_a_denied_resource_is_an_error_with_the_message(
    connect: Any, manager: HookManager
) -> None:
    async with connect(manager) as wire:
        answer = await wire.asks("resources/read", {"uri": "file:///STOP"}, {"result": {}})
    assert wire.at_server == []
    assert answer["error"]["code"] == rpc.REFUSED
    assert MESSAGE in answer["error"]["message"]


async def test_the_params_of_a_step_are_what_policies_left_with_the_meta_beside(
    connect: Any, manager: HookManager
) -> None:
    async with connect(manager) as wire:
        params = {"_meta": {"t": SECRET}, "name": "p", "arguments": {"q": SECRET}}
        await wire.asks("prompts/get", params, {"result": {}})
    sent = wire.at_server[0]["params"]
    assert sent == {"name": "p", "arguments": {"q": "[gone]"}, "_meta": {"t": SECRET}}


async def test_an_error_of_a_resource_is_judged_too(connect: Any, manager: HookManager) -> None:
    async with connect(manager) as wire:
        error = {"code": -32002, "message": f"no {SECRET}"}
        answer = await wire.asks("resources/read", {"uri": "x"}, {"error": error})
    assert answer["error"] == {"code": -32002, "message": "no [gone]"}


async def test_sampling_is_a_model_call(
    connect: Any, manager: HookManager, policies: Everything
) -> None:
    request = {
        "jsonrpc": "2.0",
        "id": 9,
        "method": "sampling/createMessage",
        "params": {
            "messages": [{"role": "user", "content": {"type": "text", "text": SECRET}}],
            "systemPrompt": f"never say {SECRET}",
            "maxTokens": 5,
        },
    }
    async with connect(manager) as wire:
        sent = await wire.server(request)
        reply = {**SAMPLED, "content": {"type": "text", "text": f"it is {SECRET}"}}
        answer = await wire.client(rpc.result(9, reply))
    assert sent["params"] == {
        "messages": [{"role": "user", "content": {"type": "text", "text": "[gone]"}}],
        "systemPrompt": "never say [gone]",
        "maxTokens": 5,
    }
    assert answer["result"] == {**SAMPLED, "content": {"type": "text", "text": "it is [gone]"}}
    assert [point for point, _ in policies.seen] == ["pre_model_call", "post_model_call"]


async def test_denied_sampling_is_an_error_for_the_server(
    connect: Any, manager: HookManager
) -> None:
    messages = [{"role": "user", "content": {"type": "text", "text": "STOP"}}]
    async with connect(manager) as wire:
        request = {"jsonrpc": "2.0", "id": 9, "method": "sampling/createMessage"}
        assert await wire.server({**request, "params": {"messages": messages}}) is None
    assert wire.at_client == []
    assert MESSAGE in wire.at_server[0]["error"]["message"]


@pytest.mark.parametrize("value", ["from a policy", ModelResponse("from a policy")])
async def test_a_policy_may_answer_a_sampling_request(connect: Any, value: Any) -> None:
    class Answering:
        @hookimpl
        async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
            return value

    manager = HookManager()
    manager.register(Answering())
    request = {"jsonrpc": "2.0", "id": 9, "method": "sampling/createMessage"}
    async with connect(manager) as wire:
        await wire.server({**request, "params": {"messages": []}})
    assert wire.at_server[0]["result"]["content"] == {"type": "text", "text": "from a policy"}
    assert wire.at_server[0]["result"]["role"] == "assistant"


async def test_the_same_id_in_both_directions_is_two_requests(connect: Any) -> None:
    manager, recorder = checked()
    async with connect(manager) as wire:
        await wire.client(CALL)
        request = {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage"}
        assert await wire.server({**request, "params": {"messages": []}}) is not None
        assert await wire.client(rpc.result(1, SAMPLED)) is not None
        assert await wire.server(rpc.result(1, RESULT)) is not None
    assert recorder.statuses("model_finished") == ["ok"]
    assert recorder.tools() == [("x", "ok")]


async def test_a_failed_sampling_passes_and_ends_the_call(connect: Any) -> None:
    manager, recorder = checked()
    request = {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage"}
    async with connect(manager) as wire:
        await wire.server({**request, "params": {"messages": []}})
        answer = rpc.error(1, rpc.REFUSED, "the person says no")
        assert await wire.client(answer) is answer
    assert recorder.statuses("model_finished") == ["cancelled"]


async def test_what_a_server_asks_a_person_is_a_step(
    connect: Any, manager: HookManager, policies: Everything
) -> None:
    request = {"jsonrpc": "2.0", "id": 2, "method": "elicitation/create"}
    async with connect(manager) as wire:
        await wire.server({**request, "params": {"message": "who?", "requestedSchema": {}}})
        reply = {"action": "accept", "content": {"password": SECRET}}
        answer = await wire.client(rpc.result(2, reply))
    assert answer["result"] == {"action": "accept", "content": {"password": "[gone]"}}
    assert policies.seen == [("pre_step", "mcp_elicitation"), ("post_step", "mcp_elicitation")]


async def test_a_denied_question_is_declined(connect: Any, manager: HookManager) -> None:
    request = {"jsonrpc": "2.0", "id": 2, "method": "elicitation/create"}
    async with connect(manager) as wire:
        await wire.server({**request, "params": {"message": "STOP"}})
    assert wire.at_client == []
    assert wire.at_server == [rpc.result(2, {"action": "decline"})]


async def test_what_a_server_prints_is_not_answered(connect: Any) -> None:
    async with connect(HookManager()) as wire:
        for junk in ("text", {}, {"id": 7}, {"id": 7, "result": 1, "error": 2}, None):
            assert await wire.server(junk) is None
    assert wire.at_server == []


async def test_a_call_whose_judgement_is_cut_off_leaves_its_id_free(connect: Any) -> None:
    waiting = asyncio.Event()

    class Slow:
        @hookimpl
        async def pre_tool_call(self, ctx: Any) -> None:
            await waiting.wait()

    manager, recorder = checked(Slow())
    async with connect(manager) as wire:
        call = asyncio.ensure_future(wire.client(CALL))
        await settle()
        call.cancel()
        await asyncio.wait({call})
        waiting.set()
        assert await wire.client(CALL) is CALL
    assert recorder.tools() == [("x", "cancelled"), ("x", "cancelled")]
