"""A runner and its handlers: order, pipeline, cancelling, failures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore import HookAborted, HookManager, hookimpl
from hookcore.errors import RegistrationError
from hookcore_gateway.zeroclaw import (
    Cancel,
    ChannelMessage,
    ChatMessage,
    ChatResponse,
    Continue,
    HookHandler,
    HookResult,
    HookRunner,
    ToolResult,
)

Make = Callable[..., HookHandler]
MESSAGE = ChannelMessage(id="1", sender="ana", reply_target="ana", content="hi", channel="mail")


def noting(log: list[Any], value: Any) -> Callable[..., Any]:
    async def method(*args: Any) -> None:
        log.append((value, *args))

    return method


async def upper(prompt: str) -> HookResult[str]:
    return HookResult.Continue(prompt.upper())


async def done(prompt: str) -> HookResult[str]:
    return HookResult.Continue(prompt + "_done")


async def refuse(*args: Any) -> HookResult[Any]:
    return HookResult.Cancel("not today")


async def fail(*args: Any) -> HookResult[Any]:
    raise RuntimeError("boom")


# Results and handlers


def test_only_a_cancel_is_a_cancel() -> None:
    assert HookResult.Cancel("no").is_cancel()
    assert not HookResult.Continue("no").is_cancel()


def test_a_result_has_its_value_or_its_reason() -> None:
    go_on, stop = HookResult.Continue(3), HookResult.Cancel("no")
    assert (go_on.value, go_on.reason) == (3, None)
    assert (stop.value, stop.reason) == (None, "no")


def test_the_default_priority_is_zero() -> None:
    class Plain(HookHandler):
        def name(self) -> str:
            return "plain"

    assert Plain().priority() == 0


def test_a_handler_needs_a_name() -> None:
    class Nameless(HookHandler):
        pass

    with pytest.raises(TypeError, match="name"):
        Nameless()  # type: ignore[abstract]


def test_by_default_a_tool_call_passes_as_it_is(make_handler: Make) -> None:
    answer = asyncio.run(make_handler("plain").before_tool_call("shell", {"a": 1}))
    assert answer == Continue(("shell", {"a": 1}))


# Order


@pytest.mark.asyncio
async def test_a_higher_priority_runs_first(runner: HookRunner, make_handler: Make) -> None:
    log: list[Any] = []
    for name, priority in (("low", 1), ("high", 10), ("mid", 5)):
        runner.register(make_handler(name, priority, on_heartbeat_tick=noting(log, name)))
    await runner.fire_heartbeat_tick()
    assert log == [("high",), ("mid",), ("low",)]


@pytest.mark.asyncio
async def test_equal_priorities_run_as_registered(runner: HookRunner, make_handler: Make) -> None:
    log: list[Any] = []
    for name in ("b", "a", "c"):
        runner.register(make_handler(name, on_heartbeat_tick=noting(log, name)))
    await runner.fire_heartbeat_tick()
    assert log == [("b",), ("a",), ("c",)]


@given(st.lists(st.integers(-200, 300), min_size=1, max_size=8))
def test_the_order_is_that_of_a_stable_sort(priorities: list[int]) -> None:
    log: list[Any] = []
    runner = HookRunner()

    class Noting(HookHandler):
        def __init__(self, number: int) -> None:
            self.number = number

        def name(self) -> str:
            return "noting"

        def priority(self) -> int:
            return priorities[self.number]

        async def before_prompt_build(self, prompt: str) -> HookResult[str]:
            log.append(self.number)
            return Continue(prompt)

    for number in range(len(priorities)):
        runner.register(Noting(number))
    asyncio.run(runner.run_before_prompt_build("x"))
    assert log == sorted(range(len(priorities)), key=lambda number: -priorities[number])


@pytest.mark.asyncio
async def test_every_handler_of_a_void_hook_is_called_once(
    runner: HookRunner, make_handler: Make
) -> None:
    log: list[Any] = []
    for name in ("one", "two"):
        runner.register(make_handler(name, on_gateway_start=noting(log, name)))
    await runner.fire_gateway_start("127.0.0.1", 8080)
    assert sorted(log) == [("one", "127.0.0.1", 8080), ("two", "127.0.0.1", 8080)]


# The pipeline, and where it ends


@pytest.mark.asyncio
async def test_each_handler_gets_what_the_one_before_made(
    runner: HookRunner, make_handler: Make
) -> None:
    runner.register(make_handler("done", 0, before_prompt_build=done))
    runner.register(make_handler("upper", 10, before_prompt_build=upper))
    assert (await runner.run_before_prompt_build("hello")).value == "HELLO_done"


@pytest.mark.asyncio
async def test_a_cancel_is_the_result_whatever_stands_behind_it(
    runner: HookRunner, make_handler: Make
) -> None:
    runner.register(make_handler("refuse", 10, before_prompt_build=refuse))
    runner.register(make_handler("upper", 0, before_prompt_build=upper))
    assert await runner.run_before_prompt_build("hello") == Cancel("not today")


@pytest.mark.parametrize(
    ("method", "run"),
    [
        ("before_llm_call", lambda r: r.run_before_llm_call([], "large")),
        ("on_message_received", lambda r: r.run_on_message_received(MESSAGE)),
        ("before_tool_call", lambda r: r.run_before_tool_call("shell", {})),
        ("on_message_sending", lambda r: r.run_on_message_sending("mail", "ana", "hi")),
        ("before_model_resolve", lambda r: r.run_before_model_resolve("cloud", "large")),
    ],
)
@pytest.mark.asyncio
async def test_behind_a_cancel_no_handler_is_called(
    runner: HookRunner, make_handler: Make, method: str, run: Callable[[HookRunner], Any]
) -> None:
    log: list[Any] = []
    runner.register(make_handler("refuse", 10, **{method: refuse}))
    runner.register(make_handler("count", 0, **{method: noting(log, "called")}))
    result = await run(runner)
    assert (result.is_cancel(), result.reason, log) == (True, "not today", [])


@pytest.mark.asyncio
async def test_a_cancel_is_logged_with_its_handler_and_reason(
    runner: HookRunner, make_handler: Make, caplog: pytest.LogCaptureFixture
) -> None:
    runner.register(make_handler("strict", before_prompt_build=refuse))
    with caplog.at_level("INFO", logger="hookcore"):
        await runner.run_before_prompt_build("x")
    assert "strict.before_prompt_build cancelled: not today" in caplog.text


@pytest.mark.asyncio
async def test_a_handler_may_abort_in_hookcores_way(runner: HookRunner, make_handler: Make) -> None:
    async def abort(prompt: str) -> HookResult[str]:
        raise HookAborted("rule 7")

    runner.register(make_handler("abort", before_prompt_build=abort))
    assert await runner.run_before_prompt_build("x") == Cancel("rule 7")


@pytest.mark.asyncio
async def test_a_policy_in_the_same_manager_cancels_too(runner: HookRunner) -> None:
    class NoShell:
        @hookimpl(tools=["shell"], gate=True)
        def pre_tool_call(self, ctx: Any) -> None:
            raise HookAborted("no shell")

    runner.manager.register(NoShell())
    assert (await runner.run_before_tool_call("shell", {})).reason == "no shell"


# Failures


@pytest.mark.asyncio
async def test_behind_a_failure_the_next_handler_still_chooses_the_model(
    runner: HookRunner, make_handler: Make
) -> None:
    async def const(provider: str, model: str) -> HookResult[tuple[str, str]]:
        return Continue(("const_provider", "const_model"))

    runner.register(make_handler("fail", 10, before_model_resolve=fail))
    runner.register(make_handler("const", 0, before_model_resolve=const))
    result = await runner.run_before_model_resolve("cloud", "large")
    assert (result.is_cancel(), result.value) == (False, ("const_provider", "const_model"))


@pytest.mark.asyncio
async def test_behind_a_failure_the_next_handler_still_renames_the_tool(
    runner: HookRunner, make_handler: Make
) -> None:
    async def rename(name: str, args: dict[str, Any]) -> HookResult[Any]:
        return Continue((f"{name}_renamed", args))

    runner.register(make_handler("fail", 10, before_tool_call=fail))
    runner.register(make_handler("rename", 0, before_tool_call=rename))
    assert (await runner.run_before_tool_call("shell", {})).value == ("shell_renamed", {})


@pytest.mark.asyncio
async def test_what_a_failed_handler_edited_is_discarded(
    runner: HookRunner, make_handler: Make
) -> None:
    async def edit_and_fail(messages: list[Any], model: str) -> HookResult[None]:
        messages[0].content = "edited"
        messages.append(ChatMessage("user", "more"))
        raise RuntimeError("boom")

    runner.register(make_handler("half", before_llm_call=edit_and_fail))
    messages = [ChatMessage("user", "hi")]
    result = await runner.run_before_llm_call(messages, "large")
    assert result == Continue(([ChatMessage("user", "hi")], "large"))
    assert messages == [ChatMessage("user", "hi")]


@pytest.mark.asyncio
async def test_what_a_failed_handler_did_to_nested_arguments_is_discarded(
    runner: HookRunner, make_handler: Make
) -> None:
    async def edit_and_fail(name: str, args: dict[str, Any]) -> HookResult[Any]:
        args["deep"]["x"] = 2
        raise RuntimeError("boom")

    runner.register(make_handler("half", before_tool_call=edit_and_fail))
    args = {"deep": {"x": 1}}
    assert (await runner.run_before_tool_call("t", args)).value == ("t", {"deep": {"x": 1}})


@pytest.mark.parametrize("answer", [None, "text", ("shell", {}), Continue("shell"), Continue(None)])
@pytest.mark.asyncio
async def test_an_answer_that_is_none_counts_as_a_failure(
    runner: HookRunner, make_handler: Make, answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def odd(name: str, args: dict[str, Any]) -> Any:
        return answer

    runner.register(make_handler("odd", before_tool_call=odd))
    assert (await runner.run_before_tool_call("t", {"a": 1})).value == ("t", {"a": 1})
    assert "odd: hook pre_tool_call at pre_tool_call failed (TypeError" in caplog.text


@pytest.mark.asyncio
async def test_a_handler_that_denies_on_failure_cancels(
    runner: HookRunner, make_handler: Make
) -> None:
    runner.register(make_handler("guard", before_tool_call=fail, on_error="deny"))
    result = await runner.run_before_tool_call("shell", {})
    assert result.is_cancel()
    assert "boom" not in str(result.reason)


@pytest.mark.asyncio
async def test_a_handler_that_is_too_slow_has_failed(
    runner: HookRunner, make_handler: Make
) -> None:
    async def slow(prompt: str) -> HookResult[str]:
        await asyncio.sleep(30)
        return Continue("late")

    runner.register(make_handler("slow", before_prompt_build=slow, timeout=0.02))
    assert (await runner.run_before_prompt_build("x")).value == "x"


@pytest.mark.parametrize(
    ("method", "fire"),
    [
        ("on_gateway_stop", lambda r: r.fire_gateway_stop()),
        ("on_session_start", lambda r: r.fire_session_start("s1", "mail")),
        ("on_llm_input", lambda r: r.fire_llm_input([], "large")),
        ("on_message_sent", lambda r: r.fire_message_sent("mail", "ana", "hi")),
        ("on_after_tool_call", lambda r: r.fire_after_tool_call("t", ToolResult(True, ""), 0.1)),
    ],
)
@pytest.mark.asyncio
async def test_a_failing_void_handler_keeps_no_other_from_being_told(
    runner: HookRunner, make_handler: Make, method: str, fire: Callable[[HookRunner], Any]
) -> None:
    log: list[Any] = []
    runner.register(make_handler("fail", 10, **{method: fail}))
    runner.register(make_handler("count", 0, **{method: noting(log, "told")}))
    await fire(runner)
    assert [entry[0] for entry in log] == ["told"]


@pytest.mark.asyncio
async def test_a_cancellation_of_the_host_is_not_swallowed(
    runner: HookRunner, make_handler: Make
) -> None:
    async def interrupted(prompt: str) -> HookResult[str]:
        raise asyncio.CancelledError

    runner.register(make_handler("interrupted", before_prompt_build=interrupted))
    with pytest.raises(asyncio.CancelledError):
        await runner.run_before_prompt_build("x")


# Values


@pytest.mark.asyncio
async def test_the_callers_messages_become_what_the_handlers_made(
    runner: HookRunner, make_handler: Make
) -> None:
    async def edit(messages: list[Any], model: str) -> HookResult[Any]:
        messages.append(ChatMessage("system", "be brief"))
        return Continue((messages, "small"))

    runner.register(make_handler("edit", before_llm_call=edit))
    messages = [ChatMessage("user", "hi")]
    result = await runner.run_before_llm_call(messages, "large")
    assert result.value == (messages, "small")
    assert [message.content for message in messages] == ["hi", "be brief"]


@pytest.mark.asyncio
async def test_after_a_cancel_the_callers_messages_are_what_they_were(
    runner: HookRunner, make_handler: Make
) -> None:
    async def edit(messages: list[Any], model: str) -> HookResult[None]:
        messages.clear()
        return Continue(None)

    runner.register(make_handler("edit", 10, before_llm_call=edit))
    runner.register(make_handler("refuse", 0, before_llm_call=refuse))
    messages = [ChatMessage("user", "hi")]
    assert (await runner.run_before_llm_call(messages, "large")).is_cancel()
    assert messages == [ChatMessage("user", "hi")]


@pytest.mark.asyncio
async def test_true_in_place_of_one_is_a_change(runner: HookRunner, make_handler: Make) -> None:
    async def edit(name: str, args: dict[str, Any]) -> HookResult[Any]:
        return Continue((name, {"force": True}))

    runner.register(make_handler("edit", before_tool_call=edit))
    result = await runner.run_before_tool_call("t", {"force": 1})
    assert result.value is not None
    assert result.value[1]["force"] is True


@pytest.mark.asyncio
async def test_every_field_of_a_message_may_be_rewritten(
    runner: HookRunner, make_handler: Make
) -> None:
    other = ChannelMessage(
        id="2",
        sender="ben",
        reply_target="room",
        content="bye",
        channel="chat",
        timestamp=1.5,
        channel_alias="c",
        thread_ts="t",
        interruption_scope_id="i",
        attachments=["a"],
        subject="s",
        internal_sop_event={"x": 1},
        passive_context=True,
        explicitly_addressed=True,
        conversation_scope="all",
        references=["r"],
    )

    async def rewrite(message: ChannelMessage) -> HookResult[ChannelMessage]:
        return Continue(other)

    runner.register(make_handler("rewrite", on_message_received=rewrite))
    assert (await runner.run_on_message_received(MESSAGE)).value == other


@pytest.mark.asyncio
async def test_a_message_passes_unchanged_through_a_runner_without_handlers(
    runner: HookRunner,
) -> None:
    message = replace(MESSAGE, reply_target="room", passive_context=True)
    assert (await runner.run_on_message_received(message)).value == message


@pytest.mark.asyncio
async def test_a_message_that_leaves_may_be_sent_elsewhere(
    runner: HookRunner, make_handler: Make
) -> None:
    async def reroute(channel: str, recipient: str, content: str) -> HookResult[Any]:
        return Continue(("chat", "ben", content + "!"))

    runner.register(make_handler("reroute", on_message_sending=reroute))
    result = await runner.run_on_message_sending("mail", "ana", "hi")
    assert result.value == ("chat", "ben", "hi!")


@pytest.mark.asyncio
async def test_what_a_model_answered_reaches_the_handlers(
    runner: HookRunner, make_handler: Make
) -> None:
    log: list[Any] = []
    runner.register(make_handler("note", on_llm_output=noting(log, "out")))
    await runner.fire_llm_output(ChatResponse(text="hello"))
    assert log == [("out", ChatResponse(text="hello"))]


@pytest.mark.asyncio
async def test_sessions_reach_the_handler_once_each(runner: HookRunner, make_handler: Make) -> None:
    log: list[Any] = []
    handler = make_handler(
        "note", on_session_start=noting(log, "start"), on_session_end=noting(log, "end")
    )
    runner.register(handler)
    await runner.fire_session_start("s1", "rpc")
    await runner.fire_session_end("s1", "rpc")
    assert log == [("start", "s1", "rpc"), ("end", "s1", "rpc")]


@pytest.mark.asyncio
async def test_void_handlers_cannot_change_what_the_caller_has(
    runner: HookRunner, make_handler: Make
) -> None:
    async def edit(messages: list[Any], model: str) -> None:
        messages[0].content = "edited"

    seen: list[Any] = []
    runner.register(make_handler("edit", 10, on_llm_input=edit))
    runner.register(make_handler("note", 0, on_llm_input=noting(seen, "in")))
    messages = [ChatMessage("user", "hi")]
    await runner.fire_llm_input(messages, "large")
    assert messages == [ChatMessage("user", "hi")]
    assert seen == [("in", [ChatMessage("user", "hi")], "large")]


# Registration


@pytest.mark.asyncio
async def test_an_empty_runner_lets_everything_pass(runner: HookRunner) -> None:
    await runner.fire_session_start("s1", "mail")
    await runner.fire_session_end("s1", "mail")
    assert runner.is_empty()
    assert (await runner.run_before_tool_call("t", {"a": 1})).value == ("t", {"a": 1})


def test_a_handler_that_is_registered_twice_is_called_once(
    runner: HookRunner, make_handler: Make
) -> None:
    log: list[Any] = []
    handler = make_handler("a", on_heartbeat_tick=noting(log, "tick"))
    assert [runner.register(handler), runner.register(handler)] == ["a", "a"]
    asyncio.run(runner.fire_heartbeat_tick())
    assert log == [("tick",)]


def test_a_handler_that_was_unregistered_can_be_registered_again(
    runner: HookRunner, make_handler: Make
) -> None:
    log: list[Any] = []
    handler = make_handler("a", on_heartbeat_tick=noting(log, "tick"))
    runner.manager.unregister(runner.register(handler))
    assert runner.register(handler) == "a"
    asyncio.run(runner.fire_heartbeat_tick())
    assert log == [("tick",)]


def test_a_name_that_is_taken_gets_a_number(runner: HookRunner, make_handler: Make) -> None:
    names = [runner.register(make_handler("same", before_prompt_build=upper)) for _ in range(2)]
    assert names == ["same", "same-2"]
    assert runner.names() == ("same", "same-2")


def test_methods_that_are_not_overridden_are_no_hooks(
    runner: HookRunner, make_handler: Make
) -> None:
    runner.register(make_handler("upper", before_prompt_build=upper))
    assert [info.points for info in runner.manager.plugins()] == [("prompt_build",)]


@pytest.mark.parametrize(
    ("handler", "words"),
    [
        (("", 0, {}), "name"),
        (("x", "high", {}), "priority"),
        (("x", 0, {"on_error": "ignore"}), "on_error"),
        (("x", 0, {"plain": None}), "x overrides none of HookHandler's hooks: before_llm_call, "),
        (
            ("x", 0, {"before_tool_cal": upper}),
            r"x.before_tool_cal\(\) .* mean before_tool_call\(\)",
        ),
    ],
)
def test_a_wrong_handler_is_refused(
    runner: HookRunner, make_handler: Make, handler: Any, words: str
) -> None:
    name, priority, options = handler
    if "plain" not in options:
        options = {**options, "before_prompt_build": upper}
    with pytest.raises(RegistrationError, match=words):
        runner.register(make_handler(name, priority, **options))


def test_what_is_no_handler_is_refused(runner: HookRunner) -> None:
    with pytest.raises(RegistrationError, match="HookHandler"):
        runner.register(object())  # type: ignore[arg-type]


def test_a_runner_joins_the_manager_that_it_is_given(make_handler: Make) -> None:
    manager = HookManager()
    HookRunner(manager).register(make_handler("upper", before_prompt_build=upper))
    assert [info.name for info in manager.plugins()] == ["upper"]


@pytest.mark.asyncio
async def test_a_handler_that_is_registered_twice_fires_once(
    runner: HookRunner, make_handler: Make
) -> None:
    ticks: list[int] = []

    async def tick() -> None:
        ticks.append(1)

    handler = make_handler("ticking", on_heartbeat_tick=tick)
    names = [runner.register(handler), runner.register(handler)]
    await runner.fire_heartbeat_tick()

    assert (names, ticks) == (["ticking", "ticking"], [1])


@pytest.mark.asyncio
async def test_a_handler_that_was_unregistered_is_registered_anew(
    runner: HookRunner, make_handler: Make
) -> None:
    async def tick() -> None: ...

    handler = make_handler("ticking", on_heartbeat_tick=tick)
    runner.manager.unregister(runner.register(handler))
    assert runner.is_empty()

    assert runner.register(handler) == "ticking"
    assert runner.names() == ("ticking",)
