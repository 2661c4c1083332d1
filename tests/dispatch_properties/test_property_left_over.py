"""The compiled loops against the engine, where hooks leave work behind on threads and in tasks.

Whoever started it and whenever it runs: it is judged by all hooks but those that are still running
and caused it, and it has the state of the hook that left it.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore import HookManager, ToolCallContext, hookimpl

WAIT = 30

Kind = Literal["plain", "gate", "async", "async gate"]
Watcher = Literal["nobody", "subscriber", "engine"]


@dataclass(frozen=True)
class Left:
    """Work that one hook leaves, and the hook during which it goes on."""

    by: int
    during: int


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Kind], list[Left]]:
    kinds: list[Kind] = draw(
        st.lists(st.sampled_from(["plain", "gate", "async", "async gate"]), min_size=1, max_size=4)
    )
    kinds.sort(key=lambda kind: "gate" in kind)  # gates run last
    count = len(kinds)
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    lefts = draw(st.lists(pairs, min_size=1, max_size=2, unique=True))
    return kinds, [Left(min(pair), max(pair)) for pair in lefts]


class Bench:
    """A manager with hooks that leave work, and what is seen of that."""

    def __init__(self, kinds: list[Kind], lefts: list[Left], watcher: Watcher) -> None:
        self.manager = HookManager(track_mutations=watcher == "engine")
        if watcher == "subscriber":
            self.manager.subscribe(lambda event: None)
        self.lefts = {f"left-{number}": left for number, left in enumerate(lefts)}
        self.may_go = {name: threading.Event() for name in self.lefts}
        self.has_gone = {name: threading.Event() for name in self.lefts}
        self.by_name: dict[str, set[int]] = {name: set() for name in self.lefts}
        self.states: dict[str, Any] = {}
        for index, kind in enumerate(kinds):
            self.manager.register(self._plugin(index, kind), f"p{index}")

    def _plugin(self, index: int, kind: Kind) -> Any:
        bench = self

        def begin(ctx: Any) -> list[threading.Event]:
            """Leave work behind; return what to wait for."""
            if ctx.tool_name in bench.by_name:
                bench.by_name[ctx.tool_name].add(index)
                return []
            ctx.state["index"] = index
            for name, left in bench.lefts.items():
                if left.by == index:
                    bench._start(name, ctx)
            during = [name for name, left in bench.lefts.items() if left.during == index]
            for name in during:
                bench.may_go[name].set()
            return [bench.has_gone[name] for name in during]

        def hook(ctx: Any) -> None:
            for event in begin(ctx):
                assert event.wait(WAIT)

        async def slow(ctx: Any) -> None:
            await asyncio.sleep(0)
            for event in begin(ctx):  # the work needs the loop for async hooks
                assert await asyncio.to_thread(event.wait, WAIT)

        function = slow if "async" in kind else hook
        marked = hookimpl(gate="gate" in kind, specname="pre_tool_call")(function)
        return type("Plugin", (), {"hook": staticmethod(marked)})()

    def _start(self, name: str, ctx: Any) -> None:
        def work() -> None:
            self.may_go[name].wait(WAIT)
            self.states[name] = ctx.state.get("index")
            self.manager.call_tool(name, {}, lambda arguments: None)
            self.has_gone[name].set()

        threading.Thread(target=contextvars.copy_context().run, args=(work,)).start()

    def run(self, how: str) -> dict[str, tuple[frozenset[int], Any]]:
        """Dispatch; return who judged each work that was left, and whose state it had."""
        ctx = ToolCallContext(tool_name="tool", payload={})
        if how == "call_tool":
            self.manager.call_tool("tool", {}, lambda arguments: None)
        elif how == "acall_tool":
            asyncio.run(self.manager.acall_tool("tool", {}, lambda arguments: None))
        else:
            asyncio.run(self.manager.adispatch("pre_tool_call", ctx))
        for event in self.has_gone.values():
            assert event.wait(WAIT)
        self.manager.close()
        return {
            name: (frozenset(judges), self.states[name]) for name, judges in self.by_name.items()
        }


@given(case=cases())
@settings(max_examples=settings().max_examples // 2)
@pytest.mark.parametrize("watcher", ["nobody", "subscriber", "engine"])
@pytest.mark.parametrize("how", ["call_tool", "acall_tool", "adispatch"])
def test_work_that_a_hook_left_is_judged_by_all_whom_it_was_not_caused_by(
    watcher: Watcher, how: str, case: tuple[list[Kind], list[Left]]
) -> None:
    kinds, lefts = case
    happened = Bench(kinds, lefts, watcher).run(how)

    for number, left in enumerate(lefts):
        running = {left.by} if left.by == left.during else set()
        judges = frozenset(range(len(kinds))) - running
        assert happened[f"left-{number}"] == (judges, left.by)


@given(waits=st.lists(st.booleans(), min_size=1, max_size=4), by=st.integers(0, 3))
@pytest.mark.parametrize("watcher", ["nobody", "subscriber", "engine"])
def test_a_task_that_a_hook_left_is_judged_by_all_when_the_dispatch_is_over(
    watcher: Watcher, waits: list[bool], by: int
) -> None:
    manager = HookManager(track_mutations=watcher == "engine")
    if watcher == "subscriber":
        manager.subscribe(lambda event: None)
    judges: set[int] = set()
    tasks: list[asyncio.Task[Any]] = []

    def plugin(index: int, *, slow: bool) -> Any:
        def hook(ctx: Any) -> None:
            if ctx.tool_name == "left":
                judges.add(index)
            elif index == by % len(waits):
                call = manager.acall_tool("left", {}, lambda arguments: None)
                tasks.append(asyncio.ensure_future(call))

        async def slowly(ctx: Any) -> None:
            hook(ctx)

        marked = hookimpl(specname="pre_tool_call")(slowly if slow else hook)
        return type("Plugin", (), {"hook": staticmethod(marked)})()

    for index, slow in enumerate(waits):
        manager.register(plugin(index, slow=slow))

    async def main() -> None:
        await manager.acall_tool("tool", {}, lambda arguments: None)
        await asyncio.gather(*tasks)

    asyncio.run(main())

    assert judges == set(range(len(waits)))
