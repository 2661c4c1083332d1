"""The operation runs what gates judged: name, arguments, tools, attributes, however often it runs."""

from __future__ import annotations

import asyncio
import contextvars
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore import HookAborted, HookManager, ModelCallContext

from .kit import either, outcome, plugin_of

Add = Callable[..., str]


class Judge:
    """A gate that keeps what it let pass, and a tool that keeps what it ran."""

    def __init__(self) -> None:
        self.judged: list[Any] = []
        self.ran: list[Any] = []

    def gate(self, ctx: Any) -> None:
        if ctx.tool_name == "evil" or "evil" in repr(ctx.tool_input):
            raise HookAborted("no")
        self.judged.append((ctx.tool_name, ctx.tool_input))

    def resolve(self, name: str) -> Callable[[Any], None]:
        return lambda used: self.ran.append((name, used))

    def call(self, manager: HookManager, *, sync: bool = False) -> Any:
        options: dict[str, Any] = {"resolve": self.resolve, "attributes": {"tenant": "a"}}
        body = self.resolve("tool")
        if sync:
            return outcome(lambda: manager.call_tool("tool", {"path": ["a"]}, body, **options))
        return outcome(lambda: manager.acall_tool("tool", {"path": ["a"]}, body, **options))


@pytest.fixture
def judge(add: Add) -> Judge:
    """Return the gate, registered."""
    made = Judge()

    def gate(ctx: Any) -> None:
        made.gate(ctx)

    add("pre_tool_call", gate, gate=True)
    return made


class Wraps:
    """Ways to pass on something else than was judged."""

    @staticmethod
    async def another_payload(ctx: Any, call_next: Any) -> Any:
        return await call_next({"path": "evil"})

    @staticmethod
    async def edited_in_place(ctx: Any, call_next: Any) -> Any:
        ctx.payload["path"][0] = "evil"
        return await call_next()

    @staticmethod
    async def assigned(ctx: Any, call_next: Any) -> Any:
        ctx.tool_input = {"path": "evil"}
        return await call_next()

    @staticmethod
    async def renamed(ctx: Any, call_next: Any) -> Any:
        ctx.tool_name = "evil"
        return await call_next()

    @staticmethod
    async def twice(ctx: Any, call_next: Any) -> Any:
        await call_next()
        return await call_next({"path": "evil"})

    @staticmethod
    async def twice_renamed(ctx: Any, call_next: Any) -> Any:
        await call_next()
        ctx.tool_name = "evil"
        return await call_next()

    @staticmethod
    async def together(ctx: Any, call_next: Any) -> Any:
        return await asyncio.gather(call_next({"path": "b"}), call_next({"path": "evil"}))

    @staticmethod
    async def in_a_task(ctx: Any, call_next: Any) -> Any:
        ctx.tool_name = "evil"
        return await asyncio.ensure_future(call_next())


FORMS = [name for name in vars(Wraps) if not name.startswith("_")]


@pytest.mark.parametrize("form", FORMS)
def test_what_a_wrap_passes_on_is_judged(
    manager: HookManager, add: Add, judge: Judge, form: str
) -> None:
    add("wrap_tool_call", getattr(Wraps, form))

    judge.call(manager)

    assert "evil" not in repr(judge.ran)
    assert all(run in judge.judged for run in judge.ran)


@pytest.mark.parametrize("async_gate", [True, False])
def test_two_calls_of_a_wrap_at_once_run_what_was_judged_for_each(
    manager: HookManager, add: Add, judge: Judge, *, async_gate: bool
) -> None:
    async def slow(ctx: Any) -> None:
        await asyncio.sleep(0)

    async def around(ctx: Any, call_next: Any) -> Any:
        await asyncio.gather(*(call_next({"path": number}) for number in range(3)))

    add("pre_tool_call", slow if async_gate else lambda ctx: None, gate=True)
    add("wrap_tool_call", around)

    judge.call(manager)

    assert sorted(run[1]["path"] for run in judge.ran) == [0, 1, 2]
    assert all(run in judge.judged for run in judge.ran)


def test_a_plain_wrap_of_a_sync_host_is_judged_too(
    manager: HookManager, add: Add, judge: Judge
) -> None:
    def around(ctx: Any, call_next: Any) -> Any:
        yield {"path": "evil"}

    add("wrap_tool_call", around)

    assert judge.call(manager, sync=True) == "denied"
    assert judge.ran == []


@contextmanager
def spinning(change: Callable[[], None]) -> Iterator[None]:
    """Do something all the time on another thread, with switches as often as can be."""
    over = threading.Event()

    def spin() -> None:
        while not over.is_set():
            with suppress(Exception):
                change()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread = threading.Thread(target=spin)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("sync", [True, False])
@pytest.mark.parametrize("wrapped", [True, False])
def test_a_thread_that_holds_the_context_changes_nothing_of_what_runs(
    manager: HookManager, add: Add, judge: Judge, *, sync: bool, wrapped: bool
) -> None:
    held: list[Any] = []

    def hold(ctx: Any) -> None:
        held[:] = [ctx, ctx.payload]

    def around(ctx: Any, call_next: Any) -> Any:
        yield

    def attack() -> None:
        ctx, payload = held
        ctx.tool_name = "evil"
        payload["path"][0] = "evil"
        ctx.payload = {"path": "evil"}
        ctx.tool_input = {"path": "evil"}
        ctx.attributes["tenant"] = "evil"

    add("pre_tool_call", hold)
    if wrapped:
        add("wrap_tool_call", around)
    with spinning(attack):
        for _ in range(100):
            judge.call(manager, sync=sync)

    assert "evil" not in repr(judge.ran)
    assert all(run in judge.judged for run in judge.ran)


def test_the_tools_and_attributes_of_a_model_call_are_those_that_were_judged(
    manager: HookManager, add: Add
) -> None:
    kept: list[Any] = []
    judged: list[Any] = []
    used: list[Any] = []

    def hold(ctx: Any) -> None:
        kept.append((ctx, ctx.tools, ctx.attributes))

    def gate(ctx: Any) -> None:
        judged.append((ctx.model, list(ctx.tools), dict(ctx.attributes), list(ctx.messages)))
        ctx_, tools, attributes = kept[-1]
        tools.append("evil")
        attributes["tenant"] = "evil"
        ctx_.model = "evil"
        ctx_.messages.append("evil")

    async def around(ctx: Any, call_next: Any) -> Any:
        for _ in range(2):
            kept[-1][1].append("evil")
            ctx.tools.append("evil")
            ctx.attributes["tenant"] = "evil"
            await call_next()

    add("pre_model_call", hold)
    add("pre_model_call", gate, gate=True)
    add("wrap_model_call", around)
    ctx = ModelCallContext(
        messages=["hello"], model="m", tools=["search"], attributes={"tenant": "a"}
    )

    def call(messages: Any) -> None:
        used.append((ctx.model, list(ctx.tools), dict(ctx.attributes), list(messages)))

    asyncio.run(manager.acall_model(ctx, call))

    assert len(used) == 2
    assert all(call in judged for call in used)


@pytest.mark.parametrize("meanwhile", [None, KeyError("another")])
@pytest.mark.parametrize("sync", [True, False])
def test_an_error_that_gates_saw_is_the_one_that_the_host_gets(
    manager: HookManager, add: Add, meanwhile: Exception | None, *, sync: bool
) -> None:
    kept: list[Any] = []

    def keep(ctx: Any) -> None:
        kept.append(ctx)

    def gate(ctx: Any) -> None:
        kept[0].error = meanwhile
        kept[0].payload = "a result"

    def fail(arguments: Any) -> None:
        raise ValueError

    add("post_tool_call", keep)
    add("post_tool_call", gate, gate=True)

    assert either(manager, fail, sync=sync) == "ValueError"


def test_a_value_that_gates_saw_is_the_one_that_the_host_gets(
    manager: HookManager, add: Add
) -> None:
    kept: list[Any] = []

    def keep(ctx: Any) -> None:
        kept.append(ctx)

    def gate(ctx: Any) -> None:
        kept[0].error = ValueError("meanwhile")

    add("post_tool_call", keep)
    add("post_tool_call", gate, gate=True)

    assert either(manager, lambda arguments: "value", sync=True) == "value"


CHANGES = ("payload", "edit", "name", "attributes", "nothing")


def changing(number: int, what: str) -> Callable[[Any], None]:
    def change(ctx: Any) -> None:
        if what == "payload":
            ctx.payload = {"path": number}
        elif what == "edit":
            ctx.payload["path"] = [number]
        elif what == "name":
            ctx.tool_name = f"tool-{number}"
        elif what == "attributes":
            ctx.attributes["number"] = number

    return change


def changing_around(change: Callable[[Any], None]) -> Callable[[Any, Any], Any]:
    def around(ctx: Any, call_next: Any) -> Any:
        change(ctx)
        return (yield)

    return around


@given(st.lists(st.tuples(st.sampled_from(["hook", "wrap"]), st.sampled_from(CHANGES)), max_size=5))
def test_whatever_hooks_and_wraps_change_what_runs_was_judged(
    changes: list[tuple[str, str]],
) -> None:
    manager, judge = HookManager(), Judge()
    manager.register(plugin_of("pre_tool_call", judge.gate, gate=True))
    for number, (place, what) in enumerate(changes):
        change = changing(number, what)
        if place == "wrap":
            manager.register(plugin_of("wrap_tool_call", changing_around(change)))
        else:
            manager.register(plugin_of("pre_tool_call", change))

    judge.call(manager, sync=True)

    assert len(judge.ran) == 1
    assert judge.ran[0] == judge.judged[-1]


def test_a_required_gate_judges_every_call_whatever_others_do_to_the_manager() -> (  # noqa: C901
    None
):
    manager = HookManager()
    judge = Judge()
    manager.register(plugin_of("pre_tool_call", judge.gate, gate=True))
    noise = plugin_of("pre_tool_call", lambda ctx: None)
    missed: list[Any] = []
    over = threading.Event()

    def change() -> None:
        while not over.is_set():
            names = [manager.register(plugin_of("pre_tool_call", lambda ctx: None)) for _ in "abc"]
            manager.disable(names[0])
            end = manager.subscribe(lambda event: None)
            manager.enable(names[0])
            with manager.changing():
                for name in names[1:]:
                    manager.unregister(name)
                manager.tracks_mutations = not manager.tracks_mutations
            end()
            manager.unregister(names[0])

    def scope() -> None:
        while not over.is_set():
            with manager.scope(noise), manager.scope(plugin_of("post_tool_call", noise.hook)):
                attack()

    def attack() -> None:
        with suppress(HookAborted):
            manager.call_tool("evil", {}, missed.append)
        with suppress(HookAborted):
            asyncio.run(manager.acall_tool("evil", {}, missed.append))

    def calls() -> None:
        for _ in range(150):
            attack()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    changers = [threading.Thread(target=change), threading.Thread(target=scope)]
    callers = [
        threading.Thread(target=contextvars.copy_context().run, args=(calls,)) for _ in range(2)
    ]
    try:
        for thread in (*changers, *callers):
            thread.start()
        for thread in callers:
            thread.join()
    finally:
        over.set()
        for thread in changers:
            thread.join()
        sys.setswitchinterval(interval)
        manager.close()

    assert missed == []


def test_a_tool_that_edits_its_arguments_gets_them_as_they_were_judged_again(
    manager: HookManager, add: Add, judge: Judge
) -> None:
    def edits(used: Any) -> None:
        judge.ran.append(("tool", {"path": list(used["path"])}))
        used["path"].append("evil")

    add("wrap_tool_call", twice_the_same)

    asyncio.run(manager.acall_tool("tool", {"path": ["a"]}, edits))

    assert judge.ran == [("tool", {"path": ["a"]})] * 2


async def twice_the_same(ctx: Any, call_next: Any) -> None:
    await call_next()
    await call_next()


def test_what_the_context_gets_back_is_nobody_elses_to_judge_by(
    manager: HookManager, add: Add
) -> None:
    used: list[Any] = []

    async def around(ctx: Any, call_next: Any) -> None:
        ctx.tools = ["evil"]
        ctx.attributes = {"tenant": "evil"}
        await call_next()
        ctx.tools.append("evil")
        ctx.attributes["tenant"] = "evil"
        await call_next()

    add("pre_model_call", lambda ctx: None, gate=True)
    add("wrap_model_call", around)
    ctx = ModelCallContext(messages=["hello"], tools=["search"], attributes={"tenant": "a"})

    def call(messages: Any) -> None:
        used.append((list(ctx.tools), dict(ctx.attributes)))

    asyncio.run(manager.acall_model(ctx, call))

    assert used == [(["search"], {"tenant": "a"})] * 2


def test_a_block_of_changes_leaves_the_hooks_from_before_in_force_until_it_ends(
    manager: HookManager, add: Add, judge: Judge
) -> None:
    (name,) = [plugin.name for plugin in manager.plugins()]

    with manager.changing():  # nothing was dispatched yet, so nothing is compiled
        gate = manager.unregister(name)
        during = outcome(lambda: manager.call_tool("evil", {}, lambda used: "ran"))
        manager.register(gate)
    after = outcome(lambda: manager.call_tool("evil", {}, lambda used: "ran"))

    assert (during, after) == ("denied", "denied")
