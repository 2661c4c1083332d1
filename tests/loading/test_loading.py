"""Loading the enabled plugins: all of them, or one error that names each failure."""

from __future__ import annotations

import logging
import sys
from typing import Any

import pytest

from hookcore import HookAborted, PluginLoadError, ToolCallContext

DENY = """
    from hookcore import HookAborted, hookimpl

    class Plugin:
        @hookimpl
        def pre_tool_call(self, ctx):
            raise HookAborted(reason="no")
"""
WITH_SETTINGS = """
    from pydantic import BaseModel, Field
    from hookcore import hookimpl

    class Plugin:
        class Settings(BaseModel):
            deny: list[str] = []
            limit: int = Field(default=3, alias="max")

        def __init__(self, settings):
            self.settings = settings

        @hookimpl
        def pre_tool_call(self, ctx):
            return {"deny": self.settings.deny, "limit": self.settings.limit}
"""
MODULE = """
    from pydantic import BaseModel
    from hookcore import hookimpl

    class Settings(BaseModel):
        word: str = "unset"

    configured = []

    def configure(settings):
        configured.append(settings)

    @hookimpl
    def pre_tool_call(ctx):
        return {"word": configured[-1].word}
"""


def tool_input(manager: Any) -> Any:
    context = ToolCallContext(tool_name="x", payload={})
    return manager.dispatch("pre_tool_call", context).payload


def problems(caught: pytest.ExceptionInfo[PluginLoadError]) -> dict[str, str]:
    return {problem.plugin: str(problem) for problem in caught.value.problems}


def test_an_enabled_plugin_acts(world: Any, on: Any) -> None:
    world.install("deny", DENY)
    with pytest.raises(HookAborted, match="no"):
        tool_input(world.load({"deny": on()}))


def test_what_is_not_enabled_is_not_imported(world: Any) -> None:
    world.install("deny", DENY)
    manager = world.load({"deny": {"enabled": False}})
    assert not manager.has_hooks("pre_tool_call")
    assert "plugin_deny" not in sys.modules


def test_plugins_are_registered_in_the_order_of_their_names(world: Any, on: Any) -> None:
    for name in ("zebra", "ant", "mole"):
        world.install(name, DENY)
    manager = world.load({name: on() for name in ("mole", "zebra", "ant")})
    assert [hook.plugin for hook in manager.hooks("pre_tool_call")] == ["ant", "mole", "zebra"]


def test_the_operators_options_reach_the_hooks(world: Any, on: Any) -> None:
    world.install("deny", DENY, version="2.5")
    table = on(priority=7, timeout=1.5, on_error="raise", mode="monitor", tools=["delete_*"])
    (hook,) = world.load({"deny": table}).hooks("pre_tool_call")
    told = (hook.priority, hook.timeout, hook.on_error, hook.mode, hook.tools)
    assert told == (7, 1.5, "raise", "monitor", ("delete_*",))
    assert (hook.distribution, hook.version) == ("acme-deny", "2.5")


def test_a_class_gets_its_validated_settings(world: Any, on: Any) -> None:
    world.install("set", WITH_SETTINGS)
    manager = world.load({"set": on(settings={"deny": ["a"], "max": 9})})
    assert tool_input(manager) == {"deny": ["a"], "limit": 9}


def test_a_class_with_settings_gets_the_defaults_when_none_are_given(world: Any, on: Any) -> None:
    world.install("set", WITH_SETTINGS)
    assert tool_input(world.load({"set": on()})) == {"deny": [], "limit": 3}


def test_a_module_is_configured_with_its_settings(world: Any, on: Any) -> None:
    world.install("mod", MODULE, target="")
    assert tool_input(world.load({"mod": on(settings={"word": "hi"})})) == {"word": "hi"}


def test_an_instance_is_used_as_it_is(world: Any, on: Any) -> None:
    world.install("inst", DENY + "\n    plugin = Plugin()\n", target="plugin")
    with pytest.raises(HookAborted):
        tool_input(world.load({"inst": on()}))


@pytest.mark.parametrize(
    ("code", "settings", "words"),
    [
        (DENY, {"x": 1}, "the plugin declares none"),
        (WITH_SETTINGS, {"dney": ["a"]}, 'no setting dney, did you mean "deny"'),
        (WITH_SETTINGS, {"zzzzz": 1}, "it knows deny, limit, max"),
        (
            WITH_SETTINGS,
            {"dney": [], "limt": 1, "deny": 3},
            r'dney, did you mean "deny"\?; .* limt, did you mean "limit"\?; settings\.deny: input',
        ),
        (WITH_SETTINGS, {"deny": "a"}, r"settings\.deny: input should be a valid list"),
        (WITH_SETTINGS, {"deny": ["a", 3]}, r"settings\.deny\.1: input should be a valid string"),
        (MODULE.replace("configure(", "other("), {}, r"needs a function configure\(settings\)"),
        ("raise RuntimeError('boom')", {}, "RuntimeError: boom .*plugin_bad.py, line 1"),
        ("import nothing_there", {}, "ModuleNotFoundError: No module named 'nothing_there'"),
        ("x = (", {}, "SyntaxError"),
        ("import sys; sys.exit(3)", {}, "SystemExit: 3"),
        (
            "Other = 1",
            {},
            "its entry point bad = 'plugin_bad:Plugin' names Plugin, and plugin_bad has",
        ),
        ("class Plugn: ...", {}, 'has no such thing; did you mean "Plugn"'),
        ("def Plugin(): ...", {}, "the entry point names a function"),
        ("Plugin = None", {}, "the entry point names None"),
        ("class Plugin: Settings = 3", {}, "Settings is not a pydantic model"),
        ("class Plugin: ...", {}, "has no hooks"),
        ("class Plugin:\n    def __init__(self): 1 / 0", {}, "ZeroDivisionError.*line 2"),
        ("class Plugin:\n    def __init__(self, need): ...", {}, "TypeError: .*need"),
    ],
)
def test_a_failure_is_told_with_distribution_version_cause_and_remedy(
    world: Any, on: Any, code: str, settings: dict[str, Any], words: str
) -> None:
    world.install("bad", code, target="" if "def other(" in code else "Plugin")
    with pytest.raises(PluginLoadError, match=words) as caught:
        world.load({"bad": on(settings=settings)})
    text = str(caught.value)
    assert text.startswith("plugin bad (acme-bad 1.0) cannot be loaded: ")
    assert "hookctl disable bad" in text


def test_the_place_of_wrong_settings_is_told(world: Any, on: Any) -> None:
    world.install("set", WITH_SETTINGS)
    (world.site / "hookcore.toml").write_text("[plugins.set.settings]\ndeny = 'a'\n")
    with pytest.raises(PluginLoadError, match=r"see .*hookcore\.toml"):
        world.load({"set": on()})


def test_values_of_settings_are_not_repeated_in_errors(world: Any, on: Any) -> None:
    world.install("set", WITH_SETTINGS)
    with pytest.raises(PluginLoadError) as caught:
        world.load({"set": on(settings={"max": "sk-secret"})})
    assert "sk-secret" not in str(caught.value)


def test_one_error_lists_every_plugin_that_failed(world: Any, on: Any) -> None:
    world.install("good", DENY)
    world.install("one", "raise RuntimeError('first')")
    world.install("two", "raise RuntimeError('second')")
    with pytest.raises(PluginLoadError, match="3 enabled plugins") as caught:
        world.load({name: on() for name in ("good", "one", "two", "three")})
    assert sorted(problems(caught)) == ["one", "three", "two"]


def test_a_plugin_that_is_not_installed_is_a_failure_with_a_suggestion(world: Any, on: Any) -> None:
    world.install("policy", DENY)
    with pytest.raises(PluginLoadError, match=r'did you mean "policy".*pip install') as caught:
        world.load({"polcy": on()})
    assert "enabled by the arguments" in str(caught.value)


def test_a_plugin_that_is_offered_twice_is_a_failure(world: Any, on: Any) -> None:
    world.install("deny", DENY)
    other = world.site / "other-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Name: other\nVersion: 1.0\n")
    (other / "entry_points.txt").write_text("[hookcore.plugins]\ndeny = x:y\n")
    with pytest.raises(PluginLoadError, match=r"offered by .* and by .*pip uninstall other"):
        world.load({"deny": on()})
    assert "plugin_deny" not in sys.modules


def test_on_error_allow_leaves_a_broken_plugin_out(
    world: Any, on: Any, caplog: pytest.LogCaptureFixture
) -> None:
    world.install("good", DENY)
    world.install("bad", "raise RuntimeError('boom')")
    with caplog.at_level(logging.WARNING, "hookcore"):
        manager = world.load({"bad": on(on_error="allow"), "good": on()})
    assert [hook.plugin for hook in manager.hooks("pre_tool_call")] == ["good"]
    assert "plugin bad (acme-bad 1.0) cannot be loaded: RuntimeError: boom" in caplog.text


DISABLED = """
from hookcore import PluginDisabledError, hookimpl
class Plugin:
    def __init__(self):
        raise PluginDisabledError("settings.url: nobody is there")
    @hookimpl
    def tool_finished(self, ctx): ...
"""


def test_a_plugin_that_disables_itself_is_left_out_alone(
    world: Any, on: Any, caplog: pytest.LogCaptureFixture
) -> None:
    world.install("audit", DISABLED)
    world.install("guard", DENY)
    manager = world.load({"audit": on(), "guard": on()})
    assert [info.name for info in manager.plugins()] == ["guard"]
    assert "left out: plugin audit (acme-audit 1.0) cannot be loaded: settings.url" in caplog.text
    assert [record.levelname for record in caplog.records] == ["ERROR"]


@pytest.mark.parametrize("keys", [{"required": True}, {"on_error": "deny"}, {"on_error": "raise"}])
def test_a_plugin_that_disables_itself_stops_the_program_where_the_operator_needs_it(
    world: Any, on: Any, keys: dict[str, Any]
) -> None:
    world.install("audit", DISABLED)
    with pytest.raises(PluginLoadError, match="nobody is there"):
        world.load({"audit": on(**keys)})


def test_a_required_plugin_is_never_left_out(world: Any, on: Any) -> None:
    world.install("bad", "raise RuntimeError('boom')")
    with pytest.raises(PluginLoadError, match="required by the arguments") as caught:
        world.load({"bad": on(required=True)})
    assert "disable" not in str(caught.value)


def test_the_master_switch_loads_nothing(world: Any, on: Any) -> None:
    world.install("bad", "raise RuntimeError('boom')")
    manager = world.load({"bad": on()}, hooks={"enabled": False})
    assert not manager.has_hooks("pre_tool_call")
    assert "plugin_bad" not in sys.modules


def test_the_master_switch_does_not_switch_off_what_is_required(world: Any, on: Any) -> None:
    world.install("deny", DENY)
    with pytest.raises(PluginLoadError, match="switched off by the arguments, and"):
        world.load({"deny": on(required=True)}, hooks={"enabled": False})


def test_points_that_a_plugin_does_not_hook_are_a_failure(world: Any, on: Any) -> None:
    world.install("deny", DENY)
    with pytest.raises(PluginLoadError, match="post_tool_call"):
        world.load({"deny": on(points=["post_tool_call"])})


def test_an_interrupt_while_a_plugin_is_imported_is_not_swallowed(world: Any, on: Any) -> None:
    world.install("slow", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        world.load({"slow": on(on_error="allow")})


def test_code_that_nothing_vouches_for_is_not_imported_under_enforce(world: Any, on: Any) -> None:
    world.install("deny", DENY)
    with pytest.raises(PluginLoadError, match=r"no hookcore\.lock records"):
        world.load({"deny": on()}, hooks={"verify": "enforce"})
    assert "plugin_deny" not in sys.modules
