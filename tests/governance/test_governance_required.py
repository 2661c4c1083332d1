"""Every way to get rid of a required policy, each refused loudly or without effect."""

from __future__ import annotations

from typing import Any

import pytest

from hookcore import (
    HookAborted,
    PluginLoadError,
    RegistrationError,
    ToolCallContext,
    clear_all_hooks,
    get_manager,
)
from hookcore.errors import HookcoreError
from hookcore.testing import as_new_process

REQUIRED = "[plugins.guard]\nrequired = true\nsettings.words = ['bad']\n"
GUARD = """
from pydantic import BaseModel
from hookcore import HookAborted, hookimpl
from hookcore.testing import as_new_process

class Plugin:
    class Settings(BaseModel):
        words: list[str]

    def __init__(self, settings):
        self.words = settings.words

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx):
        if any(word in str(ctx.payload) for word in self.words):
            raise HookAborted(reason="a bad word")
"""
LOOSER = {
    "disabled": "enabled = false",
    "not required": "required = false",
    "monitored": "mode = 'monitor'",
    "failing open": "on_error = 'allow'",
    "raising": "on_error = 'raise'",
    "a tiny timeout": "timeout = 0.000001",
    "other points": "points = ['session_start']",
    "other tools": "tools = ['nothing']",
    "other agents": "agents = ['nobody']",
    "late": "priority = 1000000",
    "other settings": "settings.words = []",
    "more settings": "settings.extra = 1",
}


@pytest.fixture
def required(machine: Any) -> Any:
    machine.install("guard", GUARD)
    machine.system.write_text(REQUIRED)
    return machine


def refuses_bad_words(manager: Any) -> bool:
    try:
        manager.dispatch("pre_tool_call", ToolCallContext(tool_name="x", payload={"a": "bad"}))
    except HookAborted:
        return True
    return False


def test_the_policy_holds_when_nobody_objects(required: Any) -> None:
    assert refuses_bad_words(required.load())


@pytest.mark.parametrize("line", LOOSER.values(), ids=LOOSER)
@pytest.mark.parametrize("form", ["user", "project", "pyproject"])
def test_no_later_file_loosens_it(required: Any, form: str, line: str) -> None:
    text = f"[plugins.guard]\n{line}\n"
    if form == "pyproject":
        file = required.project.with_name("pyproject.toml")
        file.write_text(text.replace("[", "[tool.hookcore.", 1))
    else:
        getattr(required, form).write_text(text)
    with pytest.raises(HookcoreError, match="cannot be changed there"):
        required.load()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HOOKCORE_NO_PLUGINS", "1"),
        ("HOOKCORE_DISABLE", "guard"),
        ("HOOKCORE_DISABLE", " GUARD , other"),
        ("HOOKCORE_HOOKS__ENABLED", "false"),
        ("HOOKCORE_HOOKS__VERIFY", "off"),
        ("HOOKCORE_PLUGINS__GUARD__ENABLED", "false"),
        ("HOOKCORE_PLUGINS__GUARD__MODE", "monitor"),
        ("HOOKCORE_PLUGINS__GUARD__TIMEOUT", "0.00001"),
        ("HOOKCORE_PLUGINS__GUARD__TOOLS", "['nothing']"),
        ("HOOKCORE_PLUGINS__GUARD__SETTINGS", "{words = []}"),
        ("HOOKCORE_PLUGINS__GUARD__SETTINGS__WORDS", "[]"),
    ],
)
def test_no_environment_variable_loosens_it(
    required: Any, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(HookcoreError, match="cannot be changed there"):
        required.load()


@pytest.mark.parametrize(
    "overrides",
    [
        {"hooks": {"enabled": False}},
        {"plugins": {"guard": {"enabled": False}}},
        {"plugins": {"guard": {"settings": {"words": []}}}},
        {"plugins": {"guard": {"mode": "monitor"}}},
    ],
    ids=str,
)
def test_no_argument_loosens_it(required: Any, overrides: dict[str, Any]) -> None:
    with pytest.raises(HookcoreError, match="cannot be changed there"):
        required.load(overrides)


def test_empty_settings_in_a_later_file_change_nothing(required: Any) -> None:
    required.project.write_text("[plugins.guard]\nsettings = {}\n")
    assert refuses_bad_words(required.load())


def test_no_call_on_the_manager_gets_rid_of_it(required: Any) -> None:
    manager = required.load()
    for call in (manager.disable, manager.unregister):
        with pytest.raises(RegistrationError, match="required by the configuration"):
            call("guard")
    plugin = manager.plugins()[0].plugin
    with pytest.raises(RegistrationError, match="required by the configuration"):
        manager.unregister(plugin)
    with pytest.raises(RegistrationError):
        manager.register(object(), name="guard")
    manager.clear()
    assert refuses_bad_words(manager)


def test_neither_clearing_nor_reloading_the_process_gets_rid_of_it(
    required: Any,
) -> None:
    assert clear_all_hooks() == 0
    assert refuses_bad_words(get_manager())
    required.user.write_text("[plugins.guard]\nenabled = false\n")
    assert refuses_bad_words(get_manager())
    with as_new_process(), pytest.raises(HookcoreError, match="cannot be changed there"):
        get_manager()


def test_an_inner_scope_does_not_get_rid_of_it(required: Any) -> None:
    manager = required.load()
    with manager.scope():
        assert refuses_bad_words(manager)


def test_a_second_distribution_with_a_plugin_of_its_name_is_refused(required: Any) -> None:
    required.install("guard", "class Plugin: ...", distribution="evil")
    with pytest.raises(PluginLoadError, match=r"offered by acme-guard 1\.0 .* and by evil 1\.0"):
        required.load()


def test_a_second_copy_of_its_distribution_in_the_working_folder_is_refused(
    required: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    required.install("guard", "class Plugin: ...", version="9.0", site=required.project.parent)
    monkeypatch.syspath_prepend(str(required.project.parent))
    with pytest.raises(PluginLoadError, match="is on the path 2 times"):
        required.load()


def test_a_module_of_its_name_in_the_working_folder_is_refused(
    required: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (required.project.parent / "plugin_guard.py").write_text("raise SystemExit('it was imported')")
    monkeypatch.syspath_prepend(str(required.project.parent))
    with pytest.raises(PluginLoadError, match=r"would be imported from .*project/plugin_guard\.py"):
        required.load()


def test_a_lock_file_in_a_cloned_repository_does_not_vouch_for_it(required: Any) -> None:
    required.system.write_text("[hooks]\nverify = 'enforce'\n" + REQUIRED)
    required.project.write_text("[plugins.guard]\nenabled = true\n")
    mine = required.project.with_name("hookcore.lock")
    from hookcore.discovery import discover
    from hookcore.trust.lockfile import change_lock, entry_of

    change_lock(mine, lambda entries: {"guard": entry_of(discover()["guard"])})
    with pytest.raises(PluginLoadError, match=r"no hookcore\.lock records its installed files"):
        required.load()
    mine.rename(required.system.with_name("hookcore.lock"))
    assert refuses_bad_words(required.load())


def test_one_error_lists_everything_that_is_wrong_with_required_policies(machine: Any) -> None:
    machine.install("broken", "raise RuntimeError('boom')")
    machine.install("wrong", GUARD)
    machine.install("twice")
    machine.install("twice", distribution="other")
    changed = machine.install("changed")
    names = ("broken", "missing", "twice", "wrong", "changed")
    machine.system.write_text("".join(f"[plugins.{name}]\nrequired = true\n" for name in names))
    from hookcore.discovery import discover
    from hookcore.trust.lockfile import change_lock, entry_of

    lock = machine.system.with_name("hookcore.lock")
    change_lock(lock, lambda entries: {"changed": entry_of(discover()["changed"])})
    (changed / "__init__.py").write_text("raise SystemExit('it was imported')")
    with pytest.raises(PluginLoadError) as caught:
        machine.load()
    told = {problem.plugin: problem.cause for problem in caught.value.problems}
    assert set(told) == set(names)
    assert "RuntimeError: boom" in told["broken"]
    assert "no installed distribution offers it" in told["missing"]
    assert "offered by" in told["twice"]
    assert "words" in told["wrong"]
    assert "plugin_changed/__init__.py: changed since it was locked" in told["changed"]


def test_the_command_line_does_not_get_rid_of_it(required: Any) -> None:
    for command in (("disable", "guard"), ("enable", "guard", "--monitor")):
        result = required.hookctl(*command)
        assert result.code == 2
        assert str(required.system) in result.err
    assert not required.project.exists()
