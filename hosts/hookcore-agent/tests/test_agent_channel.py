"""The way of events: in order, handed over, ended once; and the phases of a request."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from hookcore import HookManager
from hookcore_agent import Agent, AgentProtocolError, Phase, ScriptedModel
from hookcore_agent.channel import END, EventChannel
from hookcore_agent.phases import PhaseMachine

pytestmark = pytest.mark.asyncio


async def test_events_come_out_in_the_order_in_which_they_were_put() -> None:
    channel = EventChannel()
    puts = [asyncio.ensure_future(channel.put(n)) for n in range(3)]
    assert [await channel.get() for _ in range(3)] == [0, 1, 2]
    channel.close()
    assert await channel.get() is END
    await asyncio.gather(*puts)


async def test_who_puts_waits_until_the_next_event_is_asked_for() -> None:
    channel = EventChannel()
    put = asyncio.ensure_future(channel.put("event"))
    assert await channel.get() == "event"
    await asyncio.sleep(0)
    assert not put.done()
    nobody = asyncio.ensure_future(channel.get())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert put.done()
    channel.close()
    assert await nobody is END


async def test_nothing_is_put_after_the_last_event() -> None:
    channel = EventChannel()
    await channel.put("last", last=True)
    with pytest.raises(AgentProtocolError, match="has ended"):
        await channel.put("later")


async def test_an_event_whose_sender_was_cancelled_is_left_out() -> None:
    channel = EventChannel()
    first, second = (asyncio.ensure_future(channel.put(n)) for n in (1, 2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    assert await channel.get() == 2
    second.cancel()


async def test_nobody_waits_for_a_reader_that_left() -> None:
    channel = EventChannel()
    channel.leave()
    await asyncio.wait_for(channel.put("event"), 1)


async def test_only_stream_is_an_async_generator() -> None:
    public = {name for name in dir(Agent) if not name.startswith("_")}
    generators = {name for name in public if inspect.isasyncgenfunction(getattr(Agent, name))}
    assert generators == {"stream"}


async def test_a_stream_that_ends_without_its_last_event_is_an_error(
    manager: HookManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(context: object) -> None:
        return None

    monkeypatch.setattr("hookcore_agent.serving.serve", nothing)
    with pytest.raises(AgentProtocolError, match="without its last event"):
        await Agent("a", ScriptedModel([]), hooks=manager).run("hi")


BUSY = {Phase.GENERATING, Phase.RUNNING_TOOL, Phase.COMPACTING}
ENDS = {Phase.COMPLETED, Phase.FAILED, Phase.CANCELLED}


def allowed(source: Phase, target: Phase) -> bool:
    if source is Phase.READY:
        return target is not Phase.READY
    return source in BUSY and target in {Phase.READY, Phase.FAILED, Phase.CANCELLED}


@pytest.mark.parametrize("source", list(Phase))
@pytest.mark.parametrize("target", list(Phase))
async def test_a_phase_follows_another_only_where_it_may(source: Phase, target: Phase) -> None:
    machine = PhaseMachine()
    machine.current = source
    if allowed(source, target):
        assert machine.move(target) is source
        assert (machine.current, machine.is_over) == (target, target in ENDS)
    else:
        with pytest.raises(AgentProtocolError, match=f"{source} cannot become {target}"):
            machine.move(target)
        assert machine.current is source
