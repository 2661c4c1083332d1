"""Events from outside: who takes them, for which request, once."""

from __future__ import annotations

import asyncio
import gc
import random
import threading
import weakref
from dataclasses import dataclass
from typing import Any

import pytest

from hookcore import hookimpl
from hookcore_agent import Agent, RequestContext, ScriptedModel, ToolCall
from hookcore_agent.lifecycle import (
    AgentEvent,
    AgentProtocolError,
    EventType,
    Extension,
    ExternalEvent,
    ExternalEventExtension,
    RunConfig,
)

pytestmark = pytest.mark.asyncio


class Approval(ExternalEventExtension):
    """Asks for an approval before the tool, which returns the reply."""

    def __init__(self) -> None:
        super().__init__(response_event_name="reply", correlation_field="question")

    async def before_tool(self, context: Any, call: Any) -> None:
        async with self._wait_for_external_event(context, call.id):
            await context.emit(AgentEvent(EventType.CUSTOM, "question", call.id))

    def is_empty(self) -> bool:
        return not self._waits and not any(self._staged.values())


def reply(question: str, answer: str = "yes", **more: Any) -> ExternalEvent:
    return ExternalEvent("reply", {"question": question, "answer": answer, **more})


@pytest.fixture
def approval() -> Approval:
    return Approval()


@pytest.fixture
def agent(approval: Approval, manager: Any) -> Agent:
    def ask(context: RequestContext) -> str:
        """Ask."""
        return str(approval._take_external_event(context).payload["answer"])

    def script(request: Any) -> Any:
        last = request.messages[-1]
        return last.content if last.role == "tool" else [ToolCall("ask", {}, "q1")]

    return Agent("a", ScriptedModel(script), [ask], [approval], manager)


async def asked(stream: Any) -> Any:
    async for event in stream:
        if event.name == "question":
            return event
    raise AssertionError("no question came")


async def rest(stream: Any) -> Any:
    last = None
    async for event in stream:
        last = event
    return last.payload if last is not None else None


async def test_all_extensions_are_asked_and_named_in_the_order_of_priority(
    make_agent: Any,
) -> None:
    seen: list[Any] = []

    class Take(Extension):
        def accept(self, config: Any, event: Any) -> bool:
            seen.append((self.name, event))
            return self.name != "b"

    agent = make_agent(
        Take(name="c", priority=3), Take(name="a", priority=1), Take(name="b", priority=2)
    )
    event = ExternalEvent("ping")
    assert agent.emit_external_event(event) == ["a", "c"]
    assert [name for name, _ in seen] == ["a", "b", "c"]
    assert all(given is event for _, given in seen)


async def test_what_accept_raises_reaches_who_emitted(make_agent: Any) -> None:
    class Wrong(Extension):
        def accept(self, config: Any, event: Any) -> bool:
            raise OSError("no")

    with pytest.raises(OSError, match="no"):
        make_agent(Wrong()).emit_external_event(ExternalEvent("ping"))


async def test_without_a_config_an_event_goes_to_the_only_request(
    agent: Agent, approval: Approval
) -> None:
    stream = agent.stream("hi")
    await asked(stream)
    assert agent.emit_external_event(reply("q1")) == ["Approval"]
    assert (await rest(stream)).output == "yes"
    assert approval.is_empty()


async def test_with_two_requests_somebody_has_to_say_which(agent: Agent) -> None:
    first, second = agent.stream("hi", "s1"), agent.stream("hi", "s2")
    await asked(first)
    await asked(second)
    with pytest.raises(AgentProtocolError, match="2 requests in progress"):
        agent.emit_external_event(reply("q1"))
    await first.aclose()
    await second.aclose()


async def test_with_none_in_progress_the_agents_own_config_counts(make_agent: Any) -> None:
    seen: list[Any] = []

    class Take(Extension):
        def accept(self, config: Any, event: Any) -> bool:
            seen.append(config)
            return False

    config = RunConfig("s9")
    make_agent(Take(), config=config).emit_external_event(ExternalEvent())
    make_agent(Take()).emit_external_event(ExternalEvent())
    assert seen == [config, None]


async def test_the_same_call_id_in_two_sessions_is_two_questions(
    agent: Agent, approval: Approval
) -> None:
    first, second = agent.stream("hi", "s1"), agent.stream("hi", "s2")
    await asked(first)
    await asked(second)
    agent.emit_external_event(reply("q1", "two"), RunConfig("s2"))
    # Where an event goes is said by the config, whatever its payload says.
    agent.emit_external_event(reply("q1", "one", session_id="s2"), RunConfig("s1"))
    assert ((await rest(first)).output, (await rest(second)).output) == ("one", "two")
    assert approval.is_empty()


@pytest.mark.parametrize(
    ("event", "config"),
    [
        (reply("other"), RunConfig("s")),
        (reply(" "), RunConfig("s")),
        (ExternalEvent("reply", {}), RunConfig("s")),
        (ExternalEvent("reply", {"question": 1}), RunConfig("s")),
        (ExternalEvent("gossip", {"question": "q1"}), RunConfig("s")),
        (reply("q1"), RunConfig("another session")),
        (reply("q1"), RunConfig("s", "another request")),
    ],
)
async def test_what_is_no_reply_to_this_question_is_not_accepted(
    agent: Agent, event: ExternalEvent, config: RunConfig
) -> None:
    stream = agent.stream("hi", "s")
    await asked(stream)
    assert agent.emit_external_event(event, config) == []
    assert agent.emit_external_event(reply("q1"), RunConfig("s")) == ["Approval"]
    assert (await rest(stream)).output == "yes"


async def test_a_reply_that_names_the_request_is_accepted(agent: Agent) -> None:
    stream = agent.stream("hi", "s")
    question = await asked(stream)
    config = RunConfig("s", question.run_id)
    assert agent.emit_external_event(reply("q1"), config) == ["Approval"]
    await rest(stream)


async def test_only_the_first_reply_is_accepted_and_none_that_comes_late(agent: Agent) -> None:
    stream = agent.stream("hi", "s")
    await asked(stream)
    config = RunConfig("s")
    assert agent.emit_external_event(reply("q1", "first"), config) == ["Approval"]
    assert agent.emit_external_event(reply("q1", "second"), config) == []
    assert (await rest(stream)).output == "first"
    assert agent.emit_external_event(reply("q1"), config) == []


async def test_without_a_config_nothing_is_accepted(approval: Approval) -> None:
    assert not approval.accept(None, reply("q1"))


async def test_a_reply_may_come_from_another_thread(agent: Agent) -> None:
    stream = agent.stream("hi", "s")
    await asked(stream)
    accepted = await asyncio.to_thread(agent.emit_external_event, reply("q1"), RunConfig("s"))
    assert accepted == ["Approval"]
    assert (await rest(stream)).output == "yes"


async def test_a_reply_that_comes_while_the_question_leaves_is_not_lost(agent: Agent) -> None:
    async for event in agent.stream("hi", "s"):
        if event.name == "question":
            assert agent.emit_external_event(reply("q1"), RunConfig("s")) == ["Approval"]
    assert agent.session("s").messages[-1].content == "yes"


async def test_unrelated_events_wake_nobody(agent: Agent) -> None:
    stream = agent.stream("hi", "s")
    await asked(stream)
    waiting = asyncio.ensure_future(rest(stream))
    agent.emit_external_event(ExternalEvent("gossip"), RunConfig("s"))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    agent.emit_external_event(reply("q1"), RunConfig("s"))
    assert (await waiting).output == "yes"


async def test_a_cancelled_request_stops_waiting(agent: Agent, approval: Approval) -> None:
    stream = agent.stream("hi", "s")
    await asked(stream)
    await stream.aclose()
    assert approval.is_empty()
    assert agent.emit_external_event(reply("q1"), RunConfig("s")) == []


async def test_a_failed_request_wakes_who_waits_with_its_error(approval: Approval) -> None:
    context: Any = type("Context", (), {"session_id": "s", "run_id": "r"})()
    error = OSError("gone")

    async def wait() -> None:
        async with approval._wait_for_external_event(context, "q"):
            pass

    waiting = asyncio.ensure_future(wait())
    await asyncio.sleep(0)
    await approval.on_error(context, error)
    with pytest.raises(OSError, match="gone") as caught:
        await waiting
    assert caught.value is error
    assert approval.is_empty()


async def test_a_close_after_the_reply_was_accepted_discards_it(
    agent: Agent, approval: Approval
) -> None:
    stream = agent.stream("hi", "s")
    await asked(stream)
    agent.emit_external_event(reply("q1"), RunConfig("s"))
    async for event in stream:
        if event.type == EventType.TOOL_STARTED:
            assert not approval.is_empty()
            break
    await stream.aclose()
    assert approval.is_empty()


async def test_a_reply_is_taken_once(approval: Approval) -> None:
    context: Any = type("Context", (), {})()
    event = reply("q")
    approval._staged[context] = {None: event}
    assert approval._take_external_event(context) is event
    with pytest.raises(RuntimeError, match="taken once"):
        approval._take_external_event(context)


@pytest.mark.parametrize(
    ("names", "field"), [("", "id"), ([], "id"), (["a", " "], "id"), ("a", "")]
)
async def test_empty_names_and_fields_are_refused(names: Any, field: str) -> None:
    with pytest.raises(ValueError, match="takes"):
        ExternalEventExtension(response_event_name=names, correlation_field=field)


@pytest.mark.parametrize("question", ["", " ", None])
async def test_a_question_needs_an_id(approval: Approval, question: Any) -> None:
    context: Any = object()
    with pytest.raises(ValueError, match="needs an id"):
        async with approval._wait_for_external_event(context, question):
            pass


async def test_one_of_two_threads_wins_a_question_and_its_reply_is_the_one(
    approval: Approval,
) -> None:
    context: Any = type("Context", (), {"session_id": "s", "run_id": "r"})()
    config = RunConfig("s")
    for number in range(100):
        accepted: list[str] = []
        start = threading.Barrier(2)

        def answer(name: str, start: Any = start, accepted: Any = accepted) -> None:
            start.wait(5)
            if approval.accept(config, reply("q", name)):
                accepted.append(name)

        threads = [threading.Thread(target=answer, args=(name,)) for name in "ab"]
        async with approval._wait_for_external_event(context, "q"):
            for thread in threads:
                thread.start()
            for thread in threads:
                await asyncio.to_thread(thread.join)
        assert [approval._take_external_event(context).payload["answer"]] == accepted, number


async def test_steering_is_taken_up_exactly_when_it_was_accepted(make_agent: Any) -> None:
    seeded = random.Random(7)
    accepted = taken = 0
    for _ in range(100):
        agent = make_agent(turns=lambda _: "answer")
        session = agent.session("s")
        result: list[bool] = []
        delay = seeded.random() * 0.002

        def steer(agent: Any = agent, result: Any = result, delay: float = delay) -> None:
            threading.Event().wait(delay)
            result.append(agent.steer("more", "s"))

        thread = threading.Thread(target=steer)
        stream = agent.stream("hi", session)
        await anext(stream)
        thread.start()
        async for _event in stream:
            pass
        await asyncio.to_thread(thread.join)
        accepted += result[0]
        taken += any(message.content == "more" for message in session.messages)
        assert accepted == taken
    assert taken == accepted


async def test_many_sessions_at_once_do_not_mix_and_leave_nothing(
    agent: Agent, approval: Approval
) -> None:
    async def talk(number: int) -> str:
        output = ""
        async for event in agent.stream("hi", f"s{number}"):
            if event.name == "question":
                config = RunConfig(f"s{number}")
                assert agent.emit_external_event(reply("q1", f"n{number}"), config)
            elif event.type == EventType.RUN_COMPLETED:
                output = event.payload.output
        return output

    assert await asyncio.gather(*map(talk, range(24))) == [f"n{n}" for n in range(24)]
    assert agent.active_sessions == ()
    assert approval.is_empty()


async def test_a_request_that_is_over_is_not_kept_alive(make_agent: Any) -> None:
    known: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()

    class Keep(Extension):
        async def before_run(self, context: Any) -> None:
            known[context] = "kept"

    await make_agent(Keep(), turns=["x"]).run("hi")
    gc.collect()
    assert len(known) == 0


@dataclass(frozen=True)
class Answered(ExternalEvent):
    question: str
    answer: str


class Silent(ExternalEvent):
    pass


@dataclass
class Named(ExternalEvent):
    first: int
    name: str
    last: int


async def test_an_event_may_be_a_dataclass_named_by_its_class(manager: Any) -> None:
    class Asking(ExternalEventExtension):
        async def before_tool(self, context: Any, call: Any) -> None:
            async with self._wait_for_external_event(context, call.id):
                await context.emit(AgentEvent(EventType.CUSTOM, "question"))

    asking = Asking(response_event_name="Answered", correlation_field="question")

    def ask(context: RequestContext) -> str:
        """Ask."""
        reply: Any = asking._take_external_event(context)
        return str(reply.answer)

    model = ScriptedModel([[ToolCall("ask", {}, "q1")], "done"])
    agent = Agent("a", model, [ask], [asking], manager)
    stream = agent.stream("hi", "s")
    await asked(stream)
    assert agent.emit_external_event(Answered("q1", "yes")) == ["Asking"]
    assert (await rest(stream)).messages[2].content == "yes"


async def test_an_events_name_is_its_class_s_unless_it_has_one() -> None:
    assert [event.name for event in (Silent(), Silent("x"), Named(1, "n", 2))] == [
        "Silent",
        "x",
        "n",
    ]
    assert Silent().payload == {}
    assert "Silent" in repr(Silent())
    with pytest.raises(AttributeError, match="Silent has no attribute 'nothing'"):
        assert Silent().nothing


async def test_a_plugin_of_the_agent_is_asked_once_inside_and_outside_of_a_request(
    manager: Any,
) -> None:
    taken: list[Any] = []

    class Taker:
        @hookimpl
        def accept_event(self, ctx: Any) -> bool:
            taken.append(ctx.payload)
            return True

        @hookimpl
        def pre_run(self, ctx: Any) -> None:
            assert ctx.agent.emit_external_event(ExternalEvent("inside")) == ["Taker"]

    agent = Agent("a", ScriptedModel(["hello"]), extensions=[Taker()], hooks=manager)
    await agent.run("hi")
    assert agent.emit_external_event(ExternalEvent("outside"))
    assert [event.name for event in taken] == ["inside", "outside"]
