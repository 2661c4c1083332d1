"""Registration: names, and a refused plugin that leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookManager, RegistrationError, ToolCallContext, hookimpl, on
from hookcore.testing import register_configured


class Guard:
    """A plugin with one good hook."""

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None: ...


def refused(manager: HookManager, plugin: Any, **arguments: Any) -> str:
    """Register a bad plugin and return the error's text."""
    with pytest.raises(RegistrationError) as caught:
        manager.register(plugin, **arguments)
    return str(caught.value)


def test_register_returns_the_given_name(manager: HookManager) -> None:
    assert manager.register(Guard(), name="guard") == "guard"


def test_a_plugin_without_a_name_gets_that_of_its_class(manager: HookManager) -> None:
    assert manager.register(Guard()) == "Guard"


def test_made_up_names_are_unique(manager: HookManager) -> None:
    names = [manager.register(Guard()) for _ in range(3)]

    assert names == ["Guard", "Guard-2", "Guard-3"]


def test_a_given_name_is_never_made_unique(manager: HookManager) -> None:
    manager.register(Guard(), name="guard")

    assert "a plugin named 'guard' is registered already" in refused(manager, Guard(), name="guard")


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

    with pytest.raises(RegistrationError, match='did you mean "guard"'):
        manager.unregister("gaurd")


def test_a_required_plugin_can_be_neither_disabled_nor_unregistered(
    manager: HookManager, add: Callable[..., str]
) -> None:
    add("pre_tool_call", lambda ctx: None, name="lock", operator={"required": True})

    for change in (manager.disable, manager.unregister):
        with pytest.raises(RegistrationError, match="lock is required by the configuration"):
            change("lock")
    assert manager.has_hooks("pre_tool_call")


def test_clearing_keeps_required_plugins(manager: HookManager, add: Callable[..., str]) -> None:
    add("pre_tool_call", lambda ctx: None, name="lock", operator={"required": True})
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
        add("pre_tool_call", lambda ctx: None, operator={"points": ("post_tool_call",)})
    assert manager.plugins() == ()


def test_points_of_the_configuration_leave_the_other_hooks_out(manager: HookManager) -> None:
    class Both(Guard):
        @hookimpl
        def post_tool_call(self, ctx: Any) -> None: ...

    register_configured(manager, Both(), "both", points=("post_tool_call",))

    assert manager.plugins()[0].points == ("post_tool_call",)


def test_a_refused_plugin_names_its_distribution_and_version(manager: HookManager) -> None:
    class Plugin:
        @hookimpl
        def pre_tool_cal(self, ctx: Any) -> None: ...

    with pytest.raises(RegistrationError, match=r"plugin p \(acme-policy 1\.2\): hook"):
        register_configured(manager, Plugin(), "p", distribution="acme-policy", version="1.2")


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
