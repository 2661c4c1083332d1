"""FastMCP's servers, governed by their middleware or in the whole process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import HookManager, hookimpl
from hookcore.hosting.checks import (
    MESSAGE,
    REASON,
    Office,
    PolicyBrokenError,
    checked,
    run_governed,
)

if find_spec("fastmcp"):
    from fastmcp import Client, FastMCP
    from fastmcp.exceptions import ToolError
    from fastmcp.server.middleware import Middleware
    from mcp.shared.exceptions import MCPError

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(
        not find_spec("fastmcp"), reason="fastmcp is not installed: see .ci/hosts/mcp.txt"
    ),
]

Make = Callable[..., Any]


@pytest.fixture(params=["middleware", "process"])
def make(request: pytest.FixtureRequest, office: Office) -> Iterator[Make]:
    """Return what makes a server with the office's tools, governed by a manager."""
    from hookcore_mcp import fastmcp_middleware, install_fastmcp, uninstall

    def made(manager: HookManager, *middleware: Any, name: str = "office", **options: Any) -> Any:
        own = list(middleware)
        if request.param == "middleware":
            own.append(fastmcp_middleware(manager))
        else:
            install_fastmcp(manager)
        server: Any = FastMCP(name, middleware=own, **options)
        for tool in ("add", "danger", "lookup", "secret", "fails", "broken", "slow"):
            server.tool(getattr(office, tool), name=tool)
        return server

    yield made
    uninstall()


class Called:
    """Notes the calls that were judged, by name and other names."""

    def __init__(self) -> None:
        self.told: list[tuple[str, list[str], Any]] = []
        self.inputs: list[Any] = []

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: Any) -> None:
        aliases = list(ctx.attributes.get("tool_aliases", ()))
        self.told.append((ctx.tool_name, aliases, ctx.call_id))
        self.inputs.append(dict(ctx.tool_input))


async def test_a_call_through_a_client_is_judged_once_and_a_denial_is_read(
    make: Make, office: Office
) -> None:
    manager, recorder = checked()
    server = make(manager)
    async with Client(server) as client:
        denied = await client.call_tool_mcp("danger", {"x": "1"})
        added = await client.call_tool("add", {"a": 1, "b": 2})
        looked = await client.call_tool_mcp("lookup", {"key": "k"})
        failed = await client.call_tool_mcp("fails", {"x": "1"})
    assert office.calls[:2] == [("add", 11, 2), ("lookup", "k")]
    assert denied.is_error
    assert MESSAGE in denied.content[0].text
    assert REASON not in repr(denied)
    assert added.content[0].text == "13"
    assert "[replaced]" in repr(looked)
    assert "raw-value" not in repr(looked)
    assert failed.is_error
    assert sorted({*recorder.tools()}) == [
        ("add", "ok"),
        ("danger", "denied"),
        ("fails", "error"),
        ("lookup", "ok"),
    ]


async def test_a_call_of_the_programs_own_is_judged_too(make: Make, office: Office) -> None:
    manager, recorder = checked()
    server = make(manager)
    denied = await server.call_tool("danger", {"x": "1"})
    assert denied.is_error
    assert MESSAGE in denied.content[0].text
    with pytest.raises(ToolError):
        await server.call_tool("fails", {"x": "1"})
    with pytest.raises(MCPError, match="could not be judged") as caught:
        await server.call_tool("broken", {"x": "1"})
    assert isinstance(caught.value.__cause__, PolicyBrokenError)
    assert office.names() == ["fails"]
    assert recorder.tools() == [("broken", "error"), ("danger", "denied"), ("fails", "error")]


async def test_with_clients_and_all_servers_each_end_judges_once(office: Office) -> None:
    from hookcore_mcp import install_all, install_fastmcp, uninstall

    called = Called()
    manager = HookManager()
    manager.register(called)
    install_all(manager)
    install_fastmcp(manager)
    server: Any = FastMCP("office")
    server.tool(office.secret, name="secret")
    outer: Any = FastMCP("outer")
    outer.mount(server, namespace="a")
    try:
        async with Client(outer) as client:
            await client.call_tool("a_secret", {"key": "k"})
    finally:
        uninstall()
    assert [told[:2] for told in called.told] == [("a_secret", []), ("a_secret", ["secret"])]


async def test_a_mounted_servers_tool_is_judged_once_under_all_of_its_names(
    make: Make, office: Office
) -> None:
    called = Called()
    manager, recorder = checked(called)
    inner = make(manager, name="inner")
    middle: Any = FastMCP("middle")
    middle.mount(inner, namespace="b")
    outer = make(manager, name="outer")
    outer.mount(middle, namespace="a")
    added = await outer.call_tool("a_b_add", {"a": 1, "b": 2})
    denied = await outer.call_tool("a_b_danger", {"x": "1"})
    assert called.told[0][:2] == ("a_b_add", ["b_add", "add"])
    assert added.content[0].text == "13"  # rewritten once
    assert denied.is_error
    assert "danger" not in office.names()
    assert recorder.tools() == [("a_b_add", "ok"), ("a_b_danger", "denied")]


async def test_a_tool_that_is_made_of_another_is_judged_by_that_name_too(
    make: Make, office: Office
) -> None:
    manager, recorder = checked()
    server = make(manager)
    harmless = type(await server.get_tool("danger")).from_tool
    server.add_tool(harmless(await server.get_tool("danger"), name="harmless"))
    result = await server.call_tool("harmless", {"x": "1"})
    assert result.is_error
    assert office.calls == []
    assert recorder.tools() == [("harmless", "denied")]


async def test_what_middleware_changes_is_judged_again(make: Make, office: Office) -> None:
    class Renaming(Middleware):  # type: ignore[misc]
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            message = context.message.model_copy(update={"name": "danger"})
            return await call_next(context.copy(message=message))

    manager, recorder = checked()
    server = make(manager, Renaming())
    result = await server.call_tool("secret", {"x": "1"})
    assert MESSAGE in result.content[0].text
    assert office.calls == []
    assert ("danger", "denied") in recorder.tools()


async def test_gates_see_defaults_and_calls_within_a_request_have_ids_of_their_own(
    make: Make,
) -> None:
    called = Called()
    manager = HookManager()
    manager.register(called)
    server = make(manager)

    async def outer(n: int, unit: str = "km") -> str:
        found = await server.call_tool("lookup", {"key": unit})
        return f"{n} {found.content[0].text}"

    server.tool(outer)
    async with Client(server) as client:
        await client.call_tool("outer", {"n": 1})
    by_name = {name: call_id for name, _, call_id in called.told}
    assert {"n": 1, "unit": "km"} in called.inputs
    assert len(set(by_name.values())) == 2


async def test_resources_and_prompts_are_steps(make: Make, texts: Any, furnish: Any) -> None:
    manager = HookManager()
    manager.register(texts)
    server = make(manager)
    furnish(server)
    async with Client(server) as client:
        (read,) = await client.read_resource("note://plain")
        (raw,) = await client.read_resource("note://ana/bytes")
        prompt = await client.get_prompt("ask", {"about": "cats"})
        for denied in (
            client.read_resource("note://forbidden"),
            client.get_prompt("forbidden"),
        ):
            with pytest.raises(MCPError, match=MESSAGE) as caught:
                await denied
            assert REASON not in str(caught.value)
    own = await server.read_resource("note://plain")
    assert read.text == own.contents[0].content == "the password is [gone]"
    assert raw.blob == "YW5h"
    assert prompt.messages[0].content.text == "Tell me of cats, [gone]."
    assert ("mcp_resource", "note://plain", {"uri": "note://plain"}) in texts.steps
    assert ("mcp_prompt", "ask", {"name": "ask", "arguments": {"about": "cats"}}) in texts.steps
    assert ("note://forbidden", "denied") in texts.ended


async def test_a_proxy_judges_what_it_passes_on(make: Make, office: Office) -> None:
    from fastmcp.server import create_proxy

    plain: Any = FastMCP("behind")
    plain.tool(office.danger, name="danger")
    plain.tool(office.add, name="add")
    manager, recorder = checked()
    server = make(manager)
    server.mount(create_proxy(plain), namespace="far")
    async with Client(server) as client:
        denied = await client.call_tool_mcp("far_danger", {"x": "1"})
    assert denied.is_error
    assert office.calls == []
    assert recorder.tools()[0][1] == "denied"


async def test_parallel_calls_end_once_each(make: Make, office: Office) -> None:
    manager, recorder = checked()
    async with Client(make(manager)) as client:
        await asyncio.gather(*[client.call_tool("slow", {"n": 3}) for _ in range(3)])
    assert office.at_once == 3
    assert {*recorder.tools()} == {("slow", "ok")}


async def test_a_cancelled_call_ends_once(make: Make, office: Office) -> None:
    manager, recorder = checked()
    server = make(manager)
    task = asyncio.create_task(server.call_tool("slow", {"n": 2}))
    await office.started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert recorder.tools() == [("slow", "cancelled")]


PROGRAM = """
import asyncio

from fastmcp import Client, FastMCP

server = FastMCP("office")


@server.tool
def danger(x: str) -> str:
    raise SystemExit("the tool ran")


async def main():
    async with Client(server) as client:
        by_client = await client.call_tool_mcp("danger", {"x": "1"})
    print(by_client.content, (await server.call_tool("danger", {"x": "1"})).content)


asyncio.run(main())
"""


async def test_an_unchanged_program_is_governed(tmp_path: Any) -> None:
    assert run_governed(tmp_path, PROGRAM, "fastmcp").count("denied by tool-policy") == 2
