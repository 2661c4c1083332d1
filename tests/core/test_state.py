"""The state of plugins: ``ctx.state`` of their own and ``ctx.shared`` of the run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import EventContext, HookContext, HookManager, RunContext, ToolCallContext, hookimpl
from hookcore.dispatch.states import _MOST_UNOPENED
from hookcore.testing import kept_runs

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


class Counter:
    """Counts its tool calls in its state."""

    def __init__(self) -> None:
        self.counts: list[int] = []

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None:
        ctx.state["n"] = ctx.state.get("n", 0) + 1
        self.counts.append(ctx.state["n"])


@pytest.fixture
def counter(manager: HookManager) -> Counter:
    plugin = Counter()
    manager.register(plugin, name="counter")
    return plugin


def test_state_is_kept_for_the_run(manager: HookManager, counter: Counter, call: Call) -> None:
    for _ in range(3):
        manager.dispatch("pre_tool_call", call(run_id="r"))

    assert counter.counts == [1, 2, 3]


def test_each_run_has_its_own_state(manager: HookManager, counter: Counter, call: Call) -> None:
    for run in ("r1", "r2", "r1"):
        manager.dispatch("pre_tool_call", call(run_id=run))

    assert counter.counts == [1, 1, 2]


def test_without_a_run_state_is_kept_for_the_dispatch(
    manager: HookManager, counter: Counter, call: Call
) -> None:
    manager.dispatch("pre_tool_call", call())
    manager.dispatch("pre_tool_call", call())

    assert counter.counts == [1, 1]


def test_a_plugins_hooks_share_its_state(manager: HookManager, call: Call) -> None:
    seen: list[Any] = []

    class Plugin:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None:
            ctx.state["path"] = ctx.payload["path"]

        @hookimpl
        def post_tool_call(self, ctx: Any) -> None:
            seen.append(ctx.state["path"])

    manager.register(Plugin())
    manager.dispatch("pre_tool_call", call(run_id="r"))
    manager.dispatch("post_tool_call", call(run_id="r"))

    assert seen == ["notes.txt"]


def test_no_plugin_sees_the_state_of_another(manager: HookManager, add: Add, call: Call) -> None:
    seen: list[Any] = []
    add("pre_tool_call", lambda ctx: ctx.state.update(mine=1), name="a")
    add("pre_tool_call", lambda ctx: seen.append(dict(ctx.state)), name="b")

    manager.dispatch("pre_tool_call", call(run_id="r"))

    assert seen == [{}]


@pytest.mark.parametrize("run", ["r", None])
def test_shared_is_the_same_for_all_plugins(
    manager: HookManager, add: Add, call: Call, run: str | None
) -> None:
    seen: list[Any] = []
    add("pre_tool_call", lambda ctx: ctx.shared.update(ours=1), name="a")
    add("pre_tool_call", lambda ctx: seen.append(dict(ctx.shared)), name="b")

    manager.dispatch("pre_tool_call", call(run_id=run))

    assert seen == [{"ours": 1}]


@pytest.mark.parametrize("options", [{}, {"gate": True}, {"timeout": 30}])
def test_every_form_of_hook_has_the_same_state(
    manager: HookManager, add: Add, call: Call, options: dict[str, Any]
) -> None:
    counts: list[int] = []

    def count(ctx: Any) -> None:
        ctx.state["n"] = ctx.state.get("n", 0) + 1
        counts.append(ctx.state["n"])

    add("pre_tool_call", count, **options)
    for _ in range(2):
        manager.dispatch("pre_tool_call", call(run_id="r"))

    assert counts == [1, 2]


def test_an_async_hook_has_its_state_after_an_await(
    manager: HookManager, add: Add, call: Call
) -> None:
    counts: list[int] = []

    async def count(ctx: Any) -> None:
        ctx.state["n"] = ctx.state.get("n", 0) + 1
        await asyncio.sleep(0)
        counts.append(ctx.state["n"])

    add("pre_tool_call", count)
    manager.dispatch("pre_tool_call", call(run_id="r"))
    asyncio.run(manager.adispatch("pre_tool_call", call(run_id="r")))

    assert counts == [1, 2]


def test_wrap_and_collect_hooks_have_the_same_state_as_the_others(
    manager: HookManager, call: Call
) -> None:
    seen: list[Any] = []

    class Plugin:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None:
            ctx.state["x"] = 1

        @hookimpl
        def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
            seen.append(ctx.state.get("x"))
            yield
            seen.append(ctx.state.get("x"))

        @hookimpl
        def accept_event(self, ctx: Any) -> None:
            seen.append(ctx.state.get("x"))

    manager.register(Plugin())
    manager.dispatch("pre_tool_call", call(run_id="r"))
    manager.wrap("wrap_tool_call", call(run_id="r"), lambda payload: None)
    manager.collect("accept_event", EventContext(run_id="r"))

    assert seen == [1, 1, 1]


@pytest.mark.parametrize("end", ["execution_end", "run_finished"])
def test_the_end_of_a_run_drops_its_state(
    manager: HookManager, counter: Counter, call: Call, add: Add, end: str
) -> None:
    add(end, lambda ctx: None)

    manager.dispatch("pre_tool_call", call(run_id="r"))
    manager.dispatch(end, RunContext(run_id="r"))
    manager.dispatch("pre_tool_call", call(run_id="r"))

    assert counter.counts == [1, 1]


def test_the_hooks_at_the_end_of_a_run_still_see_its_state(
    manager: HookManager, add: Add, call: Call
) -> None:
    seen: list[Any] = []

    class Plugin:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None:
            ctx.state["n"] = 1

        @hookimpl
        def execution_end(self, ctx: Any) -> None:
            seen.append(dict(ctx.state))

    manager.register(Plugin())
    manager.dispatch("pre_tool_call", call(run_id="r"))
    manager.dispatch("execution_end", RunContext(run_id="r"))

    assert seen == [{"n": 1}]


def test_a_run_that_the_host_opened_drops_its_state_at_its_end(
    manager: HookManager, counter: Counter
) -> None:
    with manager.run({}, run_id="r"):
        for _ in range(2):
            manager.call_tool("x", {}, lambda arguments: None)
    with manager.run({}, run_id="r"):
        manager.call_tool("x", {}, lambda arguments: None)

    assert counter.counts == [1, 2, 1]
    assert kept_runs(manager) == 0


def test_runs_that_never_end_do_not_fill_the_memory(
    manager: HookManager, counter: Counter, call: Call
) -> None:
    for number in range(_MOST_UNOPENED + 50):
        manager.dispatch("pre_tool_call", call(run_id=str(number)))

    assert kept_runs(manager) == _MOST_UNOPENED


@pytest.fixture
def seen_before(manager: HookManager, call: Call) -> Callable[[object], bool]:
    """Return a way to dispatch in a run and to tell whether its state was still there."""

    class Notes:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None:
            ctx.state["times"] = ctx.state.get("times", 0) + 1
            self.times: int = ctx.state["times"]

    notes = Notes()
    manager.register(notes)

    def dispatch(run: object) -> bool:
        manager.dispatch("pre_tool_call", call(run_id=str(run)))
        return notes.times > 1

    return dispatch


def test_of_the_runs_that_nobody_opened_the_oldest_is_forgotten_first(
    seen_before: Callable[[object], bool],
) -> None:
    for run in range(1025):
        assert not seen_before(run)
    assert [seen_before(run) for run in (1, 2, 512, 1024)] == [True] * 4
    assert not seen_before(0)


def test_a_run_that_goes_on_is_not_the_oldest(seen_before: Callable[[object], bool]) -> None:
    for run in range(1024):
        seen_before(run)
    assert seen_before(0)
    assert not seen_before("one more")
    assert seen_before(0)
    assert not seen_before(1)


def test_a_run_that_a_host_opened_outlives_any_number_of_others(
    manager: HookManager, seen_before: Callable[[object], bool]
) -> None:
    with manager.run({}, run_id="opened"):
        seen_before("opened")
        for run in range(1100):
            seen_before(run)
        assert seen_before("opened")


def test_a_plugin_that_never_asks_for_state_costs_none(
    manager: HookManager, add: Add, call: Call
) -> None:
    add("pre_tool_call", lambda ctx: None)

    manager.dispatch("pre_tool_call", call(run_id="r"))

    assert kept_runs(manager) == 0


def test_a_hook_called_by_hand_has_a_state_of_the_context(call: Call) -> None:
    counter, ctx = Counter(), call()

    counter.pre_tool_call(ctx)
    counter.pre_tool_call(ctx)

    assert counter.counts == [1, 2]
    assert ctx.shared == {}


def test_state_and_shared_are_two_dicts() -> None:
    ctx = HookContext()

    ctx.state["x"] = 1

    assert ctx.shared == {}


def test_a_listener_that_kept_a_context_has_a_state_of_its_own(
    manager: HookManager, add: Add, call: Call
) -> None:
    seen: list[Any] = []
    kept: list[Any] = []

    def keep(ctx: Any) -> None:
        ctx.state["mine"] = 1
        kept.append(ctx)

    add("pre_tool_call", keep)
    manager.subscribe(lambda event: seen.append(dict(kept[0].state)))
    manager.dispatch("pre_tool_call", call(run_id="r"))

    assert seen == [{}]


def test_without_a_run_a_wraps_state_lasts_from_before_the_call_to_after_it(
    manager: HookManager, add: Add, call: Call
) -> None:
    seen: list[Any] = []

    def around(ctx: Any, call_next: Any) -> Any:
        ctx.state["x"] = 1
        yield
        seen.append(dict(ctx.state))

    add("wrap_tool_call", around)
    manager.wrap("wrap_tool_call", call(), lambda payload: None)

    assert seen == [{"x": 1}]
