"""Events: what is emitted into the stream, and what extensions tell each other."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import pytest

from hookcore import hookimpl
from hookcore_agent import KeepLast
from hookcore_agent.lifecycle import (
    AgentEvent,
    AgentProtocolError,
    EventType,
    Extension,
    ExtensionEvent,
    MessageAppendedEvent,
    Phase,
    UserMessage,
)

pytestmark = pytest.mark.asyncio


@dataclass(frozen=True)
class Spent(ExtensionEvent):
    cents: int


class Emitting(Extension):
    """Emits one event before the run."""

    def __init__(self, event: Any, method: str = "before_run") -> None:
        super().__init__()

        async def emit(context: Any, *_: Any) -> None:
            await context.emit(event)

        setattr(self, method, emit)


async def test_a_custom_event_keeps_its_identity_and_gets_ids_and_phase(make_agent: Any) -> None:
    event = AgentEvent("custom", "note", payload := {"a": 1})
    seen = [item async for item in make_agent(Emitting(event), turns=["x"]).stream("hi", "s")]
    assert seen[0] is event
    assert event.payload is payload
    assert (event.session_id, event.phase) == ("s", Phase.READY)
    assert event.run_id == seen[-1].payload.run_id
    assert event.timestamp is not None


async def test_an_event_of_a_compaction_is_emitted_in_its_phase(make_agent: Any) -> None:
    class Telling(KeepLast):
        async def compact(self, context: Any) -> None:
            await context.emit(AgentEvent(EventType.CUSTOM, "shortening"))

    agent = make_agent(turns=["one"], compaction=Telling(1))
    session = agent.session("s")
    session.messages.extend([UserMessage("a"), UserMessage("b")])
    events = [event async for event in agent.stream("hi", session)]
    [told] = [event for event in events if event.name == "shortening"]
    assert told.phase is Phase.COMPACTING


@pytest.mark.parametrize("name", [None, "", "  "])
async def test_a_custom_event_without_a_name_is_refused(make_agent: Any, name: Any) -> None:
    with pytest.raises(AgentProtocolError, match="needs a name"):
        await make_agent(Emitting(AgentEvent(EventType.CUSTOM, name))).run("hi")


async def test_an_event_for_another_session_is_refused(make_agent: Any) -> None:
    event = AgentEvent(EventType.CUSTOM, "note", session_id="other")
    with pytest.raises(AgentProtocolError, match="session other"):
        await make_agent(Emitting(event)).run("hi", "s")


RUNTIME_OWNED = [
    kind
    for kind in EventType
    if kind not in {EventType.CUSTOM, EventType.COMPACTION_STARTED, EventType.COMPACTION_COMPLETED}
]


@pytest.mark.parametrize("kind", RUNTIME_OWNED)
async def test_the_runtimes_own_events_cannot_be_emitted(make_agent: Any, kind: Any) -> None:
    with pytest.raises(AgentProtocolError, match="the runtime's own"):
        await make_agent(Emitting(AgentEvent(kind, "x"))).run("hi")


async def test_the_type_of_an_event_may_be_written_in_any_case() -> None:
    types = [AgentEvent(text).type for text in ("custom", "CUSTOM", "Run_Completed", "odd")]
    assert types == [EventType.CUSTOM, EventType.CUSTOM, EventType.RUN_COMPLETED, "odd"]


async def test_events_come_in_the_order_of_the_methods(make_agent: Any) -> None:
    first = Emitting(AgentEvent(EventType.CUSTOM, "first"))
    first.name, first.priority = "a", 1
    second = Emitting(AgentEvent(EventType.CUSTOM, "second"))
    last = Emitting(AgentEvent(EventType.CUSTOM, "last"), "after_run")
    last.name = "c"
    seen = [e.name async for e in make_agent(second, last, first, turns=["x"]).stream("hi")]
    assert [name for name in seen if name] == ["first", "second", "last"]


async def test_a_method_waits_until_its_event_was_read(make_agent: Any) -> None:
    log: list[str] = []

    class Slow(Extension):
        async def before_run(self, context: Any) -> None:
            await context.emit(AgentEvent(EventType.CUSTOM, "note"))
            log.append("went on")

    async for event in make_agent(Slow(), turns=["x"]).stream("hi"):
        log += ["read"] if event.name == "note" else []
    assert log == ["read", "went on"]


async def test_nothing_is_emitted_after_the_end(make_agent: Any) -> None:
    contexts: list[Any] = []

    class Keep(Extension):
        async def before_run(self, context: Any) -> None:
            contexts.append(context)

    await make_agent(Keep(), turns=["x"]).run("hi")
    with pytest.raises(AgentProtocolError, match="completed"):
        await contexts[0].emit(AgentEvent(EventType.CUSTOM, "late"))


async def test_a_published_event_is_heard_by_all_in_order_the_publisher_included(
    make_agent: Any,
) -> None:
    heard: list[Any] = []

    class Hear(Extension):
        async def before_run(self, context: Any) -> None:
            if self.name == "b":
                await context.publish(event)
                heard.append("published")

        async def on_event(self, context: Any, event: Any) -> None:
            if isinstance(event, Spent):
                heard.append((self.name, event))

    event = Spent(3)
    agent = make_agent(
        Hear(name="c", priority=3), Hear(name="a", priority=1), Hear(name="b", priority=2)
    )
    await agent.run("hi")
    assert heard == [("a", event), ("b", event), ("c", event), "published"]
    assert all(entry[1] is event for entry in heard[:3])


async def test_a_failing_hearer_stops_the_round_and_the_publisher_gets_the_error(
    make_agent: Any,
) -> None:
    heard: list[str] = []
    error = OSError("deaf")

    class Hear(Extension):
        async def before_run(self, context: Any) -> None:
            if self.name == "a":
                with pytest.raises(OSError, match="deaf") as caught:
                    await context.publish(Spent(1))
                assert caught.value is error

        async def on_event(self, context: Any, event: Any) -> None:
            if isinstance(event, Spent):
                heard.append(self.name)
                if self.name == "b":
                    raise error

    names = ("a", "b", "c")
    agent = make_agent(*(Hear(name=name) for name in names))
    assert (await agent.run("hi")).output == "three"
    assert heard == ["a", "b"]


async def test_a_target_is_the_only_one_to_hear(make_agent: Any) -> None:
    heard: list[str] = []

    class Hear(Extension):
        async def before_run(self, context: Any) -> None:
            if self.name == "a":
                await context.publish(Spent(1), target="b")

        async def on_event(self, context: Any, event: Any) -> None:
            if isinstance(event, Spent):
                heard.append(self.name)

    await make_agent(Hear(name="a"), Hear(name="b"), Hear(name="c")).run("hi")
    assert heard == ["b"]


@pytest.mark.parametrize("target", ["", "nobody"])
async def test_an_unknown_target_is_refused_and_nobody_hears(make_agent: Any, target: str) -> None:
    heard: list[Any] = []

    class Hear(Extension):
        async def before_run(self, context: Any) -> None:
            await context.publish(Spent(1), target=target)

        async def on_event(self, context: Any, event: Any) -> None:
            if isinstance(event, Spent):
                heard.append(event)

    with pytest.raises(ValueError, match="no single extension is named"):
        await make_agent(Hear()).run("hi")
    assert heard == []


async def test_only_extension_events_are_published(make_agent: Any) -> None:
    class Wrong(Extension):
        async def before_run(self, context: Any) -> None:
            await context.publish("text")

    with pytest.raises(TypeError, match="ExtensionEvent"):
        await make_agent(Wrong()).run("hi")


async def test_an_event_is_immutable() -> None:
    event = Spent(3)
    with pytest.raises(FrozenInstanceError):
        event.cents = 4  # type: ignore[misc]


async def test_a_message_can_be_seen_before_its_event_comes(make_agent: Any) -> None:
    seen: list[bool] = []

    class Hear(Extension):
        async def on_event(self, context: Any, event: Any) -> None:
            if isinstance(event, MessageAppendedEvent):
                seen.append(event.message in context.session.messages)

    await make_agent(Hear()).run("hi")
    assert seen == [True] * 4


async def test_a_plugin_hears_published_events_too(manager: Any, make_agent: Any) -> None:
    heard: list[Any] = []

    class Budget:
        @hookimpl
        def extension_event(self, ctx: Any) -> None:
            if isinstance(ctx.payload, Spent):
                heard.append(ctx.payload)

    class Publish(Extension):
        async def before_run(self, context: Any) -> None:
            await context.publish(Spent(3))

    manager.register(Budget())
    await make_agent(Publish()).run("hi")
    assert heard == [Spent(3)]


async def test_a_follow_up_is_another_turn_of_the_same_run(make_agent: Any) -> None:
    class Ask(Extension):
        async def after_turn(self, context: Any, message: Any) -> None:
            if message.content == "one":
                context.follow_up("are you sure?")

    result = await make_agent(Ask(), turns=["one", "two"]).run("hi")
    assert [m.content for m in result.messages] == ["hi", "one", "are you sure?", "two"]


async def test_extensions_cannot_ask_for_follow_ups_for_ever(make_agent: Any) -> None:
    class Ask(Extension):
        async def after_turn(self, context: Any, message: Any) -> None:
            context.follow_up("go on")

    agent = make_agent(Ask(), turns=["x"] * 20)
    with pytest.raises(Exception, match="too many follow-ups"):
        await agent.run("hi")
    assert len(agent.model.requests) == 9
