from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookManager, ModelCallContext
from hookcore.hosting import inside_model, inside_tool, is_inside_model, is_inside_tool

HELLO = [{"role": "user", "content": "hello"}]


class Client:
    """A model client with an adapter of its own, below that of an agent framework."""

    def __init__(self, manager: HookManager) -> None:
        self._manager = manager
        self.sent: list[Any] = []

    def create(self, messages: Any, model: str | None = None) -> str:
        if is_inside_model(self._manager, messages, model=model):
            return self._send(messages)
        return str(self._manager.call_model(messages, self._send, model=model))

    def _send(self, messages: Any) -> str:
        self.sent.append(messages)
        return "hi"


class Server:
    """A tool client with an adapter of its own."""

    def __init__(self, manager: HookManager) -> None:
        self._manager = manager

    def call(self, name: str, arguments: Any, call_id: str | None = None) -> Any:
        if is_inside_tool(self._manager, name, arguments, call_id=call_id):
            return arguments
        return self._manager.call_tool(name, arguments, lambda given: given, call_id=call_id)


@pytest.fixture
def dispatched(add: Callable[..., str]) -> list[Any]:
    """Return the list of the tools and models whose calls were dispatched."""
    seen: list[Any] = []
    add("pre_tool_call", lambda ctx: seen.append(ctx.tool_name))
    add("pre_model_call", lambda ctx: seen.append(ctx.model))
    return seen


@pytest.fixture
def client(manager: HookManager) -> Client:
    """Return a governed model client."""
    return Client(manager)


@pytest.fixture
def server(manager: HookManager) -> Server:
    """Return a governed tool client."""
    return Server(manager)


def test_a_model_call_below_another_adapter_is_dispatched_once(
    manager: HookManager, client: Client, dispatched: list[Any]
) -> None:
    assert manager.call_model(HELLO, client.create, model="small") == "hi"
    assert (dispatched, client.sent) == (["small"], [HELLO])


def test_alone_the_lower_adapter_dispatches(client: Client, dispatched: list[Any]) -> None:
    client.create(HELLO, model="small")
    assert dispatched == ["small"]


def test_a_request_in_another_shape_is_the_same_one(
    manager: HookManager, client: Client, dispatched: list[Any]
) -> None:
    judged = [
        {"role": "system", "content": "be kind"},
        {"role": "user", "parts": [{"text": "one"}, {"text": "two"}]},
        {"role": "model", "parts": [{"function_call": {"name": "add", "args": {"a": "x"}}}]},
    ]
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": '{"a":"x"}'}}
    sent = [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "one\ntwo"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    manager.call_model(judged, lambda messages: client.create(sent))
    assert dispatched == [None]


def test_what_was_not_judged_is_another_request(
    manager: HookManager, client: Client, dispatched: list[Any]
) -> None:
    more = [*HELLO, {"role": "user", "content": "and the password"}]
    manager.call_model(HELLO, lambda messages: client.create(more))
    assert dispatched == [None, None]


def test_what_cannot_be_read_is_another_request(
    manager: HookManager, client: Client, dispatched: list[Any]
) -> None:
    manager.call_model(HELLO, lambda messages: client.create([{1, 2}]))
    assert len(dispatched) == 2


def test_a_call_of_another_model_is_another_call(
    manager: HookManager, client: Client, dispatched: list[Any]
) -> None:
    manager.call_model(HELLO, lambda messages: client.create(messages, "large"), model="small")
    assert dispatched == ["small", "large"]


def test_a_request_that_hooks_have_changed_is_the_one_that_is_inside(
    manager: HookManager, client: Client, dispatched: list[Any], add: Callable[..., str]
) -> None:
    redacted = [{"role": "user", "content": "[gone]"}]
    add("pre_model_call", lambda ctx: list(redacted))
    manager.call_model([dict(HELLO[0])], lambda messages: client.create(list(redacted)))
    assert (len(dispatched), client.sent) == (1, [redacted])
    manager.call_model([dict(HELLO[0])], lambda messages: client.create(list(HELLO)))
    assert len(dispatched) == 3


def test_a_tool_call_below_another_adapter_is_dispatched_once(
    manager: HookManager, server: Server, dispatched: list[Any]
) -> None:
    manager.call_tool("search", {"q": 1}, lambda given: server.call("search", {"q": 1}))
    assert dispatched == ["search"]


@pytest.mark.parametrize(
    ("name", "arguments", "call_id"),
    [("delete", {"q": 1}, None), ("search", {"q": 2}, None), ("search", {"q": 1}, "c2")],
)
def test_another_tool_call_in_a_tool_is_dispatched(  # noqa: PLR0917 - fixtures and parameters
    manager: HookManager,
    server: Server,
    dispatched: list[Any],
    name: str,
    arguments: Any,
    call_id: str | None,
) -> None:
    body = lambda given: server.call(name, arguments, call_id)  # noqa: E731
    manager.call_tool("search", {"q": 1}, body, call_id="c1")
    assert dispatched == ["search", name]


def test_a_sub_agents_calls_are_dispatched(
    manager: HookManager, server: Server, client: Client, dispatched: list[Any]
) -> None:
    def sub_agent(given: Any) -> Any:
        with manager.run(agent="sub") as run:
            client.create(HELLO, "small")
            run.result = server.call("ask", given)  # the same tool, asked the same, by another
        return run.result

    manager.call_tool("ask", {"q": 1}, sub_agent)
    assert dispatched == ["ask", "small", "ask"]


def test_a_tool_in_a_model_is_no_model_call(
    manager: HookManager, server: Server, dispatched: list[Any]
) -> None:
    manager.call_model(HELLO, lambda messages: server.call("search", {"q": 1}), model="small")
    assert dispatched == ["small", "search"]


def test_threads_that_are_started_with_the_context_are_inside(
    manager: HookManager, client: Client, dispatched: list[Any]
) -> None:
    def body(messages: Any) -> str:
        context = contextvars.copy_context()
        thread = threading.Thread(target=lambda: context.run(client.create, messages))
        thread.start()
        thread.join()
        return "hi"

    manager.call_model(HELLO, body)
    assert dispatched == [None]


def test_what_a_body_leaves_running_is_inside_no_more(
    manager: HookManager, client: Client, dispatched: list[Any]
) -> None:
    async def main() -> None:
        go_on = asyncio.Event()
        left: list[asyncio.Task[Any]] = []

        async def later() -> None:
            await go_on.wait()
            client.create(HELLO)

        async def body(messages: Any) -> str:
            left.append(asyncio.create_task(later()))
            return "hi"

        await manager.acall_model(HELLO, body)
        go_on.set()
        await left[0]

    asyncio.run(main())
    assert dispatched == [None, None]


def test_an_async_body_is_inside_until_it_ends(
    manager: HookManager, client: Client, dispatched: list[Any]
) -> None:
    async def main() -> None:
        async def body(messages: Any) -> str:
            await asyncio.sleep(0)
            return client.create(messages)

        await asyncio.gather(*(manager.acall_model(HELLO, body) for _ in range(3)))
        client.create(HELLO)

    asyncio.run(main())
    assert len(dispatched) == 4


def test_each_step_of_a_stream_is_inside_and_its_consumer_never(
    manager: HookManager, client: Client, dispatched: list[Any]
) -> None:
    async def body(messages: Any) -> Any:
        for _ in range(2):
            yield client.create(messages)

    async def main() -> None:
        async for _ in manager.astream_model(HELLO, body):
            assert not is_inside_model(manager, HELLO)

    asyncio.run(main())
    assert (dispatched, client.sent) == ([None], [HELLO, HELLO])


def test_a_host_with_a_boundary_of_its_own_sets_the_mark_itself(manager: HookManager) -> None:
    with inside_tool(manager, "search", {"q": 1}, call_id="c1"):
        assert is_inside_tool(manager, "search", {"q": 1})
        assert is_inside_tool(manager, "search", {"q": 1}, call_id="c1")
        assert not is_inside_model(manager, HELLO)
        with inside_model(manager, HELLO, model="small"):
            assert is_inside_model(manager, HELLO)
            assert not is_inside_tool(manager, "search", {"q": 1})
        assert is_inside_tool(manager, "search", {"q": 1})
    assert not is_inside_tool(manager, "search", {"q": 1})


def test_a_call_that_another_manager_judged_is_dispatched(
    manager: HookManager, client: Client, dispatched: list[Any]
) -> None:
    HookManager().call_model(HELLO, client.create)
    assert dispatched == [None]


def test_a_call_in_a_scope_with_more_policies_is_dispatched(
    manager: HookManager, client: Client, make_plugin: Callable[..., Any]
) -> None:
    scoped: list[Any] = []

    def body(messages: Any) -> str:
        with manager.scope(make_plugin("pre_model_call", scoped.append)):
            return client.create(messages)

    manager.call_model(HELLO, body)
    assert len(scoped) == 1


def test_a_body_reads_tools_and_model_as_the_hooks_left_them(
    manager: HookManager, add: Callable[..., str]
) -> None:
    def cheaper(ctx: Any) -> None:
        ctx.model = "small"
        ctx.tools = [tool for tool in ctx.tools if tool != "rm"]

    add("pre_model_call", cheaper)
    add("pre_model_call", lambda ctx: None, gate=True)
    ctx = ModelCallContext(messages=list(HELLO), model="large", tools=["ls", "rm"])
    assert manager.call_model(ctx, lambda messages: (ctx.model, ctx.tools)) == ("small", ["ls"])
