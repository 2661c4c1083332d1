"""The options that author and operator set for a plugin: defaults, and the plugin's own settings."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from hookcore import HookManager, RegistrationError, ToolCallContext, hookimpl


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
    operator = {"on_error": "deny", "priority": 1, "timeout": 3.0}

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


def test_settings_may_be_an_instance_of_the_plugins_model(manager: HookManager) -> None:
    manager.register(Limited, settings=Limits(most=7))

    assert manager.plugins()[0].plugin.settings.most == 7


def test_an_object_is_configured_by_an_instance_of_its_model(manager: HookManager) -> None:
    class Configured(Guard):
        Settings = Limits

        def configure(self, settings: Limits) -> None:
            self.settings = settings

    plugin = Configured()
    manager.register(plugin, settings=Limits(most=8))

    assert plugin.settings.most == 8


def test_a_module_is_a_plugin(manager: HookManager, call: Callable[..., ToolCallContext]) -> None:
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
