from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import Abort, hookimpl
from hookcore.hosting.checks import MESSAGE, REASON, SECRET, Office, PolicyBrokenError, checked

if find_spec("mcp"):
    from mcp.client.client import Client
    from mcp.server.mcpserver import Context
    from mcp.shared.exceptions import MCPError
    from pydantic import BaseModel

    class Person(BaseModel):
        name: str
        note: str

    class Name(BaseModel):
        name: str


pytestmark = pytest.mark.asyncio

MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


def text(result: Any) -> str:
    return "\n".join(part.text for part in result.content)


@MODES
async def test_a_denied_tool_never_starts_and_the_client_reads_the_message(
    mode: str, connect: Any, office: Office
) -> None:
    manager, recorder = checked()
    async with connect(manager, mode=mode) as client:
        result = await client.call_tool("danger", {"x": "1"})
    assert office.calls == []
    assert result.is_error
    assert MESSAGE in text(result)
    assert REASON not in repr(result)
    assert recorder.tools() == [("danger", "denied")]


@MODES
async def test_rewritten_input_and_a_replaced_result_are_what_is_used(
    mode: str, connect: Any, office: Office
) -> None:
    manager, recorder = checked()
    async with connect(manager, mode=mode) as client:
        added = await client.call_tool("add", {"a": 1, "b": 2})
        looked = await client.call_tool("lookup", {"key": "k"})
    assert office.calls == [("add", 11, 2), ("lookup", "k")]
    assert text(added) == "13"
    assert text(looked) == "[replaced]"
    assert looked.structured_content in (None, {"result": "[replaced]"})
    assert recorder.tools() == [("add", "ok"), ("lookup", "ok")]


@MODES
async def test_a_redacted_result_is_redacted_wherever_it_is_told(
    mode: str, end: str, server: Callable[..., Any]
) -> None:
    from hookcore_mcp import install, middleware

    class Redacting:
        @hookimpl
        def post_tool_call(self, ctx: Any) -> None:
            ctx.texts().replace(lambda found: found.replace(SECRET, "[gone]"))

    def person(name: str) -> Person:
        return Person(name=name, note=f"the password is {SECRET}")

    manager, _ = checked(Redacting())
    made = server(middleware=[middleware(manager)] if end == "server" else [])
    made.tool()(person)
    if end == "client":
        install(manager)
    async with Client(made, mode=mode) as client:
        plain = await client.call_tool("secret", {"key": "k"})
        whole = await client.call_tool("person", {"name": "ana"})
    assert text(plain) == "the password is [gone]"
    assert whole.structured_content == {"name": "ana", "note": "the password is [gone]"}
    assert SECRET not in repr([plain, whole])


@MODES
async def test_a_tools_own_failure_goes_on_as_it_is_and_is_seen(
    mode: str, connect: Any, office: Office
) -> None:
    manager, recorder = checked()
    async with connect(manager, mode=mode) as client:
        result = await client.call_tool("fails", {"x": "1"})
    assert result.is_error
    assert "fails" in text(result)
    assert recorder.tools() == [("fails", "error")]
    assert [ending.error for ending in recorder.endings] == ["ToolFailedError"]


@MODES
async def test_a_policys_failure_is_no_result_of_a_tool(
    mode: str, end: str, connect: Any, office: Office
) -> None:
    manager, recorder = checked()
    async with connect(manager, mode=mode) as client:
        with pytest.raises(MCPError if end == "server" else PolicyBrokenError) as caught:
            await client.call_tool("broken", {"x": "1"})
    assert office.calls == []
    assert end == "client" or "policy is broken" not in str(caught.value)
    assert recorder.tools() == [("broken", "error")]


async def test_an_unknown_tool_is_refused_as_ever(connect: Any) -> None:
    manager, recorder = checked()
    async with connect(manager) as client:
        try:
            result = await client.call_tool("nothing", {})
            told = text(result)
        except MCPError as error:
            told = str(error)
    assert "nothing" in told
    assert recorder.tools() == [("nothing", "error")]


@MODES
async def test_parallel_calls_end_once_each(mode: str, connect: Any, office: Office) -> None:
    manager, recorder = checked()
    async with connect(manager, mode=mode) as client:
        calls = [client.call_tool("slow", {"n": 3}) for _ in range(3)]
        await asyncio.gather(*calls, client.call_tool("danger", {"x": ""}))
    assert office.at_once == 3
    assert recorder.tools() == [("danger", "denied")] + [("slow", "ok")] * 3
    assert len({ending.call_id for ending in recorder.endings}) == 4


@MODES
async def test_a_cancelled_call_ends_once(mode: str, connect: Any, office: Office) -> None:
    manager, recorder = checked()
    ended = asyncio.Event()

    class Told:
        @hookimpl
        def tool_finished(self, ctx: Any) -> None:
            ended.set()

    manager.register(Told())
    async with connect(manager, mode=mode) as client:
        task = asyncio.create_task(client.call_tool("slow", {"n": 2}))
        await office.started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await ended.wait()
    assert recorder.tools() == [("slow", "cancelled")]


async def test_what_a_tool_asks_a_person_passes(end: str, server: Callable[..., Any]) -> None:
    from mcp_types import ElicitResult

    from hookcore_mcp import install, middleware

    async def who(ctx: Context) -> str:
        return str((await ctx.elicit("name?", Name)).data.name)

    async def answer(context: Any, params: Any) -> Any:
        return ElicitResult(action="accept", content={"name": "ana"})

    manager, recorder = checked()
    made = server(middleware=[middleware(manager)] if end == "server" else [])
    made.tool()(who)
    if end == "client":
        install(manager)
    async with Client(made, mode="legacy", elicitation_callback=answer) as client:
        assert text(await client.call_tool("who", {})) == "ana"
    assert recorder.tools() == [("who", "ok")]


async def test_a_call_that_an_agents_tool_call_makes_is_judged_once(
    server: Callable[..., Any], office: Office
) -> None:
    from hookcore_mcp import install

    manager, recorder = checked()
    install(manager)
    async with Client(server()) as client:

        async def body(given: dict[str, Any]) -> Any:
            return text(await client.call_tool("add", given))

        assert await manager.acall_tool("add", {"a": 1, "b": 2}, body) == "13"
    assert office.calls == [("add", 11, 2)]
    assert recorder.tools() == [("add", "ok")]


async def test_clients_keep_runs_and_scopes_apart(server: Callable[..., Any]) -> None:
    from hookcore_mcp import install

    class NoAdd:
        @hookimpl(tools=["add"], gate=True)
        def pre_tool_call(self, ctx: Any) -> Any:
            return Abort(REASON, message=MESSAGE)

    manager, recorder = checked()
    install(manager)

    async def one(*, scoped: bool) -> bool:
        scope = manager.scope(NoAdd()) if scoped else nullcontext()
        async with Client(server()) as client, manager.run():
            with scope:
                result = await client.call_tool("add", {"a": 1, "b": 1})
        return bool(result.is_error)

    wanted = [bool(at % 2) for at in range(6)]
    assert await asyncio.gather(*[one(scoped=scoped) for scoped in wanted]) == wanted
    ends = [ending for ending in recorder.endings if ending.point == "tool_finished"]
    assert len({ending.run_id for ending in ends}) == 6


async def test_uninstall_puts_the_sdks_own_back(server: Callable[..., Any], office: Office) -> None:
    from hookcore_mcp import install, uninstall

    first, recorder = checked()
    second, other = checked()
    install(first)
    install(second)  # only the manager changes
    async with Client(server()) as client:
        await client.call_tool("danger", {"x": "1"})
        uninstall()
        uninstall()
        await client.call_tool("danger", {"x": "2"})
    assert recorder.tools() == []
    assert other.tools() == [("danger", "denied")]
    assert office.calls == [("danger", "2")]


async def test_other_requests_pass(connect: Any) -> None:
    manager, recorder = checked()
    async with connect(manager) as client:
        assert len((await client.list_tools()).tools) == 7
    assert recorder.endings == []


async def test_a_wrap_may_answer_in_the_tools_place(connect: Any, office: Office) -> None:
    class Answering:
        @hookimpl(tools=["plain"])
        async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
            return "from the wrap"

    manager, _ = checked(Answering())
    async with connect(manager) as client:
        result = await client.call_tool("plain", {})
    assert text(result) == "from the wrap"


async def test_a_servers_request_for_input_is_no_result_of_the_tool(
    monkeypatch: pytest.MonkeyPatch,  # undone after what is installed over it
    server: Callable[..., Any],
) -> None:
    from mcp.client.session import ClientSession
    from mcp_types import InputRequiredResult

    from hookcore_mcp import install, middleware

    class Answering:
        @hookimpl
        def post_tool_call(self, ctx: Any) -> Any:
            return "answered"

    wanted = InputRequiredResult(request_state="s")

    @dataclass
    class Request:
        method: str = "tools/call"
        request_id: int = 1
        params: Any = None

    async def call_next(ctx: Any) -> Any:
        return wanted

    async def send_request(self: Any, request: Any, *args: Any, **options: Any) -> Any:
        return wanted if request.method == "tools/call" else await own(self, request, *args)

    own = ClientSession.send_request

    manager, recorder = checked(Answering())
    request = Request(params={"name": "who"})
    assert await middleware(manager)(request, call_next) is wanted
    monkeypatch.setattr(ClientSession, "send_request", send_request)
    install(manager)
    async with Client(server()) as client:
        answer = await client.session.call_tool("who", {}, allow_input_required=True)
    assert answer is wanted
    assert recorder.tools() == [("who", "cancelled"), ("who", "cancelled")]
