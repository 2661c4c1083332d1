"""Modules of CrewAI's hooks that were imported before ``install()`` serve the drop-in."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest
from crewai import hooks as early
from crewai import llm as user
from crewai.hooks import llm_hooks as early_llm_hooks
from crewai.hooks import tool_hooks as early_tool_hooks

from hookcore import HookAborted, HookManager
from hookcore_crewai import hooks as drop_in
from hookcore_crewai import install, uninstall

from .office import react

EARLY = {"dispatch": sys.modules["crewai.hooks.dispatch"]}
# Nothing can exchange what is kept in a dict.
KEPT = {"register": early.register_hook, "before_tool": early.register_before_tool_call_hook}

WAYS = (
    "on",
    "register_hook",
    "decorator",
    "older function",
    "submodule",
    "live list",
    "kept function",
    "kept older function",
)


def register(way: str, hook: Any) -> None:
    """Register a hook at ``pre_tool_call`` through something that was imported before."""
    point = early.InterceptionPoint.PRE_TOOL_CALL
    ways = {
        "on": lambda: early.on(point)(hook),
        "register_hook": lambda: early.register_hook(point, hook),
        "decorator": lambda: early.before_tool_call(hook),
        "older function": lambda: early_tool_hooks.register_before_tool_call_hook(hook),
        "submodule": lambda: EARLY["dispatch"].register(point, hook),
        "live list": lambda: EARLY["dispatch"].get_global_hook_list(point).append(hook),
        "kept function": lambda: KEPT["register"](point, hook),
        "kept older function": lambda: KEPT["before_tool"](hook),
    }
    ways[way]()


@pytest.mark.parametrize("way", WAYS)
def test_a_hook_that_is_registered_through_an_early_module_runs(office: Any, way: str) -> None:
    ran: list[str] = []

    def hook(ctx: Any) -> None:
        ran.append(ctx.tool_name)

    register(way, hook)
    office.crew(react("delete_file", path="x")).kickoff()
    assert ran == ["delete_file"]


@pytest.mark.parametrize("way", WAYS)
def test_it_is_crewais_own_when_the_drop_in_has_gone(way: str) -> None:
    def hook(ctx: Any) -> None: ...

    register(way, hook)
    uninstall()
    assert early.get_hooks(early.InterceptionPoint.PRE_TOOL_CALL) == [hook]
    assert drop_in.get_hooks("pre_tool_call") == []
    early.clear_all_hooks()


def test_an_abort_of_an_early_modules_class_is_the_drop_ins(office: Any) -> None:
    def stop(ctx: Any) -> None:
        raise early.HookAborted("enough", source="guard")

    early.register_hook("output", stop)
    with pytest.raises(early.HookAborted) as caught:
        office.crew().kickoff()
    assert type(caught.value) is HookAborted


def test_an_early_module_is_as_before_when_the_drop_in_has_gone() -> None:
    modules = (early, early_llm_hooks, EARLY["dispatch"])
    uninstall()
    before = [dict(vars(module)) for module in modules]
    install(HookManager())
    assert early.get_hooks is drop_in.get_hooks
    uninstall()
    assert [dict(vars(module)) for module in modules] == before
    assert [type(module) for module in modules] == [ModuleType] * 3


def test_what_is_patched_in_an_early_module_is_patched_in_the_drop_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listener = object()
    monkeypatch.setattr(early_llm_hooks, "event_listener", listener)
    assert sys.modules["crewai.hooks.llm_hooks"].__dict__["event_listener"] is listener
    monkeypatch.undo()
    assert drop_in.llm_hooks.event_listener is early_llm_hooks.event_listener


# Patches that begin before the drop-in is there, or end after it


THEIRS = EARLY["dispatch"]


def patched(name: str = "dispatch", value: Any = None) -> Any:
    return patch.object(THEIRS, name, value or (lambda *args, **kwargs: None))


@pytest.fixture
def original() -> Iterator[Any]:
    """CrewAI's own function; the drop-in is not installed."""
    uninstall()
    yield THEIRS.__dict__["dispatch"]
    uninstall()
    assert type(THEIRS) is ModuleType


def test_a_patch_that_began_before_ends_with_the_drop_in_in_force(original: Any) -> None:
    with patched():
        install(HookManager())
        assert THEIRS.__dict__["dispatch"] is drop_in.dispatch
    assert THEIRS.__dict__["dispatch"] is drop_in.dispatch
    assert sys.modules[drop_in.__name__ + ".dispatch"].__dict__["dispatch"] is drop_in.dispatch
    uninstall()
    assert THEIRS.__dict__["dispatch"] is original


def test_so_does_a_patch_with_a_wrapper(original: Any) -> None:
    with patched(value=functools.wraps(original)(lambda *args, **kwargs: None)):
        install(HookManager())
    assert THEIRS.__dict__["dispatch"] is drop_in.dispatch
    uninstall()
    assert THEIRS.__dict__["dispatch"] is original


def test_what_other_modules_imported_before_the_patch_is_exchanged(original: Any) -> None:
    aborted = vars(user)["HookAborted"]
    with patched("HookAborted", RuntimeError):
        install(HookManager())
        assert vars(user)["HookAborted"] is HookAborted
        uninstall()
    assert vars(user)["HookAborted"] is THEIRS.__dict__["HookAborted"] is aborted
    assert original is THEIRS.__dict__["dispatch"]


def test_a_patch_that_ends_after_it_gives_crewai_its_own_back(original: Any) -> None:
    install(HookManager())
    with patched() as instead:
        assert sys.modules["crewai.hooks.dispatch"].__dict__["dispatch"] is instead
        uninstall()
        assert sys.modules[drop_in.__name__ + ".dispatch"].__dict__["dispatch"] is drop_in.dispatch
        assert THEIRS.__dict__["dispatch"] is instead
    assert THEIRS.__dict__["dispatch"] is original


def test_so_does_one_over_two_installations(original: Any) -> None:
    install(HookManager())
    with patched():
        uninstall()
        install(HookManager())
        assert THEIRS.__dict__["dispatch"] is drop_in.dispatch
        uninstall()
    assert THEIRS.__dict__["dispatch"] is original


def test_one_over_two_installations_may_end_in_the_second(original: Any) -> None:
    install(HookManager())
    with patched():
        uninstall()
        install(HookManager())
    assert THEIRS.__dict__["dispatch"] is drop_in.dispatch
    uninstall()
    assert THEIRS.__dict__["dispatch"] is original


@pytest.mark.parametrize("name", ["scoped_hooks", "clear_all"])
def test_that_holds_for_a_function_of_any_make(original: Any, name: str) -> None:
    before = THEIRS.__dict__[name]
    with patched(name):
        install(HookManager())
    assert vars(THEIRS)[name] is vars(sys.modules["crewai.hooks.dispatch"])[name]
    assert vars(THEIRS)[name].__module__.startswith(drop_in.__name__)
    uninstall()
    assert THEIRS.__dict__[name] is before
