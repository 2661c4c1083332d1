"""``@on``: functions, methods and modules as hooks of the process-wide manager."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import (
    HookAborted,
    InterceptionPoint,
    RegistrationError,
    ToolCallContext,
    get_manager,
    on,
)
from hookcore.testing import register_configured

Call = Callable[..., ToolCallContext]


pytestmark = pytest.mark.usefixtures("bare_machine")


def names() -> list[str]:
    return [hook.plugin for hook in get_manager().hooks("pre_tool_call")]


def test_on_registers_a_function_and_returns_it_unchanged(call: Call) -> None:
    seen: list[Any] = []

    def note(ctx: Any) -> None:
        seen.append(ctx.tool_name)

    assert on(InterceptionPoint.PRE_TOOL_CALL)(note) is note
    get_manager().dispatch("pre_tool_call", call())

    assert seen == ["read_file"]


def test_the_parameter_of_a_function_may_have_any_name(call: Call) -> None:
    @on("pre_tool_call")
    def guard(whatever: Any) -> bool:
        return False

    with pytest.raises(HookAborted):
        get_manager().dispatch("pre_tool_call", call())


def test_a_functions_options_hold(call: Call) -> None:
    @on("pre_tool_call", tools=["delete_*"], priority=3)
    def guard(ctx: Any) -> bool:
        return False

    get_manager().dispatch("pre_tool_call", call("read_file"))
    (hook,) = get_manager().hooks("pre_tool_call")

    assert (hook.tools, hook.priority) == (("delete_*",), 3)


def test_decorators_may_be_stacked(call: Call) -> None:
    seen: list[Any] = []

    @on("post_tool_call")
    @on("pre_tool_call")
    def note(ctx: Any) -> None:
        seen.append(ctx.point)

    get_manager().call_tool("x", {}, lambda arguments: None)

    assert seen == ["pre_tool_call", "post_tool_call"]


def test_the_same_function_twice_at_one_point_runs_twice(call: Call) -> None:
    seen: list[int] = []

    @on("pre_tool_call")
    @on("pre_tool_call")
    def note(ctx: Any) -> None:
        seen.append(1)

    get_manager().dispatch("pre_tool_call", call())

    assert seen == [1, 1]


class Guard:
    """A class with a marked method."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    @on("pre_tool_call")
    def note(self, ctx: Any) -> None:
        self.seen.append(ctx.tool_name)

    def plain(self, ctx: Any) -> None:
        self.seen.append(ctx.tool_name)


def test_a_method_in_a_class_body_is_only_marked() -> None:
    assert names() == []


def test_a_marked_method_is_bound_by_register(call: Call) -> None:
    guard = Guard()
    get_manager().register(guard)

    get_manager().dispatch("pre_tool_call", call())

    assert guard.seen == ["read_file"]


def test_a_static_or_class_method_may_be_marked_on_either_side(call: Call) -> None:
    class Guard:
        @on("pre_tool_call")
        @staticmethod
        def outside(ctx: ToolCallContext) -> dict[str, int]:
            return {**ctx.payload, "outside": 1}

        @staticmethod
        @on("pre_tool_call")
        def inside(ctx: ToolCallContext) -> dict[str, int]:
            return {**ctx.payload, "inside": 1}

        @on("pre_tool_call")
        @classmethod
        def of_class(cls, ctx: ToolCallContext) -> dict[str, int]:
            return {**ctx.payload, cls.__name__: 1}

    get_manager().register(Guard())

    payload = get_manager().dispatch("pre_tool_call", call(payload={})).payload
    assert payload == {"inside": 1, "Guard": 1, "outside": 1}


def test_a_marked_method_is_bound_by_scope(call: Call) -> None:
    guard = Guard()

    with get_manager().scope(guard):
        get_manager().dispatch("pre_tool_call", call())

    assert guard.seen == ["read_file"]


def test_a_bound_method_is_registered(call: Call) -> None:
    guard = Guard()
    on("pre_tool_call")(guard.plain)

    get_manager().dispatch("pre_tool_call", call())

    assert guard.seen == ["read_file"]


def test_a_lambda_is_registered(call: Call) -> None:
    seen: list[Any] = []
    on("pre_tool_call")(lambda ctx: seen.append(1))

    get_manager().dispatch("pre_tool_call", call())

    assert seen == [1]


def test_a_partial_is_registered(call: Call) -> None:
    seen: list[Any] = []

    def note(where: list[Any], ctx: Any) -> None:
        where.append(1)

    on("pre_tool_call")(functools.partial(note, seen))
    get_manager().dispatch("pre_tool_call", call())

    assert seen == [1]


def test_a_callable_object_is_registered_at_several_points(call: Call) -> None:
    class Note:
        def __init__(self) -> None:
            self.seen: list[Any] = []

        def __call__(self, ctx: Any) -> None:
            self.seen.append(ctx.point)

    note = Note()
    on("pre_tool_call")(note)
    on("tool_finished")(note)
    get_manager().call_tool("x", {}, lambda arguments: None)

    assert note.seen == ["pre_tool_call", "tool_finished"]


def test_a_builtin_is_registered(call: Call) -> None:
    seen: list[Any] = []
    on("pre_tool_call")(seen.append)

    ctx = get_manager().dispatch("pre_tool_call", call())

    assert seen == [ctx]


def test_an_async_function_is_registered(call: Call) -> None:
    @on("pre_tool_call")
    async def guard(ctx: Any) -> bool:
        return False

    with pytest.raises(HookAborted):
        get_manager().dispatch("pre_tool_call", call())


def test_a_function_with_an_optional_second_parameter_is_registered(call: Call) -> None:
    @on("pre_tool_call")
    def guard(ctx: Any, strict: bool = True) -> bool | None:  # noqa: FBT001, FBT002
        return False if strict else None

    with pytest.raises(HookAborted):
        get_manager().dispatch("pre_tool_call", call())


@pytest.mark.parametrize(
    "function", [lambda: None, lambda a, b: None, lambda *, ctx: None], ids=["none", "two", "kw"]
)
def test_a_function_that_cannot_take_the_context_is_refused(function: Any) -> None:
    with pytest.raises(RegistrationError, match="cannot be registered"):
        on("pre_tool_call")(function)
    assert names() == []


def test_an_unknown_point_is_refused_with_a_suggestion() -> None:
    with pytest.raises(RegistrationError, match='did you mean "pre_tool_call"'):
        on("pre_tol_call")(lambda ctx: None)


def test_a_wrong_option_is_refused_before_anything_is_registered() -> None:
    with pytest.raises(TypeError, match="write tools="):
        on("pre_tool_call", tools="delete_file")
    assert names() == []


def test_a_function_is_unregistered_as_the_object_itself() -> None:
    @on("pre_tool_call")
    def guard(ctx: Any) -> None: ...

    get_manager().unregister(guard)

    assert names() == []


def module_of(*functions: Callable[..., Any]) -> types.ModuleType:
    """Return a module that has these functions."""
    module = types.ModuleType("my_policy")
    for function in functions:
        setattr(module, function.__name__, function)
    return module


def test_a_module_takes_over_what_its_functions_registered_at_its_import(call: Call) -> None:
    seen: list[int] = []

    @on("tool_finished")
    @on("pre_tool_call")
    def guard(ctx: Any) -> None:
        seen.append(1)

    get_manager().register(module_of(guard), name="policy")
    get_manager().dispatch("pre_tool_call", call())

    assert [plugin.name for plugin in get_manager().plugins()] == ["policy"]
    assert seen == [1]


def test_a_module_may_have_the_name_of_its_function() -> None:
    @on("pre_tool_call")
    def guard(ctx: Any) -> None: ...

    name = guard.__qualname__

    assert get_manager().register(module_of(guard), name=name) == name


def test_the_operator_reaches_all_functions_of_a_module(call: Call) -> None:
    @on("tool_finished")
    @on("pre_tool_call")
    def guard(ctx: Any) -> None: ...

    register_configured(get_manager(), module_of(guard), "policy", points=("pre_tool_call",))
    get_manager().disable("policy")

    assert not get_manager().has_hooks("tool_finished")
    assert not get_manager().has_hooks("pre_tool_call")


def test_a_refused_module_leaves_its_functions_registered() -> None:
    @on("pre_tool_call")
    def guard(ctx: Any) -> None: ...

    module = module_of(guard)
    module.on_error = "denied"  # type: ignore[attr-defined]

    with pytest.raises(RegistrationError):
        get_manager().register(module)
    assert len(names()) == 1
