"""Resources and prompts of the SDK's own servers and clients, and requests that clients write."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import HookManager, hookimpl
from hookcore.hosting.checks import MESSAGE, REASON, SECRET, Office, checked

if find_spec("mcp"):
    import mcp_types as types
    from mcp.client.client import Client
    from mcp.shared.exceptions import MCPError

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_resources_and_prompts_are_steps_at_either_end(
    mode: str, end: str, server: Callable[..., Any], texts: Any, furnish: Any
) -> None:
    from hookcore_mcp import install, middleware

    manager = HookManager()
    manager.register(texts)
    made = server(middleware=[middleware(manager)] if end == "server" else [])
    furnish(made)
    if end == "client":
        install(manager)
    async with Client(made, mode=mode) as client:
        read = await client.read_resource("note://plain")
        prompt = await client.get_prompt("ask", {"about": "cats"})
        for denied in (client.read_resource("note://forbidden"), client.get_prompt("forbidden")):
            with pytest.raises(MCPError, match=MESSAGE) as caught:
                await denied
            assert REASON not in str(caught.value)
        with pytest.raises(MCPError):
            await client.read_resource("note://broken")
    assert read.contents[0].text == "the password is [gone]"
    assert prompt.messages[0].content.text == "Tell me of cats, [gone]."
    assert texts.steps[:2] == [
        ("mcp_resource", "note://plain", {"uri": "note://plain"}),
        ("mcp_prompt", "ask", {"name": "ask", "arguments": {"about": "cats"}}),
    ]
    assert texts.ended == [
        ("note://plain", "ok"),
        ("ask", "ok"),
        ("note://forbidden", "denied"),
        ("forbidden", "denied"),
        ("note://broken", "error"),
    ]


async def test_what_a_policy_asks_for_instead_is_what_is_read(
    end: str, server: Callable[..., Any], furnish: Any, office: Office
) -> None:
    from hookcore_mcp import install, middleware

    class Elsewhere:
        @hookimpl
        def pre_step(self, ctx: Any) -> Any:
            return {"uri": "note://plain"}

    manager = HookManager()
    manager.register(Elsewhere())
    made = server(middleware=[middleware(manager)] if end == "server" else [])
    furnish(made)
    if end == "client":
        install(manager)
    async with Client(made) as client:
        read = await client.read_resource("note://forbidden")
    assert SECRET in read.contents[0].text


async def test_a_request_that_a_client_writes_itself_is_judged(
    server: Callable[..., Any], office: Office
) -> None:
    from hookcore_mcp import install

    manager, recorder = checked()
    install(manager)
    async with Client(server()) as client:
        params = types.CallToolRequestParams(name="danger", arguments={"x": "1"})
        request = types.CallToolRequest(params=params)
        result = await client.session.send_request(request, types.CallToolResult)
    assert result.is_error
    assert office.calls == []
    assert recorder.tools() == [("danger", "denied")]


async def test_of_a_call_that_goes_on_as_a_task_the_log_says_that_nobody_sees_its_result(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    from hookcore_mcp import judging

    class Looking:
        @hookimpl
        def post_tool_call(self, ctx: Any) -> None: ...

    manager = HookManager()
    manager.register(Looking())
    task = {"task": {"taskId": "t"}}

    async def run(params: Any) -> Any:
        return task

    judging._tell_of_later.cache_clear()
    with caplog.at_level(logging.WARNING):
        assert await judging.judge(manager, "tools/call", {"name": "slow"}, run) is task
    assert "go on as tasks" in caplog.text
