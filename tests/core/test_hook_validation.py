"""Hooks that cannot work are refused at registration, never silently left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pluggy
import pytest

from hookcore import HookManager, RegistrationError, ToolCallContext, hookimpl


class Guard:
    """A plugin with one good hook."""

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None: ...


def refused(manager: HookManager, plugin: Any, **arguments: Any) -> str:
    """Register a bad plugin and return the error's text."""
    with pytest.raises(RegistrationError) as caught:
        manager.register(plugin, **arguments)
    return str(caught.value)


def test_a_misspelt_hook_name_is_refused_with_a_suggestion(manager: HookManager) -> None:
    class Plugin:
        @hookimpl
        def pre_tool_cal(self, ctx: Any) -> None: ...

    text = refused(manager, Plugin(), name="p")

    assert "plugin p: hook pre_tool_cal" in text
    assert 'did you mean "pre_tool_call"?' in text


def test_an_optional_hook_at_an_unknown_point_is_left_out(manager: HookManager) -> None:
    class Plugin(Guard):
        @hookimpl(optionalhook=True)
        def from_the_future(self, ctx: Any) -> None: ...

    manager.register(Plugin(), name="p")

    assert manager.plugins()[0].points == ("pre_tool_call",)


def test_a_specname_says_which_point_a_function_is_for(manager: HookManager) -> None:
    class Plugin:
        @hookimpl(specname="pre_tool_call")
        def check(self, ctx: Any) -> None: ...

    manager.register(Plugin())

    assert [hook.hook for hook in manager.hooks("pre_tool_call")] == ["check"]


def test_a_plugin_without_hooks_is_refused(manager: HookManager) -> None:
    assert "has no hooks" in refused(manager, object(), name="p")


def test_a_keyword_only_parameter_is_refused(manager: HookManager) -> None:
    class Plugin:
        @hookimpl
        def pre_tool_call(self, *, ctx: Any) -> None: ...

    assert "'ctx' is keyword-only" in refused(manager, Plugin())


def test_a_parameter_that_collects_keywords_is_refused(manager: HookManager) -> None:
    class Plugin:
        @hookimpl
        def pre_tool_call(self, **ctx: Any) -> None: ...

    assert "'ctx' collects keywords" in refused(manager, Plugin())


def test_a_parameter_of_another_name_is_refused(manager: HookManager) -> None:
    class Plugin:
        @hookimpl
        def pre_tool_call(self, context: Any) -> None: ...

    assert "'context' is not one of the point's (ctx)" in refused(manager, Plugin())


def test_a_hook_may_leave_the_context_out(
    manager: HookManager, call: Callable[..., ToolCallContext]
) -> None:
    ran: list[int] = []

    class Plugin:
        @hookimpl
        def pre_tool_call(self) -> None:
            ran.append(1)

    manager.register(Plugin())
    manager.dispatch("pre_tool_call", call())

    assert ran == [1]


def test_a_method_that_lacks_self_is_refused(manager: HookManager) -> None:
    class Plugin:
        @hookimpl
        def pre_tool_call(ctx: Any) -> None: ...  # noqa: N805

    assert "it has no self: a method takes (self, ctx)" in refused(manager, Plugin())


def test_a_generator_that_is_not_marked_as_wrapper_is_refused(manager: HookManager) -> None:
    class Plugin:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> Iterator[None]:
            yield

    assert "mark it with wrapper=True" in refused(manager, Plugin())


def test_a_wrapper_that_is_no_generator_is_refused(manager: HookManager) -> None:
    class Plugin:
        @hookimpl(wrapper=True)
        def pre_tool_call(self, ctx: Any) -> None: ...

    assert "plain generator function with one yield" in refused(manager, Plugin())


def test_an_async_generator_is_refused_outside_wrap_points(manager: HookManager) -> None:
    class Plugin:
        @hookimpl
        async def pre_tool_call(self, ctx: Any) -> Any:
            yield

    assert "an async generator is a hook only at the wrap points" in refused(manager, Plugin())


def test_pluggys_old_form_of_wrappers_is_refused(manager: HookManager) -> None:
    class Plugin:
        @pluggy.HookimplMarker("hookcore")(hookwrapper=True)
        def pre_tool_call(self, ctx: Any) -> Iterator[None]:
            yield

    assert "use wrapper=True" in refused(manager, Plugin())


def test_a_wrapper_at_an_observe_point_is_refused(manager: HookManager) -> None:
    class Plugin:
        @hookimpl(wrapper=True)
        def tool_finished(self, ctx: Any) -> Iterator[None]:
            yield

    assert "wrapper=True has no meaning at tool_finished" in refused(manager, Plugin())


@pytest.mark.parametrize(
    ("point", "options", "message"),
    [
        ("pre_model_call", {"tools": ["x"]}, "tools= has no meaning at pre_model_call"),
        ("tool_finished", {"gate": True}, "a gate is a plain hook at an intercept point"),
        ("accept_event", {"timeout": 1}, "timeout= has no meaning at accept_event"),
        ("accept_event", {"offload": True}, "offload=True is for plain functions"),
        ("pre_tool_call", {"stream": "window"}, "stream= has no meaning at pre_tool_call"),
    ],
)
def test_an_option_that_has_no_meaning_at_the_point_is_refused(
    manager: HookManager,
    one_hook: Callable[..., Any],
    point: str,
    options: dict[str, Any],
    message: str,
) -> None:
    assert message in refused(manager, one_hook(point, lambda ctx: None, **options))


@pytest.mark.parametrize("options", [{"gate": True}, {"timeout": 1}, {"offload": True}])
def test_a_wrapper_takes_no_option_that_it_could_not_keep(
    manager: HookManager, one_hook: Callable[..., Any], options: dict[str, Any]
) -> None:
    def around(ctx: Any) -> Iterator[None]:
        yield

    assert "cannot be registered" in refused(
        manager, one_hook("pre_tool_call", around, wrapper=True, **options)
    )


def test_an_async_hook_cannot_be_offloaded(
    manager: HookManager, one_hook: Callable[..., Any]
) -> None:
    async def hook(ctx: Any) -> None: ...

    assert "offload=True is for plain functions" in refused(
        manager, one_hook("pre_tool_call", hook, offload=True)
    )


def test_an_async_hook_at_a_collect_point_is_refused(
    manager: HookManager, one_hook: Callable[..., Any]
) -> None:
    async def hook(ctx: Any) -> bool:
        return True

    assert "its hooks are plain functions" in refused(manager, one_hook("accept_event", hook))


def test_a_plain_function_at_a_wrap_point_is_refused(
    manager: HookManager, one_hook: Callable[..., Any]
) -> None:
    def hook(ctx: Any, call_next: Any) -> Any:
        return call_next()

    assert "an 'async def' that awaits call_next" in refused(
        manager, one_hook("wrap_tool_call", hook)
    )


def test_a_hook_at_a_wrap_point_takes_call_next(
    manager: HookManager, one_hook: Callable[..., Any]
) -> None:
    async def hook(ctx: Any) -> Any: ...

    assert "takes (ctx, call_next)" in refused(manager, one_hook("wrap_tool_call", hook))


def test_an_async_wrap_is_refused_where_the_host_is_sync(one_hook: Callable[..., Any]) -> None:
    async def hook(ctx: Any, call_next: Any) -> Any: ...

    assert "without an event loop" in refused(
        HookManager(sync=True), one_hook("wrap_tool_call", hook)
    )
