from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

import hookcore
from hookcore import hookimpl
from hookcore.hosting.checks import MESSAGE, REASON, SECRET, checked

if find_spec("mcp"):
    import mcp_types as types
    from mcp.client.client import Client
    from mcp.server.mcpserver import Context
    from mcp.shared.exceptions import MCPError

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.filterwarnings("ignore:.*sampling:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*SEP-2577"),
]


async def asked(
    server: Callable[..., Any],
    manager: Any,
    question: str,
    answer: str,
    *,
    wraps: bool = True,
) -> Any:
    """Let a tool of a server ask the client's model; return the tool's result and what was sent."""
    from hookcore_mcp import sampling

    sent: list[Any] = []

    async def ask(ctx: Context, question: str) -> str:
        content = types.TextContent(type="text", text=question)
        message = types.SamplingMessage(role="user", content=content)
        options = {"max_tokens": 5, "system_prompt": f"be good, {SECRET}"}
        try:
            result = await ctx.session.create_message([message], **options)
        except MCPError as error:
            return f"refused: {error}"
        return str(result.content.text)

    async def model(context: Any, params: Any) -> Any:
        sent.append(params)
        content = types.TextContent(type="text", text=answer)
        return types.CreateMessageResult(role="assistant", content=content, model="m")

    made = server()
    made.tool()(ask)
    callback = sampling(model, manager) if wraps else model
    options = {"mode": "legacy", "sampling_callback": callback}
    async with Client(made, **options) as client:
        result = await client.call_tool("ask", {"question": question})
    return result, sent


async def test_messages_and_system_prompt_are_sent_redacted(server: Callable[..., Any]) -> None:
    manager, recorder = checked()
    result, sent = await asked(server, manager, f"say {SECRET}", "hi")
    assert result.content[0].text == "hi"
    assert SECRET not in repr(sent)
    assert sent[0].system_prompt == "be good, [gone]"
    assert sent[0].messages[0].content.text == "say [gone]"
    assert recorder.statuses("model_finished") == ["ok"]


@pytest.mark.parametrize(("question", "answer"), [("STOP", "hi"), ("say", "the LEAK is")])
async def test_a_denial_is_an_error_with_the_message(
    question: str, answer: str, server: Callable[..., Any]
) -> None:
    manager, recorder = checked()
    result, _ = await asked(server, manager, question, answer)
    assert result.content[0].text.startswith("refused: ")
    assert MESSAGE in result.content[0].text
    assert REASON not in repr(result)
    assert "LEAK" not in repr(result)
    assert recorder.statuses("model_finished") == ["denied"]


@pytest.mark.parametrize("given", ["changed", hookcore.ModelResponse("changed")])
async def test_a_response_may_be_replaced(given: Any, server: Callable[..., Any]) -> None:
    class Replacing:
        @hookimpl
        def post_model_call(self, ctx: Any) -> Any:
            return given

    manager, _ = checked(Replacing())
    result, _ = await asked(server, manager, "say", "hi")
    assert result.content[0].text == "changed"


@pytest.mark.parametrize("wraps", [False, True])
async def test_all_clients_of_a_process_are_governed_and_no_request_twice(
    *, wraps: bool, server: Callable[..., Any]
) -> None:
    from hookcore_mcp import install

    manager, recorder = checked()
    install(manager)
    _, sent = await asked(server, manager, f"say {SECRET}", "hi", wraps=wraps)
    assert SECRET not in repr(sent)
    assert [end.point for end in recorder.endings].count("model_finished") == 1
