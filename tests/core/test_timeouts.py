"""Timeouts: async hooks are cancelled, plain ones run on a copy that is applied in time (rule 5)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookAborted, HookDispatchedEvent, HookManager, ToolCallContext
from hookcore.testing import HandClock, abandoned_threads
from hookcore.waiting.workers import _MOST_ABANDONED

from ..waiting import until

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]
Events = list[HookDispatchedEvent]
SHORT = 0.02
LONG = 30.0


def dispatch_either(manager: HookManager, ctx: ToolCallContext, *, asynchronous: bool) -> Any:
    """Dispatch as a sync or as an async host."""
    if asynchronous:
        return asyncio.run(manager.adispatch("pre_tool_call", ctx))
    return manager.dispatch("pre_tool_call", ctx)


both = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])


@both
def test_an_async_hook_that_outruns_its_timeout_is_cancelled(
    manager: HookManager, add: Add, call: Call, clock: HandClock, *, asynchronous: bool
) -> None:
    ended: list[str] = []

    async def slow(ctx: Any) -> None:
        clock.advance(LONG)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    add("pre_tool_call", slow, timeout=SHORT)
    dispatch_either(manager, call(), asynchronous=asynchronous)

    assert ended == ["cancelled"]


@both
def test_a_plain_hook_that_outruns_its_timeout_is_left_behind(
    manager: HookManager,
    add: Add,
    call: Call,
    clock: HandClock,
    release: threading.Event,
    *,
    asynchronous: bool,
) -> None:
    ended: list[str] = []

    def slow(ctx: Any) -> None:
        clock.advance(LONG)
        release.wait(LONG)
        ended.append("answered")

    add("pre_tool_call", slow, timeout=SHORT)
    dispatch_either(manager, call(), asynchronous=asynchronous)

    assert ended == []


@both
@pytest.mark.parametrize(
    ("on_error", "effect"), [("allow", "ignored"), ("deny", "applied")], ids=str
)
def test_a_timeout_is_recorded_as_such(
    manager: HookManager,
    add: Add,
    call: Call,
    clock: HandClock,
    events: Events,
    *,
    asynchronous: bool,
    on_error: str,
    effect: str,
) -> None:
    async def slow(ctx: Any) -> None:
        clock.advance(LONG)
        await asyncio.Event().wait()

    add("pre_tool_call", slow, timeout=SHORT, on_error=on_error)

    with contextlib.suppress(HookAborted):
        dispatch_either(manager, call(), asynchronous=asynchronous)

    (event,) = events
    (record,) = event.records
    assert (record.verdict, record.effect, event.error_count) == ("timeout", effect, 1)


def test_a_gate_that_outruns_its_timeout_denies(
    manager: HookManager, add: Add, call: Call, release: threading.Event
) -> None:
    add(
        "pre_tool_call", lambda ctx: release.wait(LONG) and None, gate=True, timeout=SHORT, name="g"
    )

    with pytest.raises(HookAborted) as caught:
        manager.dispatch("pre_tool_call", call())
    assert caught.value.source == "g"


def test_the_operators_timeout_beats_the_authors(
    manager: HookManager, add: Add, call: Call, clock: HandClock, events: Events
) -> None:
    async def slow(ctx: Any) -> None:
        clock.advance(LONG / 2)
        await asyncio.Event().wait()

    add("pre_tool_call", slow, timeout=LONG, operator={"timeout": SHORT})
    manager.dispatch("pre_tool_call", call())

    assert events[0].records[0].verdict == "timeout"


def test_without_a_timeout_a_plain_hook_runs_on_the_calling_thread(
    manager: HookManager, add: Add, call: Call
) -> None:
    threads: list[threading.Thread] = []
    add("pre_tool_call", lambda ctx: threads.append(threading.current_thread()))

    manager.dispatch("pre_tool_call", call())

    assert threads == [threading.current_thread()]


@both
def test_what_a_plain_hook_does_in_time_is_applied(
    manager: HookManager, add: Add, call: Call, *, asynchronous: bool
) -> None:
    def edit(ctx: Any) -> None:
        ctx.payload["edited"] = True

    def replace(ctx: Any) -> dict[str, Any]:
        return {**ctx.payload, "replaced": True}

    def bind(ctx: Any) -> None:
        ctx.payload = {**ctx.payload, "bound": True}

    for function in (edit, replace, bind):
        add("pre_tool_call", function, timeout=LONG)
    ctx = dispatch_either(manager, call(payload={}), asynchronous=asynchronous)

    assert ctx.payload == {"edited": True, "replaced": True, "bound": True}


def test_an_edit_in_time_reaches_the_hosts_own_object(
    manager: HookManager, add: Add, call: Call
) -> None:
    payload: dict[str, Any] = {}
    add("pre_tool_call", lambda ctx: ctx.payload.update(edited=True), timeout=LONG)

    manager.dispatch("pre_tool_call", call(payload=payload))

    assert payload == {"edited": True}


def test_a_new_tool_name_in_time_is_applied(manager: HookManager, add: Add, call: Call) -> None:
    def rename(ctx: Any) -> None:
        ctx.tool_name = "other"

    add("pre_tool_call", rename, timeout=LONG)

    assert manager.dispatch("pre_tool_call", call()).tool_name == "other"


@both
def test_what_a_plain_hook_does_too_late_is_not_applied(
    manager: HookManager,
    add: Add,
    call: Call,
    release: threading.Event,
    *,
    asynchronous: bool,
) -> None:
    done = threading.Event()

    def slow(ctx: Any) -> None:
        ctx.payload["early"] = True
        release.wait(LONG)
        ctx.payload["late"] = True
        ctx.tool_name = "late"
        done.set()

    add("pre_tool_call", slow, timeout=SHORT)
    ctx = dispatch_either(manager, call(payload={}), asynchronous=asynchronous)
    release.set()
    done.wait(LONG)

    assert (ctx.payload, ctx.tool_name) == ({}, "read_file")


def test_a_payload_that_cannot_be_copied_fails_a_timed_hook(
    manager: HookManager, add: Add, call: Call
) -> None:
    add("pre_tool_call", lambda ctx: None, timeout=LONG, on_error="deny", name="p")

    with pytest.raises(HookAborted) as caught:
        manager.dispatch("pre_tool_call", call(payload={"lock": threading.Lock()}))
    assert caught.value.source == "p"


def test_an_abort_in_a_thread_is_an_abort(manager: HookManager, add: Add, call: Call) -> None:
    add("pre_tool_call", lambda ctx: False, timeout=LONG, name="p")

    with pytest.raises(HookAborted, match="returned False"):
        manager.dispatch("pre_tool_call", call())


@both
def test_a_keyboard_interrupt_in_a_thread_reaches_the_host(
    manager: HookManager, add: Add, call: Call, *, asynchronous: bool
) -> None:
    def hook(ctx: Any) -> None:
        raise KeyboardInterrupt

    add("pre_tool_call", hook, timeout=LONG)

    with pytest.raises(KeyboardInterrupt):
        dispatch_either(manager, call(), asynchronous=asynchronous)


@both
def test_a_keyboard_interrupt_in_a_timed_async_hook_reaches_the_host(
    manager: HookManager, add: Add, call: Call, *, asynchronous: bool
) -> None:
    async def hook(ctx: Any) -> None:
        raise KeyboardInterrupt

    add("pre_tool_call", hook, timeout=LONG)

    with pytest.raises(KeyboardInterrupt):
        dispatch_either(manager, call(), asynchronous=asynchronous)


@both
def test_threads_left_behind_are_bounded_and_come_back(
    manager: HookManager,
    add: Add,
    call: Call,
    events: Events,
    release: threading.Event,
    *,
    clock: HandClock,
    asynchronous: bool,
) -> None:
    ran: list[int] = []

    def slow(ctx: Any) -> None:
        ran.append(1)
        clock.advance(LONG)
        release.wait(LONG)

    add("pre_tool_call", slow, timeout=SHORT)
    for _ in range(_MOST_ABANDONED + 2):
        dispatch_either(manager, call(), asynchronous=asynchronous)

    assert len(ran) == _MOST_ABANDONED
    assert [event.records[0].verdict for event in events] == ["timeout"] * len(events)
    release.set()
    until(lambda: not abandoned_threads(manager))
    dispatch_either(manager, call(), asynchronous=asynchronous)
    assert len(ran) == _MOST_ABANDONED + 1


def test_an_idle_thread_is_used_again(manager: HookManager, add: Add, call: Call) -> None:
    threads: list[str] = []
    add("pre_tool_call", lambda ctx: threads.append(repr(threading.get_ident())), timeout=LONG)

    def again() -> bool:
        manager.dispatch("pre_tool_call", call())
        return len(set(threads)) < len(threads)

    until(again)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    program = """
import os, warnings
from hookcore import HookManager, ToolCallContext, hookimpl
class Plugin:
    @hookimpl(timeout=30.0, on_error="deny")
    def pre_tool_call(self, ctx):
        return {"seen": True}
manager = HookManager()
manager.register(Plugin())
def dispatch():
    ctx = ToolCallContext(tool_name="t", payload={})
    return manager.dispatch("pre_tool_call", ctx).payload
dispatch()
warnings.simplefilter("ignore", DeprecationWarning)
child = os.fork()
assert dispatch() == {"seen": True}
if child:
    assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-c", program], check=True)
