"""Points whose hooks only watch: the compiled loop tells, records and raises what the engine does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore import (
    Abort,
    HookAborted,
    HookDispatchedEvent,
    HookManager,
    Replace,
    ToolCallContext,
    hookimpl,
)
from hookcore.testing import register_configured

OnError = Literal["allow", "deny", "raise"]
CASES = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "nothing",
                "edit",
                "rebind",
                "answer",
                "abort",
                "answer abort",
                "replace",
                "fail",
                "signal",
                "interrupt",
                "coroutine",
            ]
        ),
        st.sampled_from(["allow", "deny", "raise"]),
    ),
    min_size=1,
    max_size=4,
)


class Signal(Exception):  # noqa: N818 - a signal is no error
    """A host's own control flow."""


async def nothing() -> None:
    """Do nothing."""


RAISED = {
    "abort": HookAborted("not so"),
    "fail": ValueError("failed"),
    "signal": Signal(),
    "interrupt": KeyboardInterrupt(),
}
ANSWERS: dict[str, Callable[[], Any]] = {
    "answer": lambda: {"other": 2},
    "answer abort": lambda: Abort("not so"),
    "replace": lambda: Replace(None),
    "coroutine": nothing,
}


def perform(act: str, ctx: Any) -> Any:
    """Do what a case says, and return a hook's answer."""
    if act in RAISED:
        raise RAISED[act]
    if act == "edit":
        ctx.payload["edited"] = True
    elif act == "rebind":
        ctx.payload = {"other": 1}
    return ANSWERS.get(act, lambda: None)()


def plugin_of(name: str, act: str, seen: list[Any]) -> Any:
    """Return a plugin that watches the end of tools."""

    class Watcher:
        @hookimpl
        def tool_finished(self, ctx: ToolCallContext) -> Any:
            seen.append((name, dict(ctx.payload)))
            return perform(act, ctx)

    return Watcher()


def told(
    case: list[tuple[str, OnError]], *, by_engine: bool, listened: bool, asynchronous: bool
) -> Any:
    """Return what a dispatch of a case comes to."""
    seen: list[Any] = []
    events: list[HookDispatchedEvent] = []
    manager = HookManager(track_mutations=by_engine, control_flow=[Signal])
    if listened:
        manager.subscribe(events.append)
    for index, (act, on_error) in enumerate(case):
        name = f"{index} {act}"
        register_configured(manager, plugin_of(name, act, seen), name, on_error=on_error)
    payload = {"kept": [1]}
    ctx = ToolCallContext(tool_name="read", tool_input={}, tool_result=payload)
    run: Callable[[], object] = lambda: manager.dispatch("tool_finished", ctx)  # noqa: E731
    if asynchronous:
        run = lambda: asyncio.run(_awaited(manager, ctx))  # noqa: E731
    raised: Any = None
    try:
        run()
    except BaseException as error:  # noqa: BLE001 - compared with the engine's
        raised = (type(error), str(error))
    finally:
        manager.close()
    records = [
        [(record.hook, record.plugin, record.verdict, record.effect) for record in event.records]
        for event in events
    ]
    outcomes = [(event.outcome, event.error_count, event.abort_reason) for event in events]
    assert payload == {"kept": [1]}, "those who watch change nothing of the host's"
    return seen, raised, records, outcomes


async def _awaited(manager: HookManager, ctx: ToolCallContext) -> None:
    await manager.adispatch("tool_finished", ctx)


@pytest.mark.parametrize("asynchronous", [False, True])
@given(case=CASES, listened=st.booleans())
def test_the_compiled_loop_tells_watchers_what_the_engine_tells_them(
    case: list[tuple[str, OnError]], *, listened: bool, asynchronous: bool
) -> None:
    compiled = told(case, by_engine=False, listened=listened, asynchronous=asynchronous)
    engine = told(case, by_engine=True, listened=listened, asynchronous=asynchronous)
    assert compiled == engine
