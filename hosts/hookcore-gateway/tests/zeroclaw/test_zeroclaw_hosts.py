"""Handlers on hosts: the reference agent, and what passes between their shapes and its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore import (
    ChannelMessage,
    HookAborted,
    MessageContext,
    ModelCallContext,
    ModelChoice,
    SessionContext,
)
from hookcore_agent import Agent, ScriptedModel, Session, ToolCall
from hookcore_gateway import zeroclaw
from hookcore_gateway.zeroclaw import (
    Cancel,
    ChatResponse,
    Continue,
    HookHandler,
    HookResult,
    HookRunner,
    handler_plugin,
)

Make = Callable[..., HookHandler]
MESSAGE = ChannelMessage(
    channel="mail", sender="ana", recipient="bot", content="hi", metadata={"in_reply_to": "7"}
)


def noting(log: list[Any], value: Any) -> Callable[..., Any]:
    async def method(*args: Any) -> None:
        log.append((value, *args))

    return method


# The agent


@pytest.mark.asyncio
async def test_a_cancelled_model_call_never_reaches_the_model(
    runner: HookRunner, make_handler: Make
) -> None:
    async def refuse(messages: list[Any], model: str) -> HookResult[None]:
        return Cancel("over budget")

    told: list[Any] = []
    runner.register(make_handler("budget", before_llm_call=refuse))
    runner.register(make_handler("note", on_llm_input=noting(told, "in")))
    model = ScriptedModel(["hello"])
    with pytest.raises(HookAborted) as denial:
        await Agent("a", model, hooks=runner.manager).run("hi")
    assert (denial.value.source, denial.value.reason) == ("budget", "over budget")
    assert "budget" not in denial.value.message
    assert (model.requests, told) == ([], [])


@pytest.mark.asyncio
async def test_the_model_and_the_observers_see_what_a_handler_chose(
    runner: HookRunner, make_handler: Make
) -> None:
    async def choose(messages: list[Any], model: str) -> HookResult[Any]:
        messages[-1].content = "rewritten"
        return Continue((messages, "other"))

    told: list[Any] = []
    runner.register(make_handler("choose", before_llm_call=choose))
    runner.register(make_handler("note", on_llm_input=noting(told, "in")))
    first, second = ScriptedModel(["no"]), ScriptedModel(["yes"], name="other")
    agent = Agent("a", first, hooks=runner.manager, models=[second])
    assert (await agent.run("hi")).output == "yes"
    assert (first.requests, len(second.requests)) == ([], 1)
    assert second.requests[0].messages[-1].content == "rewritten"
    assert [(m[-1].content, model) for _, m, model in told] == [("rewritten", "other")]


@pytest.mark.asyncio
async def test_the_history_keeps_what_the_user_wrote(
    runner: HookRunner, make_handler: Make
) -> None:
    async def rewrite(messages: list[Any], model: str) -> HookResult[None]:
        messages[-1].content = "rewritten"
        return Continue(None)

    runner.register(make_handler("rewrite", before_llm_call=rewrite))
    session = Session()
    await Agent("a", ScriptedModel(["yes"]), hooks=runner.manager).run("hi", session)
    assert [message.content for message in session.messages] == ["hi", "yes"]


@pytest.mark.asyncio
async def test_a_handlers_model_choice_and_prompt_are_used(
    runner: HookRunner, make_handler: Make
) -> None:
    async def choose(provider: str, model: str) -> HookResult[tuple[str, str]]:
        return Continue((provider, "other"))

    async def suffix(prompt: str) -> HookResult[str]:
        return Continue(prompt + " Be brief.")

    runner.register(make_handler("choose", before_model_resolve=choose, before_prompt_build=suffix))
    model = ScriptedModel(["yes"], name="other")
    agent = Agent(
        "a",
        ScriptedModel([]),
        hooks=runner.manager,
        models=[model],
        instructions="You sell bicycles.",
    )
    await agent.run("hi")
    assert model.requests[0].messages[0].content == "You sell bicycles. Be brief."


@pytest.mark.asyncio
async def test_a_denied_tool_call_leaves_its_siblings_alone_and_keeps_the_reason_private(
    runner: HookRunner, make_handler: Make
) -> None:
    async def guard(name: str, args: dict[str, Any]) -> HookResult[Any]:
        return Cancel("rule 7") if args["path"] == "b" else Continue((name, args))

    ended: list[str] = []

    async def after(tool: str, result: Any, duration: float) -> None:
        ended.append("after")

    async def abandoned(context: Any, tool: str) -> None:
        ended.append("abandoned")

    runner.register(
        make_handler(
            "guard",
            before_tool_call=guard,
            on_after_tool_call=after,
            on_tool_call_abandoned=abandoned,
        )
    )
    read: list[str] = []

    def read_file(path: str) -> str:
        read.append(path)
        return "text"

    calls = [ToolCall("read_file", {"path": path}, path) for path in "abc"]
    agent = Agent("a", ScriptedModel([calls, "done"]), [read_file], hooks=runner.manager)
    result = await agent.run("read")
    assert (result.output, sorted(read)) == ("done", ["a", "c"])
    assert sorted(ended) == ["abandoned", "after", "after"]
    assert "rule 7" not in "".join(str(message.content) for message in result.messages)


@pytest.mark.asyncio
async def test_an_answer_of_the_agent_reaches_handlers_in_their_shape(
    runner: HookRunner, make_handler: Make
) -> None:
    told: list[Any] = []
    runner.register(make_handler("note", on_llm_output=noting(told, "out")))
    await Agent("a", ScriptedModel(["hello"]), hooks=runner.manager).run("hi")
    assert told == [("out", ChatResponse(text="hello"))]


# Points by themselves


def test_a_message_keeps_what_the_source_has_no_field_for(
    runner: HookRunner, make_handler: Make
) -> None:
    async def tag(message: zeroclaw.ChannelMessage) -> HookResult[zeroclaw.ChannelMessage]:
        message.content = f"{message.reply_target}: {message.content}"
        message.thread_ts = "t"
        return Continue(message)

    runner.register(make_handler("tag", on_message_received=tag))
    ctx = runner.manager.dispatch("message_received", MessageContext(payload=MESSAGE))
    assert ctx.payload == ChannelMessage(
        channel="mail",
        sender="ana",
        recipient="bot",
        content="ana: hi",
        thread="t",
        metadata={"in_reply_to": "7"},
    )


def test_a_rewritten_reply_target_lies_in_the_metadata(
    runner: HookRunner, make_handler: Make
) -> None:
    async def reroute(message: zeroclaw.ChannelMessage) -> HookResult[zeroclaw.ChannelMessage]:
        message.reply_target = "room"
        message.passive_context = True
        return Continue(message)

    runner.register(make_handler("reroute", on_message_received=reroute))
    ctx = runner.manager.dispatch("message_received", MessageContext(payload=MESSAGE))
    assert ctx.payload.metadata == {
        "in_reply_to": "7",
        "zeroclaw": {"reply_target": "room", "passive_context": True},
    }
    assert MESSAGE.metadata == {"in_reply_to": "7"}


def test_the_next_handler_sees_what_lies_in_the_metadata(
    runner: HookRunner, make_handler: Make
) -> None:
    seen: list[str] = []

    async def reroute(message: zeroclaw.ChannelMessage) -> HookResult[zeroclaw.ChannelMessage]:
        message.reply_target = "room"
        return Continue(message)

    async def look(message: zeroclaw.ChannelMessage) -> HookResult[zeroclaw.ChannelMessage]:
        seen.append(message.reply_target)
        return Continue(message)

    runner.register(make_handler("reroute", 1, on_message_received=reroute))
    runner.register(make_handler("look", 0, on_message_received=look))
    runner.manager.dispatch("message_received", MessageContext(payload=MESSAGE))
    assert seen == ["room"]


def test_a_handler_that_only_looks_leaves_the_message_itself(
    runner: HookRunner, make_handler: Make
) -> None:
    async def look(message: zeroclaw.ChannelMessage) -> HookResult[zeroclaw.ChannelMessage]:
        return Continue(message)

    runner.register(make_handler("look", on_message_received=look))
    ctx = runner.manager.dispatch("message_received", MessageContext(payload=MESSAGE))
    assert ctx.payload is MESSAGE


def test_a_dropped_message_is_one_that_a_handler_denied(
    runner: HookRunner, make_handler: Make
) -> None:
    async def drop(message: zeroclaw.ChannelMessage) -> HookResult[zeroclaw.ChannelMessage]:
        return Cancel("spam")

    runner.register(make_handler("spam-filter", on_message_received=drop))
    with pytest.raises(HookAborted) as denial:
        runner.manager.dispatch("message_received", MessageContext(payload=MESSAGE))
    assert denial.value.source == "spam-filter"


def test_what_leaves_keeps_its_other_fields(runner: HookRunner, make_handler: Make) -> None:
    async def sign(channel: str, recipient: str, content: str) -> HookResult[Any]:
        return Continue((channel, recipient, content + " --bot"))

    runner.register(make_handler("sign", on_message_sending=sign))
    ctx = runner.manager.dispatch("message_sending", MessageContext(payload=MESSAGE))
    assert (ctx.payload.content, ctx.payload.metadata) == ("hi --bot", {"in_reply_to": "7"})


def test_what_was_delivered_is_told(runner: HookRunner, make_handler: Make) -> None:
    told: list[Any] = []
    runner.register(make_handler("note", on_message_sent=noting(told, "sent")))
    runner.manager.dispatch("message_sent", MessageContext(payload=MESSAGE))
    assert told == [("sent", "mail", "bot", "hi")]


def test_a_session_of_a_host_reaches_handlers(runner: HookRunner, make_handler: Make) -> None:
    told: list[Any] = []
    runner.register(make_handler("note", on_session_end=noting(told, "end")))
    context = SessionContext(session_id="s1", channel="mail", reason="idle")
    runner.manager.dispatch("session_end", context)
    assert told == [("end", "s1", "mail")]


def test_a_handler_may_be_a_plugin_of_any_manager(make_handler: Make, hook_manager: Any) -> None:
    async def choose(provider: str, model: str) -> HookResult[tuple[str, str]]:
        return Continue(("local", model))

    plugin = handler_plugin(make_handler("choose", before_model_resolve=choose))
    assert hook_manager.register(plugin) == "choose"
    ctx = ModelCallContext(payload=ModelChoice("cloud", "large"))
    assert hook_manager.dispatch("model_resolve", ctx).payload == ModelChoice("local", "large")


def test_a_plain_method_is_taken_as_it_is(runner: HookRunner, make_handler: Make) -> None:
    def choose(provider: str, model: str) -> HookResult[tuple[str, str]]:
        return Continue(("local", model))

    runner.register(make_handler("choose", before_model_resolve=choose))
    ctx = ModelCallContext(payload=ModelChoice("cloud", "large"))
    assert runner.manager.dispatch("model_resolve", ctx).payload.provider == "local"
