"""Names that a model makes up, scopes, plugins and contexts leave nothing behind."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookContext, HookManager, ToolCallContext, hookimpl

CACHE_LIMIT = 4_096


class Name(str):
    """A text that can be watched, since plain ones cannot."""

    __slots__ = ("__weakref__",)


class Filtered:
    @hookimpl(tools=["delete_*"], agents=["analyst", "tester-*"])
    def pre_tool_call(self, ctx: HookContext) -> None:
        ctx.attributes["met"] = True


class ByTool:
    @hookimpl(tools=["delete_*"])
    def pre_tool_call(self, ctx: HookContext) -> None:
        ctx.attributes["met"] = True


class Plugin:
    @hookimpl
    def pre_tool_call(self, ctx: HookContext) -> None:
        ctx.attributes["met"] = True


class Names:
    """Makes names and knows how many of them anybody still holds."""

    def __init__(self) -> None:
        self._alive: weakref.WeakSet[Name] = weakref.WeakSet()

    def make(self, text: str) -> Name:
        """Return a name that is watched."""
        name = Name(text)
        self._alive.add(name)
        return name

    def __len__(self) -> int:
        gc.collect()
        return len(self._alive)


def dispatch(manager: HookManager, tool: str, agent: str | None = None) -> bool:
    ctx = ToolCallContext(tool_name=tool, payload={}, agent=agent)
    return "met" in manager.dispatch("pre_tool_call", ctx).attributes


@pytest.mark.parametrize("watched", [False, True], ids=["nobody listens", "somebody listens"])
def test_a_hundred_thousand_tool_names_are_not_all_remembered(*, watched: bool) -> None:
    manager, names = HookManager(), Names()
    manager.register(ByTool())
    if watched:
        manager.subscribe(lambda event: None)
    met = sum(
        dispatch(manager, names.make(f"{'delete' if number % 4 == 0 else 'read'}_{number}"))
        for number in range(100_000)
    )
    assert met == 25_000
    assert len(names) <= CACHE_LIMIT


def test_agents_that_come_and_go_are_not_all_remembered() -> None:
    manager, tools, agents = HookManager(), Names(), Names()
    manager.register(Filtered())
    for number in range(10_000):
        agent = agents.make(f"{'tester' if number % 2 else 'writer'}-{number}")
        assert dispatch(manager, tools.make(f"delete_{number}"), agent) == bool(number % 2)
    assert len(tools) <= CACHE_LIMIT
    assert len(agents) <= CACHE_LIMIT


def test_a_name_of_a_megabyte_is_filtered_and_not_remembered() -> None:
    manager, names = HookManager(), Names()
    manager.register(Filtered())
    for number in range(3):
        assert dispatch(manager, names.make(f"delete_{number}_" + "x" * 1_000_000), "analyst")
        assert dispatch(manager, "delete_it", names.make(f"tester-{number}" + "y" * 1_000_000))
    assert len(names) == 0


def test_ten_thousand_scopes_leave_nothing_behind() -> None:
    manager = HookManager()
    manager.register(ByTool())
    alive: weakref.WeakSet[Any] = weakref.WeakSet()

    def enter(times: int) -> None:
        for _ in range(times):
            plugin = Plugin()
            alive.add(plugin)
            with manager.scope(plugin):
                assert dispatch(manager, "read_file")
            assert not dispatch(manager, "read_file")

    enter(100)
    before = _objects()
    enter(9_900)
    assert _objects() - before < 500
    assert len(alive) == 0


def _registered(manager: HookManager, plugin: Plugin) -> None:
    manager.unregister(manager.register(plugin))


def _cleared(manager: HookManager, plugin: Plugin) -> None:
    manager.register(plugin)
    manager.clear()


def _left_with_an_error(manager: HookManager, plugin: Plugin) -> None:
    with pytest.raises(ValueError, match="made up"), manager.scope(plugin):
        raise ValueError("made up")


@pytest.mark.parametrize("comes_and_goes", [_registered, _cleared, _left_with_an_error])
def test_a_plugin_that_is_gone_is_held_by_nobody(
    comes_and_goes: Callable[[HookManager, Plugin], None],
) -> None:
    manager = HookManager()
    alive: weakref.WeakSet[Plugin] = weakref.WeakSet()
    for _ in range(200):
        plugin = Plugin()
        alive.add(plugin)
        comes_and_goes(manager, plugin)
        dispatch(manager, "read_file")
    del plugin
    gc.collect()
    assert len(alive) == 0


def test_a_context_is_held_by_nobody_after_its_dispatch() -> None:
    manager = HookManager()
    manager.register(Plugin())
    manager.subscribe(lambda event: None)
    ctx = ToolCallContext(tool_name="read_file", payload={}, run_id="r1", agent="analyst")
    manager.dispatch("pre_tool_call", ctx)
    held = weakref.ref(ctx)
    del ctx
    gc.collect()
    assert held() is None


def _objects() -> int:
    gc.collect()
    return len(gc.get_objects())
