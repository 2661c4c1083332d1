"""Marked hooks run, or their registration fails (A5, A6)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import pytest

from hookcore import (
    HookAborted,
    HookManager,
    RegistrationError,
    ToolCallContext,
    hookimpl,
    hookspec,
    on,
)

from .kit import tool_call


def no(self: Any, ctx: Any) -> None:
    raise HookAborted("no")


def with_more(self: Any, more: Any, ctx: Any) -> None:
    raise HookAborted("no")


class Object:
    """A callable object."""

    def __call__(self, ctx: Any) -> None:
        raise HookAborted("no")


def fresh(function: Callable[..., Any] = no) -> Callable[..., Any]:
    """Return a function like the given one, which no other test has marked."""

    def copy(*args: Any) -> Any:
        return function(*args)

    copy.__signature__ = __import__("inspect").signature(function)  # type: ignore[attr-defined]
    copy.__qualname__ = "Plugin.pre_tool_call"
    return copy


gate: Callable[[Any], Any] = hookimpl(gate=True)


def plugin_with(attribute: Any, base: type = object) -> Any:
    """Return a plugin with something at pre_tool_call, and a good hook beside it."""

    class Good:
        @hookimpl
        def input(self, ctx: Any) -> None: ...

    bases = (base,) if issubclass(base, Good) or base is not object else (Good,)
    return type("Plugin", bases, {"pre_tool_call": attribute})()


RUNNING: dict[str, Callable[[], Any]] = {
    "lru_cache": lambda: gate(functools.lru_cache(fresh())),
    "inside lru_cache": lambda: functools.lru_cache(gate(fresh())),
    "callable object": lambda: gate(Object()),
    "partialmethod": lambda: gate(functools.partialmethod(fresh(with_more), 3)),
    "inside partialmethod": lambda: functools.partialmethod(gate(fresh(with_more)), 3),
    "partial": lambda: staticmethod(gate(functools.partial(fresh(with_more), None, 3))),
    "staticmethod": lambda: staticmethod(gate(fresh(lambda ctx: no(None, ctx)))),
    "classmethod": lambda: classmethod(gate(fresh())),
}


@pytest.mark.parametrize("kind", RUNNING)
def test_what_is_marked_runs(manager: HookManager, kind: str) -> None:
    manager.register(plugin_with(RUNNING[kind]()))

    assert tool_call(manager) == "denied"


REFUSED: dict[str, Callable[[], Any]] = {
    "property": lambda: property(gate(fresh())),
    "cached property": lambda: functools.cached_property(gate(fresh())),
    "dispatching method": lambda: gate(functools.singledispatchmethod(fresh())),
    "class": lambda: gate(type("Hook", (), {"__call__": no})),
    "property over @on": lambda: property(on("pre_tool_call")(fresh())),
    "function in the place of a marked one": lambda: unmarking(gate(fresh())),
}


def unmarking(function: Callable[..., Any]) -> Callable[..., Any]:
    def inner(*args: Any) -> Any:
        return function(*args)

    return inner


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_marked_and_cannot_run_is_refused(manager: HookManager, kind: str) -> None:
    with pytest.raises(RegistrationError, match="pre_tool_call"):
        manager.register(plugin_with(REFUSED[kind]()))

    assert manager.plugins() == ()


@pytest.mark.parametrize(
    "make",
    [
        lambda: functools.partialmethod(fresh(with_more), 3),
        lambda: property(fresh()),
        lambda: functools.singledispatchmethod(fresh()),
    ],
)
def test_on_refuses_what_cannot_be_called(make: Callable[[], Any]) -> None:
    with pytest.raises(RegistrationError, match="cannot be called"):
        on("pre_tool_call")(make())


def test_a_marked_function_in_a_slot_runs(manager: HookManager) -> None:
    class Plugin:
        __slots__ = ("pre_tool_call",)
        pre_tool_call: Any

        @hookimpl
        def input(self, ctx: Any) -> None: ...

    plugin = Plugin()
    plugin.pre_tool_call = gate(functools.partial(no, None))
    manager.register(plugin)

    assert tool_call(manager) == "denied"


def test_a_method_that_is_marked_after_the_class_was_looked_into_runs(
    manager: HookManager,
) -> None:
    class Plugin:
        @hookimpl
        def input(self, ctx: Any) -> None: ...

        def check(self, ctx: Any) -> None:
            raise HookAborted("no")

    manager.register(Plugin())
    hookimpl(specname="pre_tool_call")(Plugin.check)
    manager.register(Plugin())

    assert tool_call(manager) == "denied"


def test_a_marked_context_manager_function_runs(manager: HookManager) -> None:
    class Plugin:
        @hookimpl
        @contextmanager
        def pre_tool_call(self, ctx: Any) -> Any:
            yield

    manager.register(Plugin())

    assert tool_call(manager) == "denied"  # what it gives is no answer


class Base:
    """A policy that others extend."""

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: Any) -> None:
        raise HookAborted("no")

    @on("post_tool_call")
    def check(self, ctx: Any) -> None: ...


class Mixed:
    """Has a method of the same name, for something else."""

    def pre_tool_call(self, value: int) -> int:
        return value


OVERRIDING: dict[str, Callable[[], Any]] = {
    "method": lambda: type("P", (Base,), {"pre_tool_call": lambda self, ctx: None}),
    "of other arguments": lambda: type("P", (Base,), {"pre_tool_call": lambda self: None}),
    "async": lambda: type("P", (Base,), {"pre_tool_call": _async}),
    "static": lambda: type("P", (Base,), {"pre_tool_call": staticmethod(lambda ctx: None)}),
    "property": lambda: type("P", (Base,), {"pre_tool_call": property(lambda self: None)}),
    "setting": lambda: type("P", (Base,), {"pre_tool_call": True}),
    "class": lambda: type("P", (Base,), {"pre_tool_call": Object}),
    "mixin": lambda: type("P", (Mixed, Base), {}),
    "of @on": lambda: type("P", (Base,), {"check": lambda self, ctx: None}),
    "of a grandchild": lambda: type("Q", (type("P", (Base,), {}),), {"pre_tool_call": _async}),
}


async def _async(self: Any, ctx: Any) -> None: ...


@pytest.mark.parametrize("kind", OVERRIDING)
def test_a_marked_method_is_not_overridden_in_silence(manager: HookManager, kind: str) -> None:
    with pytest.raises(RegistrationError, match=r"(pre_tool_call|check) looks like a hook"):
        manager.register(OVERRIDING[kind]()())


@pytest.mark.parametrize("value", [None, 3, lambda ctx: None])
def test_an_attribute_of_the_object_does_not_hide_a_hook(
    manager: HookManager, value: object
) -> None:
    plugin = Base()
    plugin.pre_tool_call = value  # type: ignore[assignment,method-assign]

    with pytest.raises(RegistrationError, match="looks like a hook"):
        manager.register(plugin)


def test_a_class_takes_a_hook_away_by_saying_so(manager: HookManager) -> None:
    class Plugin(Base):
        pre_tool_call = None  # type: ignore[assignment]

    manager.register(Plugin())

    assert tool_call(manager) == {"path": "a"}


def test_an_overriding_method_that_is_marked_is_the_hook(manager: HookManager) -> None:
    class Plugin(Base):
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None: ...

    manager.register(Plugin())

    assert tool_call(manager) == {"path": "a"}


UNMARKED: dict[str, Any] = {
    "method": lambda self, ctx: None,
    "async": _async,
    "static": staticmethod(lambda ctx: None),
    "partialmethod": functools.partialmethod(with_more, 3),
}


@pytest.mark.parametrize("kind", UNMARKED)
def test_an_unmarked_method_with_a_points_name_is_refused(manager: HookManager, kind: str) -> None:
    with pytest.raises(RegistrationError, match="pre_tool_call looks like a hook"):
        manager.register(plugin_with(UNMARKED[kind]))


def test_a_method_that_takes_no_context_may_have_a_points_name(manager: HookManager) -> None:
    class Plugin:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None: ...

        def output(self, text: str) -> None: ...

    manager.register(Plugin())

    assert len(manager.plugins()) == 1


def test_each_manager_looks_for_its_own_points(manager: HookManager) -> None:
    class One:
        @hookspec
        def alpha(self, ctx: Any) -> None:
            """One point."""

    class Other:
        @hookspec
        def beta(self, ctx: Any) -> None:
            """Another point."""

    class Plugin:
        @hookimpl
        def input(self, ctx: Any) -> None: ...

        def beta(self, ctx: Any) -> None: ...

    first = HookManager()
    first.add_hookspecs(One)
    first.register(Plugin())
    manager.add_hookspecs(Other)

    with pytest.raises(RegistrationError, match="beta looks like a hook"):
        manager.register(Plugin())


def _ctx(self: Any, ctx: Any) -> None: ...
def _context(self: Any, context: Any) -> None: ...
def _annotated(self: Any, call: ToolCallContext) -> None: ...
def _quoted(self: Any, call: hookcore.ToolCallContext) -> None: ...  # type: ignore[name-defined]  # noqa: F821
def _unused(self: Any, _ctx: Any) -> None: ...


@pytest.mark.parametrize("function", [_ctx, _context, _annotated, _quoted, _unused])
def test_an_unmarked_method_that_takes_a_context_is_told(
    manager: HookManager, function: Callable[..., Any]
) -> None:
    with pytest.raises(RegistrationError, match=r"pre_tool_call looks like a hook"):
        manager.register(plugin_with(function))


def test_a_method_of_a_points_name_about_something_else_is_the_plugins_own(
    manager: HookManager,
) -> None:
    class Plugin:
        @hookimpl
        def post_tool_call(self, ctx: Any) -> None: ...

        def output(self, text: str) -> str:
            return text

    manager.register(Plugin())
    assert not manager.has_hooks("output")
