"""Registration: nothing wrong gets in, and what is refused leaves nothing behind."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import pluggy
import pytest
from pydantic import BaseModel

from hookcore import HookManager, RegistrationError, ToolCallContext, hookimpl, on
from hookcore._options import OperatorOptions


class Guard:
    """A plugin with one good hook."""

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None: ...


class Limits(BaseModel):
    """Settings of the plugin below."""

    most: int = 3


class Limited:
    """A plugin with settings."""

    Settings = Limits

    def __init__(self, settings: Limits) -> None:
        self.settings = settings

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None: ...


def refused(manager: HookManager, plugin: Any, **arguments: Any) -> str:
    """Register a bad plugin and return the error's text."""
    with pytest.raises(RegistrationError) as caught:
        manager.register(plugin, **arguments)
    return str(caught.value)


# Names


def test_register_returns_the_given_name(manager: HookManager) -> None:
    assert manager.register(Guard(), name="guard") == "guard"


def test_a_plugin_without_a_name_gets_that_of_its_class(manager: HookManager) -> None:
    assert manager.register(Guard()) == "Guard"


def test_made_up_names_are_unique(manager: HookManager) -> None:
    names = [manager.register(Guard()) for _ in range(3)]

    assert names == ["Guard", "Guard-2", "Guard-3"]


def test_a_given_name_is_never_made_unique(manager: HookManager) -> None:
    manager.register(Guard(), name="guard")

    assert "a plugin named 'guard' is registered already" in refused(
        manager, Guard(), name="guard"
    )


@pytest.mark.parametrize("name", ["", "  ", 7])
def test_a_name_is_a_non_empty_text(manager: HookManager, name: Any) -> None:
    assert "non-empty text" in refused(manager, Guard(), name=name)


def test_the_same_object_is_not_registered_twice(manager: HookManager) -> None:
    guard = Guard()
    manager.register(guard, name="one")

    assert "registered already, as 'one'" in refused(manager, guard, name="two")


def test_the_same_slotted_object_is_not_registered_twice(manager: HookManager) -> None:
    class Slotted:
        __slots__ = ()

        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None: ...

    guard = Slotted()
    manager.register(guard, name="one")

    assert "registered already, as 'one'" in refused(manager, guard, name="two")


def test_a_name_is_free_again_after_unregistering(manager: HookManager) -> None:
    manager.register(Guard(), name="guard")
    manager.unregister("guard")

    assert manager.register(Guard(), name="guard") == "guard"


def test_a_plugin_is_unregistered_by_its_name_or_as_the_object(manager: HookManager) -> None:
    one, two = Guard(), Guard()
    manager.register(one, name="one")
    manager.register(two, name="two")

    assert (manager.unregister("one"), manager.unregister(two)) == (one, two)
    assert manager.plugins() == ()


def test_unregistering_what_is_not_there_suggests_a_name(manager: HookManager) -> None:
    manager.register(Guard(), name="guard")

    with pytest.raises(RegistrationError, match="did you mean 'guard'"):
        manager.unregister("gaurd")


def test_a_required_plugin_can_be_neither_disabled_nor_unregistered(
    manager: HookManager, add: Callable[..., str]
) -> None:
    add("pre_tool_call", lambda ctx: None, name="lock", operator=OperatorOptions(required=True))

    for change in (manager.disable, manager.unregister):
        with pytest.raises(RegistrationError, match="lock is required by the configuration"):
            change("lock")
    assert manager.has_hooks("pre_tool_call")


def test_clearing_keeps_required_plugins(manager: HookManager, add: Callable[..., str]) -> None:
    add("pre_tool_call", lambda ctx: None, name="lock", operator=OperatorOptions(required=True))
    add("pre_tool_call", lambda ctx: None, name="other")

    assert manager.clear() == 1
    assert [plugin.name for plugin in manager.plugins()] == ["lock"]


def test_a_disabled_plugin_does_not_run_until_it_is_enabled(
    manager: HookManager, add: Callable[..., str], call: Callable[..., ToolCallContext]
) -> None:
    ran: list[int] = []
    add("pre_tool_call", lambda ctx: ran.append(1), name="p")

    manager.disable("p")
    manager.dispatch("pre_tool_call", call())
    disabled = list(ran)
    manager.enable("p")
    manager.dispatch("pre_tool_call", call())

    assert (disabled, ran) == ([], [1])


def test_plugins_are_listed_with_their_points_in_the_order_of_the_points(
    manager: HookManager,
) -> None:
    class Both:
        @hookimpl
        def tool_finished(self, ctx: Any) -> None: ...

        @hookimpl
        def pre_model_call(self, ctx: Any) -> None: ...

    manager.register(Both(), name="both")
    (info,) = manager.plugins()

    assert (info.name, info.points) == ("both", ("pre_model_call", "tool_finished"))
    assert (info.enabled, info.required, info.mode) == (True, False, "enforce")


# Misspelt and unsuitable hooks


def test_a_misspelt_hook_name_is_refused_with_a_suggestion(manager: HookManager) -> None:
    class Plugin:
        @hookimpl
        def pre_tool_cal(self, ctx: Any) -> None: ...

    text = refused(manager, Plugin(), name="p")

    assert "plugin p: hook pre_tool_cal" in text
    assert "did you mean 'pre_tool_call'?" in text


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


# Plugin-wide defaults and settings


def test_the_plugins_attributes_are_defaults_of_its_hooks(manager: HookManager) -> None:
    class Plugin(Guard):
        on_error = "deny"
        priority = 5
        timeout = 2

    manager.register(Plugin())
    (hook,) = manager.hooks("pre_tool_call")

    assert (hook.on_error, hook.priority, hook.timeout) == ("deny", 5, 2.0)


def test_a_hooks_own_options_beat_those_of_the_plugin(manager: HookManager) -> None:
    class Plugin:
        on_error = "deny"
        priority = 5

        @hookimpl(on_error="raise", priority=6)
        def pre_tool_call(self, ctx: Any) -> None: ...

    manager.register(Plugin())
    (hook,) = manager.hooks("pre_tool_call")

    assert (hook.on_error, hook.priority) == ("raise", 6)


def test_a_wrong_default_on_the_plugin_is_refused(manager: HookManager) -> None:
    class Plugin(Guard):
        on_error = "denied"

    assert "plugin p: on_error= takes one of" in refused(manager, Plugin(), name="p")


def test_the_operator_beats_the_author(manager: HookManager, add: Callable[..., str]) -> None:
    operator = OperatorOptions(on_error="deny", priority=1, timeout=3.0)

    add("pre_tool_call", lambda ctx: None, operator=operator, on_error="allow", priority=50)
    (hook,) = manager.hooks("pre_tool_call")

    assert (hook.on_error, hook.priority, hook.timeout) == ("deny", 1, 3.0)


def test_a_class_is_made_into_an_object_with_its_settings(manager: HookManager) -> None:
    manager.register(Limited, name="limited", settings={"most": 5})

    assert manager.plugins()[0].plugin.settings.most == 5


def test_a_class_gets_its_default_settings_when_none_are_given(manager: HookManager) -> None:
    manager.register(Limited, name="limited")

    assert manager.plugins()[0].plugin.settings.most == 3


def test_wrong_settings_are_refused(manager: HookManager) -> None:
    assert "Limited cannot be registered: settings.most:" in refused(
        manager, Limited, settings={"most": "many"}
    )


def test_settings_for_a_plugin_without_any_are_refused(manager: HookManager) -> None:
    assert "settings are given (most)" in refused(manager, Guard, settings={"most": 1})


def test_settings_that_are_no_mapping_are_refused(manager: HookManager) -> None:
    assert "settings are a mapping" in refused(manager, Limited, settings=["most"])


def test_an_object_with_settings_is_configured_by_them(manager: HookManager) -> None:
    class Configured(Guard):
        Settings = Limits

        def configure(self, settings: Limits) -> None:
            self.settings = settings

    plugin = Configured()
    manager.register(plugin, settings={"most": 9})

    assert plugin.settings.most == 9


def test_a_module_is_a_plugin(
    manager: HookManager, call: Callable[..., ToolCallContext]
) -> None:
    ran: list[int] = []
    module = types.ModuleType("my_policy")

    @hookimpl
    def pre_tool_call(ctx: Any) -> None:
        ran.append(1)

    module.pre_tool_call = pre_tool_call  # type: ignore[attr-defined]

    assert manager.register(module) == "my_policy"
    manager.dispatch("pre_tool_call", call())
    assert ran == [1]


def test_a_property_that_raises_is_never_looked_at(manager: HookManager) -> None:
    class Plugin(Guard):
        @property
        def expensive(self) -> int:
            raise RuntimeError("nobody asked for this")

    assert manager.register(Plugin(), name="p") == "p"


# Nothing is left behind


def test_a_refused_plugin_leaves_nothing_behind(manager: HookManager) -> None:
    class Plugin(Guard):
        @hookimpl
        def zzz_misspelt(self, ctx: Any) -> None: ...

    refused(manager, Plugin(), name="p")

    assert manager.plugins() == ()
    assert not manager.has_hooks("pre_tool_call")
    assert manager.register(Guard(), name="p") == "p"


def test_a_plugin_that_cannot_be_made_leaves_nothing_behind(manager: HookManager) -> None:
    class Plugin(Guard):
        def __init__(self, needed: int) -> None: ...

    assert "missing 1 required positional argument" in refused(manager, Plugin)
    assert manager.plugins() == ()


def test_points_of_the_configuration_that_the_plugin_has_not_are_refused(
    add: Callable[..., str], manager: HookManager
) -> None:
    with pytest.raises(RegistrationError, match="'post_tool_call', where it has no hook"):
        add("pre_tool_call", lambda ctx: None, operator=OperatorOptions(points=("post_tool_call",)))
    assert manager.plugins() == ()


def test_points_of_the_configuration_leave_the_other_hooks_out(manager: HookManager) -> None:
    class Both(Guard):
        @hookimpl
        def post_tool_call(self, ctx: Any) -> None: ...

    manager._add(Both(), "both", operator=OperatorOptions(points=("post_tool_call",)))

    assert manager.plugins()[0].points == ("post_tool_call",)


def test_a_refused_plugin_names_its_distribution_and_version(manager: HookManager) -> None:
    class Plugin:
        @hookimpl
        def pre_tool_cal(self, ctx: Any) -> None: ...

    with pytest.raises(RegistrationError, match=r"plugin p \(acme-policy 1\.2\): hook"):
        manager._add(Plugin(), "p", distribution="acme-policy", version="1.2")


def test_a_method_marked_with_on_is_bound_by_register(
    manager: HookManager, call: Callable[..., ToolCallContext]
) -> None:
    class Plugin:
        def __init__(self) -> None:
            self.seen: list[Any] = []

        @on("pre_tool_call", tools=["delete_*"])
        def guard(self, anything: ToolCallContext) -> None:
            self.seen.append(anything.tool_name)

    plugin = Plugin()
    manager.register(plugin)
    manager.dispatch("pre_tool_call", call("delete_file"))
    manager.dispatch("pre_tool_call", call("read_file"))

    assert plugin.seen == ["delete_file"]
