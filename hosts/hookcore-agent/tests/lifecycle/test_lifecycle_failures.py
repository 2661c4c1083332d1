"""Failure, success and cancellation: which error comes out, who is told, what is left."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hookcore import HookAborted
from hookcore_agent import Agent, EventType, KeepLast, SessionBusyError, ToolCall
from hookcore_agent.lifecycle import Extension, Phase, PhaseTransitionEvent, RunCancelledEvent

pytestmark = pytest.mark.asyncio

METHODS = [
    "on_tool",
    "on_state",
    "on_message",
    "before_run",
    "before_turn",
    "before_model",
    "after_model",
    "before_tool",
    "after_tool",
    "after_turn",
    "after_run",
    "on_success",
]


class Failing(Extension):
    """Fails in one method while it is armed, and notes how the request ended for it."""

    def __init__(self, method: str, error: BaseException) -> None:
        super().__init__()
        self.armed = True
        self.errors: list[BaseException] = []
        self.cancelled: list[Any] = []
        self.phases: list[Phase] = []

        async def fail(*_: Any) -> None:
            if self.armed:
                raise error

        setattr(self, method, fail)

    async def on_error(self, context: Any, error: Exception) -> None:
        self.errors.append(error)
        self.phases.append(context.phase)

    async def on_event(self, context: Any, event: Any) -> None:
        if isinstance(event, RunCancelledEvent):
            self.cancelled.append(event)
            self.phases.append(context.phase)


async def read(stream: Any, kinds: list[Any]) -> None:
    async for event in stream:
        kinds += [event.type]


def assert_empty(agent: Agent) -> None:
    assert agent.active_sessions == ()
    assert len(agent.hooks.parts.services.states) == 0


@pytest.mark.parametrize("method", METHODS)
async def test_a_failure_comes_out_as_the_same_object_and_all_is_cleared(
    make_agent: Any, method: str
) -> None:
    error = RuntimeError("boom")
    extension = Failing(method, error)
    agent: Agent = make_agent(extension, turns=_turn)
    with pytest.raises(RuntimeError) as caught:
        await agent.run("hi", "s")
    assert caught.value is error
    assert extension.errors == ([] if method == "on_success" else [error])
    assert (extension.cancelled, set(extension.phases)) == (
        [],
        set() if method == "on_success" else {Phase.FAILED},
    )
    assert_empty(agent)
    extension.armed = False
    assert (await agent.run("again", "s")).output == "three"


@pytest.mark.parametrize("method", METHODS)
async def test_a_cancellation_that_a_method_raises_takes_the_way_of_a_cancellation(
    make_agent: Any, method: str
) -> None:
    error = asyncio.CancelledError("from inside")
    extension = Failing(method, error)
    agent: Agent = make_agent(extension, turns=_turn)
    with pytest.raises(asyncio.CancelledError) as caught:
        await agent.run("hi", "s")
    assert caught.value is error
    assert (extension.errors, len(extension.cancelled)) == ([], 1)
    assert extension.phases == [Phase.CANCELLED]
    assert_empty(agent)
    extension.armed = False
    assert (await agent.run("again", "s")).output == "three"


def _turn(request: Any) -> Any:
    answered = request.messages[-1].role == "tool"
    return "three" if answered else [ToolCall("add", {"a": 1, "b": 2})]


async def test_on_error_is_told_to_all_also_to_those_that_never_began(
    make_agent: Any, journal: Any
) -> None:
    log: list[str] = []
    first = journal(log, "first", 1, fails={"before_run": RuntimeError("boom")})
    with pytest.raises(RuntimeError):
        await make_agent(first, journal(log, "second", 2)).run("hi")
    assert "second.before_run" not in log
    assert [entry for entry in log if "on_error" in entry] == ["first.on_error", "second.on_error"]


async def test_a_failing_cleanup_hides_nobody_else_s_and_is_a_note_on_the_error(
    make_agent: Any, journal: Any
) -> None:
    log: list[str] = []
    error = ConnectionError("gone")
    fails = {"failed": OSError("in on_event"), "on_error": ValueError("in on_error")}
    first = journal(log, "first", 1, fails=fails)
    agent = make_agent(first, journal(log, "second", 2), turns=[error])
    with pytest.raises(ConnectionError) as caught:
        await agent.run("hi")
    assert caught.value is error
    assert {"second.failed", "second.on_error"} <= set(log)
    notes: list[str] = getattr(error, "__notes__", [])
    assert len(notes) == 2
    assert "in on_event" in notes[0]
    assert "in on_error" in notes[1]


async def test_a_failing_hearer_of_the_cancellation_hides_nobody_and_breaks_no_close(
    make_agent: Any, journal: Any
) -> None:
    log: list[str] = []
    fails = {"cancelled": OSError("one"), "RunCancelledEvent": OSError("two")}
    agent = make_agent(journal(log, "first", 1, fails=fails), journal(log, "second", 2))
    stream = agent.stream("hi")
    await anext(stream)
    await stream.aclose()
    assert {"second.cancelled", "second.RunCancelledEvent"} <= set(log)
    assert agent.active_sessions == ()


async def test_who_saw_on_success_does_not_see_on_error(make_agent: Any, journal: Any) -> None:
    log: list[str] = []
    error = RuntimeError("late")
    agent = make_agent(
        journal(log, "a", 1),
        journal(log, "b", 2, fails={"on_success": error}),
        journal(log, "c", 3),
    )
    events: list[Any] = []
    with pytest.raises(RuntimeError) as caught:
        await read(agent.stream("hi"), events)
    assert caught.value is error
    assert EventType.RUN_COMPLETED not in events
    assert [entry for entry in log if "on_success" in entry] == ["a.on_success", "b.on_success"]
    assert [entry for entry in log if "on_error" in entry] == ["c.on_error"]


async def test_a_failing_hearer_of_the_completion_propagates_and_it_stays_completed(
    make_agent: Any, journal: Any
) -> None:
    log: list[str] = []
    error = RuntimeError("too late")
    phases: list[Phase] = []

    class Last(Extension):
        async def on_event(self, context: Any, event: Any) -> None:
            if isinstance(event, PhaseTransitionEvent) and event.target is Phase.COMPLETED:
                context.add_finaliser(lambda: phases.append(context.phase))

    failing = journal(log, "first", 2, fails={"completed": error})
    with pytest.raises(RuntimeError) as caught:
        await make_agent(Last(priority=1), failing, turns=["hello"]).run("hi")
    assert caught.value is error
    assert "first.on_error" not in log
    assert phases == [Phase.COMPLETED]


async def test_a_request_from_a_hearer_of_the_completion_is_refused(make_agent: Any) -> None:
    refused: list[BaseException] = []

    class Again(Extension):
        async def on_event(self, context: Any, event: Any) -> None:
            if isinstance(event, PhaseTransitionEvent) and event.target is Phase.COMPLETED:
                with pytest.raises(SessionBusyError, match="completed") as caught:
                    await context.agent.run("again", context.session)
                refused.append(caught.value)

    await make_agent(Again(), turns=["hello"]).run("hi", "s")
    assert len(refused) == 1


BOUNDARIES = [
    EventType.MODEL_STARTED,
    EventType.MODEL_COMPLETED,
    EventType.TOOL_STARTED,
    EventType.TOOL_COMPLETED,
    EventType.RUN_COMPLETED,
]


@pytest.mark.parametrize("at", BOUNDARIES)
async def test_a_stream_closed_at_any_event_is_cancelled_but_for_the_last(
    make_agent: Any, journal: Any, at: EventType
) -> None:
    log: list[str] = []
    agent: Agent = make_agent(journal(log), turns=_turn)
    stream = agent.stream("hi", "s")
    async for event in stream:
        if event.type == at:
            break
    await stream.aclose()
    await stream.aclose()
    cancelled = at is not EventType.RUN_COMPLETED
    assert ("RunCancelledEvent" in log, "cancelled" in log) == (cancelled, cancelled)
    assert ("completed" in log) is not cancelled
    assert "on_error" not in log
    assert_empty(agent)
    assert (await agent.run("again", "s")).output == "three"


@pytest.mark.parametrize(
    ("at", "previous"),
    [
        (EventType.MODEL_STARTED, Phase.GENERATING),
        (EventType.MODEL_COMPLETED, Phase.READY),
        (EventType.TOOL_STARTED, Phase.RUNNING_TOOL),
    ],
)
async def test_the_cancellation_tells_the_phase_before_it_once_and_with_its_times(
    make_agent: Any, at: EventType, previous: Phase
) -> None:
    heard: list[Any] = []

    class Hear(Extension):
        async def on_event(self, context: Any, event: Any) -> None:
            heard.append(event)

    stream = make_agent(Hear()).stream("hi")
    async for event in stream:
        if event.type == at:
            break
    await stream.aclose()
    [cancelled] = [event for event in heard if isinstance(event, RunCancelledEvent)]
    moved = heard[-2]
    assert (cancelled.previous_phase, moved.source) == (previous, previous)
    assert (cancelled.occurred_at, cancelled.monotonic_ns) == (
        moved.occurred_at,
        moved.monotonic_ns,
    )
    assert heard[-1] is cancelled


async def test_a_close_at_an_event_never_lands_inside_a_tool(make_agent: Any) -> None:
    began: list[str] = []

    def add(a: int, b: int) -> int:
        """Add."""
        began.append("add")
        return a + b

    agent = make_agent(tools=[add])
    stream = agent.stream("hi", "s")
    async for event in stream:
        if event.type == EventType.TOOL_STARTED:
            break
    await stream.aclose()
    assert began == []
    assert agent.session("s").messages[-1].content == "cancelled before completion"


async def test_an_abort_in_before_tool_denies_the_call_and_the_loop_goes_on(
    make_agent: Any,
) -> None:
    class Guard(Extension):
        async def before_tool(self, context: Any, call: Any) -> None:
            raise HookAborted("rule 7", message="Not this tool.")

    result = await make_agent(Guard()).run("hi")
    assert result.messages[2].content == "denied by Guard.before_tool: Not this tool."
    assert result.output == "three"


async def test_any_other_error_in_before_tool_fails_the_request_and_answers_the_call(
    make_agent: Any, journal: Any
) -> None:
    agent = make_agent(journal([], fails={"before_tool": RuntimeError("boom")}))
    with pytest.raises(RuntimeError):
        await agent.run("hi", "s")
    assert agent.session("s").messages[-1].content == "not completed: the request failed"


async def test_an_interrupt_takes_neither_way_and_the_session_is_free(
    make_agent: Any, journal: Any
) -> None:
    log: list[str] = []
    error = KeyboardInterrupt()
    agent = make_agent(journal(log, fails={"before_model": error}))
    with pytest.raises(KeyboardInterrupt) as caught:
        await agent.run("hi", "s")
    assert caught.value is error
    assert not {"on_error", "RunCancelledEvent", "failed", "cancelled"} & set(log)
    assert_empty(agent)


@pytest.mark.parametrize("ending", ["success", "error", "cancel", "close"])
async def test_finalisers_run_on_every_ending_the_last_first(make_agent: Any, ending: str) -> None:
    ran: list[str] = []

    async def second() -> None:
        ran.append("second")

    class Opening(Extension):
        async def before_run(self, context: Any) -> None:
            context.add_finaliser(lambda: ran.append("first"))
            context.add_finaliser(second)

    turns = [ConnectionError("gone")] if ending == "error" else ["hello"]
    stream = make_agent(Opening(), turns=turns).stream("hi")
    if ending == "success":
        assert [event.type async for event in stream][-1] == EventType.RUN_COMPLETED
    elif ending == "error":
        with pytest.raises(ConnectionError):
            assert [event async for event in stream]
    elif ending == "close":
        await anext(stream)
        await stream.aclose()
    else:

        async def read() -> None:
            async for _ in stream:
                await asyncio.Event().wait()

        task = asyncio.ensure_future(read())
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await stream.aclose()
    assert ran == ["second", "first"]


async def test_a_failing_finaliser_is_a_note_and_keeps_no_other_from_running(
    make_agent: Any,
) -> None:
    ran: list[str] = []
    error = ConnectionError("gone")

    def fail() -> None:
        raise OSError("cannot close")

    class Opening(Extension):
        async def before_run(self, context: Any) -> None:
            context.add_finaliser(lambda: ran.append("first"))
            context.add_finaliser(fail)

    with pytest.raises(ConnectionError):
        await make_agent(Opening(), turns=[error]).run("hi")
    assert ran == ["first"]
    assert "cannot close" in getattr(error, "__notes__", [""])[0]


async def test_a_failing_finaliser_takes_no_result_away(
    make_agent: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise OSError("secret path")

    class Opening(Extension):
        async def before_run(self, context: Any) -> None:
            context.add_finaliser(fail)

    assert (await make_agent(Opening(), turns=["hello"]).run("hi")).output == "hello"
    assert "OSError" in caplog.text
    assert "secret path" not in caplog.text


async def test_a_request_can_be_cancelled_while_it_is_compacted(make_agent: Any) -> None:
    heard: list[Any] = []

    class Hear(Extension):
        async def on_event(self, context: Any, event: Any) -> None:
            heard.extend([event] if isinstance(event, RunCancelledEvent) else [])

    class Always(KeepLast):
        def is_due(self, context: Any) -> bool:
            return True

    stream = make_agent(Hear(), compaction=Always(9)).stream("hi")
    first = await anext(stream)
    await stream.aclose()
    assert first.type == EventType.COMPACTION_STARTED
    assert [event.previous_phase for event in heard] == [Phase.COMPACTING]
