"""Scopes: plugins for the current execution only (rule 9)."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import (
    EventContext,
    HookAborted,
    HookManager,
    RegistrationError,
    ToolCallContext,
    hookimpl,
    on,
)
from hookcore_specs import HookOptions

from ..waiting import settle

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


class Note:
    """A plugin that notes its name at each tool call."""

    def __init__(self, seen: list[str], name: str) -> None:
        self.seen = seen
        self.name = name

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None:
        self.seen.append(self.name)


@pytest.fixture
def seen() -> list[str]:
    return []


def test_a_scoped_plugin_runs_inside_its_block_only(
    manager: HookManager, call: Call, seen: list[str]
) -> None:
    manager.dispatch("pre_tool_call", call())
    with manager.scope(Note(seen, "a")):
        manager.dispatch("pre_tool_call", call())
    manager.dispatch("pre_tool_call", call())

    assert seen == ["a"]


def test_scopes_tell_the_names_of_their_plugins(manager: HookManager, seen: list[str]) -> None:
    with manager.scope(Note(seen, "a"), Note(seen, "b")) as names:
        assert names == ("Note", "Note-2")


def test_nested_scopes_add_up_the_outer_ones_first(
    manager: HookManager, call: Call, seen: list[str]
) -> None:
    class First(Note):
        priority = 1

    with manager.scope(Note(seen, "outer")):
        with manager.scope(First(seen, "inner")):
            manager.dispatch("pre_tool_call", call())
        manager.dispatch("pre_tool_call", call())

    assert seen == ["outer", "inner", "outer"]


def test_a_scope_cannot_remove_an_outer_plugin(
    manager: HookManager, call: Call, seen: list[str]
) -> None:
    with manager.scope(Note(seen, "a")) as names, pytest.raises(RegistrationError):
        manager.unregister(names[0])


def test_an_exception_ends_the_scope(manager: HookManager, call: Call, seen: list[str]) -> None:
    with pytest.raises(ZeroDivisionError), manager.scope(Note(seen, "a")):
        raise ZeroDivisionError

    manager.dispatch("pre_tool_call", call())

    assert seen == []


def test_a_wrong_plugin_opens_no_scope(manager: HookManager, call: Call, seen: list[str]) -> None:
    with pytest.raises(RegistrationError), manager.scope(Note(seen, "a"), object()):
        pass

    manager.dispatch("pre_tool_call", call())

    assert seen == []


def test_a_scope_takes_functions_marked_with_on(
    manager: HookManager, call: Call, seen: list[str]
) -> None:
    from hookcore.hooks.marks import OnMark, add_mark

    def note(ctx: Any) -> None:
        seen.append("function")

    add_mark(note, OnMark("pre_tool_call", HookOptions()))
    with manager.scope(note):
        manager.dispatch("pre_tool_call", call())

    assert seen == ["function"]


def test_a_scope_binds_methods_marked_with_on(
    manager: HookManager, call: Call, seen: list[str]
) -> None:
    class Crew:
        @on("pre_tool_call")
        def check(self, ctx: Any) -> None:
            seen.append("method")

    with manager.scope(Crew()):
        manager.dispatch("pre_tool_call", call())

    assert seen == ["method"]


def test_scoped_hooks_show_in_the_chain_and_in_has_hooks(
    manager: HookManager, seen: list[str]
) -> None:
    with manager.scope(Note(seen, "a")):
        inside = (manager.has_hooks("pre_tool_call"), manager.hooks("pre_tool_call")[0].scoped)

    assert inside == (True, True)
    assert not manager.has_hooks("pre_tool_call")


def test_a_thread_started_with_the_context_inherits_the_scope(
    manager: HookManager, call: Call, seen: list[str]
) -> None:
    with manager.scope(Note(seen, "a")):
        context = contextvars.copy_context()
        thread = threading.Thread(
            target=context.run, args=(manager.dispatch, "pre_tool_call", call())
        )
        thread.start()
        thread.join()

    assert seen == ["a"]


def test_a_thread_with_a_context_of_its_own_does_not_see_the_scope(
    manager: HookManager, call: Call, seen: list[str]
) -> None:
    with manager.scope(Note(seen, "a")):
        thread = threading.Thread(
            target=contextvars.Context().run, args=(manager.dispatch, "pre_tool_call", call())
        )
        thread.start()
        thread.join()

    assert seen == []


def test_sibling_tasks_do_not_see_each_others_scopes(
    manager: HookManager, call: Call, seen: list[str]
) -> None:
    async def sibling(name: str) -> None:
        with manager.scope(Note(seen, name)):
            await settle()
            await manager.adispatch("pre_tool_call", call())
            await settle()

    async def host() -> None:
        await asyncio.gather(sibling("a"), sibling("b"), sibling("c"))
        await manager.adispatch("pre_tool_call", call())

    asyncio.run(host())

    assert sorted(seen) == ["a", "b", "c"]


def test_nested_tasks_inherit_the_scope(manager: HookManager, call: Call, seen: list[str]) -> None:
    async def host() -> None:
        with manager.scope(Note(seen, "a")):
            await asyncio.create_task(manager.adispatch("pre_tool_call", call()))

    asyncio.run(host())

    assert seen == ["a"]


def test_a_task_that_outlives_its_scope_stays_governed(
    manager: HookManager, call: Call, seen: list[str]
) -> None:
    async def later() -> None:
        await settle()
        await manager.adispatch("pre_tool_call", call())

    async def host() -> None:
        with manager.scope(Note(seen, "a")):
            task = asyncio.create_task(later())
        await task

    asyncio.run(host())

    assert seen == ["a"]


def test_a_task_started_before_the_scope_does_not_see_it(
    manager: HookManager, call: Call, seen: list[str]
) -> None:
    async def host() -> None:
        opened = asyncio.Event()

        async def waiting() -> None:
            await opened.wait()
            await manager.adispatch("pre_tool_call", call())

        task = asyncio.create_task(waiting())
        await asyncio.sleep(0)
        with manager.scope(Note(seen, "a")):
            opened.set()
            await task

    asyncio.run(host())

    assert seen == []


def test_another_manager_does_not_see_the_scope(
    manager: HookManager, call: Call, seen: list[str]
) -> None:
    with manager.scope(Note(seen, "a")):
        HookManager().dispatch("pre_tool_call", call())

    assert seen == []


def test_a_plugin_registered_meanwhile_runs_in_the_scope(
    manager: HookManager, call: Call, seen: list[str]
) -> None:
    with manager.scope(Note(seen, "scoped")):
        manager.dispatch("pre_tool_call", call())
        manager.register(Note(seen, "global"))
        manager.dispatch("pre_tool_call", call())

    assert seen == ["scoped", "global", "scoped"]


def test_an_async_hook_of_a_sync_host_runs_in_the_scope(
    manager: HookManager, add: Add, call: Call, seen: list[str]
) -> None:
    async def nested(ctx: Any) -> None:
        await manager.adispatch("post_tool_call", call())

    class Post:
        @hookimpl
        def post_tool_call(self, ctx: Any) -> None:
            seen.append("scoped")

    add("pre_tool_call", nested)
    with manager.scope(Post()):
        manager.dispatch("pre_tool_call", call())

    assert seen == ["scoped"]


def test_a_scoped_policy_stops_a_tool_call(
    manager: HookManager, one_hook: Callable[..., Any]
) -> None:
    ran: list[Any] = []
    policy = one_hook("pre_tool_call", lambda ctx: False)

    with manager.scope(policy), pytest.raises(HookAborted):
        manager.call_tool("x", {}, ran.append)
    manager.call_tool("x", {}, ran.append)

    assert ran == [{}]


def test_a_scoped_hook_answers_at_collect_points(
    manager: HookManager, one_hook: Callable[..., Any]
) -> None:
    with manager.scope(one_hook("accept_event", lambda ctx: True)):
        inside = manager.collect("accept_event", EventContext())

    assert inside == ["Plugin"]
    assert manager.collect("accept_event", EventContext()) == []


def test_a_scoped_hook_stands_around_at_wrap_points(
    manager: HookManager, one_hook: Callable[..., Any], call: Call
) -> None:
    def around(ctx: Any, call_next: Any) -> Any:
        result = yield
        return result + "!"

    with manager.scope(one_hook("wrap_tool_call", around)):
        result = manager.wrap("wrap_tool_call", call(), lambda payload: "done")

    assert result == "done!"


def test_a_scoped_listener_hears_of_the_dispatches_inside(
    manager: HookManager, one_hook: Callable[..., Any], call: Call, seen: list[str]
) -> None:
    heard: list[Any] = []
    listener = one_hook("hook_dispatched", lambda ctx: heard.append(ctx.payload.hook_count))

    with manager.scope(Note(seen, "a"), listener):
        manager.dispatch("pre_tool_call", call())

    assert heard == [1]


def test_two_plugins_of_one_class_inside_and_outside_keep_their_states_apart(
    manager: HookManager, call: Call
) -> None:
    class Count:
        def __init__(self) -> None:
            self.counts: list[int] = []

        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None:
            ctx.state["n"] = ctx.state.get("n", 0) + 1
            self.counts.append(ctx.state["n"])

    outer, inner = Count(), Count()
    manager.register(outer)
    with manager.scope(inner):
        manager.dispatch("pre_tool_call", call(run_id="r"))

    assert (outer.counts, inner.counts) == ([1], [1])
