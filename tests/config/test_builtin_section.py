"""ZeroClaw's ``[hooks.builtin]`` is read as the tables of plugins, and nothing in it is ignored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hookcore.config.read
from hookcore.config import Origin, read_tables, set_plugin
from hookcore.config.builtin import builtin_config
from hookcore.config.files import read_table
from hookcore.errors import ConfigError
from hookcore.trust import projects

AUDIT = """
[hooks.builtin.webhook_audit]
enabled = true
url = "https://example.com/audit"
tool_patterns = ["shell*"]
include_args = true
max_args_bytes = 100
"""
LOGGER = "[hooks.builtin]\ncommand_logger = true\n"


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names = ["command-logger", "webhook-audit"]
    monkeypatch.setattr(hookcore.config.read, "_installed", lambda: names)
    return names


def test_the_webhook_audit_becomes_a_plugin_with_settings(layers: Any) -> None:
    layers.project.write_text(AUDIT)
    plugin = layers.read().plugins["webhook-audit"]
    assert plugin.enabled
    assert plugin.settings == {
        "url": "https://example.com/audit",
        "tool_patterns": ["shell*"],
        "include_args": True,
        "max_args_bytes": 100,
    }


@pytest.mark.parametrize("text", [LOGGER, "[hooks.builtin.command_logger]\nenabled = true\n"])
def test_the_command_logger_becomes_a_plugin(layers: Any, text: str) -> None:
    layers.project.write_text(text)
    assert layers.read().plugins["command-logger"].enabled


def test_other_keys_of_hooks_stay_what_they_are(layers: Any) -> None:
    layers.project.write_text('[hooks]\nverify = "off"\n' + LOGGER)
    assert layers.read().verify == "off"


def test_in_a_pyproject_the_section_is_read_too(layers: Any) -> None:
    file = layers.project.with_name("pyproject.toml")
    file.write_text("[tool.hookcore.hooks.builtin]\ncommand_logger = true\n")
    assert layers.read().plugins["command-logger"].enabled


def test_the_environment_may_set_a_builtin(layers: Any) -> None:
    variable = "HOOKCORE_HOOKS__BUILTIN__COMMAND_LOGGER"
    config = layers.read(environ={variable: "true"})
    assert config.plugins["command-logger"].enabled
    at = config.origin("plugins.command-logger.enabled")
    assert str(at) == f"environment variable {variable}"


def test_the_environment_can_switch_off_what_the_section_enables(
    layers: Any, installed: list[str]
) -> None:
    installed.clear()
    layers.project.write_text(LOGGER)
    config = layers.read(environ={"HOOKCORE_DISABLE": "command-logger"})
    assert not config.plugins["command-logger"].enabled


def test_the_arguments_may_set_a_builtin(layers: Any) -> None:
    assert (
        layers.read({"hooks": {"builtin": {"command_logger": True}}})
        .plugins["command-logger"]
        .enabled
    )


def test_the_origin_is_the_file_with_the_section(layers: Any) -> None:
    layers.user.write_text(AUDIT)
    config = layers.read()
    assert config.origin("plugins.webhook-audit.settings.url") == Origin("user", layers.user)


def test_a_warning_explains_what_was_read_as_what(
    layers: Any, caplog: pytest.LogCaptureFixture
) -> None:
    layers.project.write_text(AUDIT)
    layers.read()
    (warning,) = caplog.messages
    assert str(layers.project) in warning
    assert "hooks.builtin.webhook_audit.enabled is read as plugins.webhook-audit.enabled" in warning
    assert "webhook_audit.url is read as plugins.webhook-audit.settings.url" in warning


@pytest.mark.parametrize("text", ["", "[hooks.builtin]\n", "[hooks.builtin.webhook_audit]\n"])
def test_a_section_that_says_nothing_is_no_matter(
    layers: Any, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    layers.project.write_text(text)
    assert dict(layers.read().plugins) == {}
    assert caplog.messages == []


def test_the_plugins_own_table_beside_it_wins(layers: Any) -> None:
    own = "[plugins.webhook-audit]\nenabled = false\n[plugins.webhook-audit.settings]\nurl = 'x'\n"
    layers.project.write_text(AUDIT + own)
    plugin = layers.read().plugins["webhook-audit"]
    assert (plugin.enabled, plugin.settings["url"]) == (False, "x")
    assert plugin.settings["max_args_bytes"] == 100


def test_what_the_section_enables_can_be_disabled_by_the_command(layers: Any) -> None:
    layers.project.write_text(LOGGER)
    set_plugin(layers.project, "command-logger", {"enabled": False})
    assert not layers.read().plugins["command-logger"].enabled


def test_a_later_layer_wins_over_the_section(layers: Any) -> None:
    layers.user.write_text(LOGGER)
    layers.project.write_text("[plugins.command-logger]\nenabled = false\n")
    assert not layers.read().plugins["command-logger"].enabled


def test_a_builtin_that_cannot_be_loaded_stops_nothing_else(layers: Any) -> None:
    layers.project.write_text(AUDIT)
    assert layers.read().plugins["webhook-audit"].on_error == "allow"


def test_an_operator_may_want_a_broken_builtin_to_stop_the_start(layers: Any) -> None:
    layers.project.write_text(AUDIT + '[plugins.webhook-audit]\non_error = "raise"\n')
    assert layers.read().plugins["webhook-audit"].on_error == "raise"


def test_a_required_plugin_stays_required_beside_the_section(layers: Any) -> None:
    layers.system.write_text("[plugins.command-logger]\nrequired = true\n")
    layers.project.write_text(LOGGER)
    plugin = layers.read().plugins["command-logger"]
    assert (plugin.required, plugin.on_error) == (True, "deny")


def test_the_section_cannot_switch_a_required_plugin_off(layers: Any) -> None:
    layers.system.write_text("[plugins.command-logger]\nrequired = true\n")
    layers.project.write_text("[hooks.builtin]\ncommand_logger = false\n")
    with pytest.raises(ConfigError, match=r"hooks\.builtin\.command_logger cannot be changed"):
        layers.read()


@pytest.mark.parametrize(
    ("text", "distribution"),
    [(LOGGER, "hookcore-command-logger"), (AUDIT, "hookcore-webhook-audit")],
)
def test_a_builtin_that_is_not_installed_names_its_distribution(
    layers: Any, installed: list[str], text: str, distribution: str
) -> None:
    installed.clear()
    layers.project.write_text(text)
    with pytest.raises(ConfigError, match=f"pip install {distribution}'") as problem:
        layers.read()
    assert problem.value.file == layers.project


@pytest.mark.parametrize(
    "text",
    [
        "[hooks.builtin]\ncommand_logger = false\n",
        "[hooks]\nenabled = false\n" + LOGGER,
        LOGGER + "[plugins.command-logger]\nenabled = false\n",
    ],
)
def test_a_builtin_that_is_off_need_not_be_installed(
    layers: Any, installed: list[str], text: str
) -> None:
    installed.clear()
    layers.project.write_text(text)
    assert "command-logger" in layers.read().plugins


def test_a_light_reading_does_not_ask_what_is_installed(layers: Any, installed: list[str]) -> None:
    installed.clear()
    layers.project.write_text(LOGGER)
    merged, _ = read_tables(layers.project.parent, environ={})
    assert merged.plugins() == {"command-logger": {"enabled": True}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[hooks.builtin]\ncommand_loger = true", 'command_loger .*did you mean "command_logger"'),
        ("[hooks.builtin]\nother_thing = true", "other_thing .*known here: command_logger, webh"),
        ("[hooks.builtin]\nboot_script = 'x'", "boot_script is a hook that ZeroClaw has given up"),
        ("[hooks.builtin.session_memory]\nx = 1", "session_memory is a hook that ZeroClaw has gi"),
        ("[hooks.builtin.webhook_audit]\nurls = 'x'", 'webhook_audit.urls .*did you mean "url"'),
        ("[hooks.builtin.command_logger]\nfile = 'x'", "command_logger.file is not a key"),
        ("[hooks.builtin.webhook_audit.args]\nmax = 1", "webhook_audit.args is not a key"),
        ("[hooks]\nbuiltin = 1", "hooks.builtin must be a table, not 1"),
        ("[hooks.builtin]\nwebhook_audit = true", "webhook_audit must be a table, not True"),
        ("[hooks.builtin]\ncommand_logger = 1", "command_logger must be true or false, not 1"),
        ("[hooks.builtin.webhook_audit]\nenabled = 'yes'", "enabled must be true or false"),
        ("[hooks.builtin.webhook_audit]\nurl = ['s3cret']", "url must be a string, not list$"),
        ("[hooks.builtin.webhook_audit]\ntool_patterns = 'a'", "tool_patterns must be a list"),
        ("[hooks.builtin.webhook_audit]\ntool_patterns = [1]", "tool_patterns must be a list"),
        ("[hooks.builtin.webhook_audit]\nmax_args_bytes = -1", "max_args_bytes must be a number"),
        ("[hooks.builtin.webhook_audit]\nmax_args_bytes = true", "max_args_bytes must be a num"),
    ],
)
def test_what_is_wrong_in_the_section_is_an_error_with_its_place(
    layers: Any, text: str, words: str
) -> None:
    layers.project.write_text(text)
    with pytest.raises(ConfigError, match=words) as problem:
        layers.read()
    assert str(problem.value).startswith(f"{layers.project}: hooks.builtin")


@pytest.mark.parametrize("text", ["plugins = 1", "plugins = { command-logger = 1 }"])
def test_a_table_of_plugins_that_is_none_is_still_told(layers: Any, text: str) -> None:
    layers.project.write_text(f"{text}\n{LOGGER}")
    with pytest.raises(ConfigError, match="must be a table, not 1"):
        layers.read()


def test_settings_that_are_no_table_are_still_told(layers: Any) -> None:
    layers.project.write_text(AUDIT + "[plugins.webhook-audit]\nsettings = 1\n")
    with pytest.raises(ConfigError, match="settings must be a table"):
        layers.read()


def test_trust_in_a_project_is_about_what_its_file_says(
    layers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projects, "state_folder", lambda: tmp_path)
    monkeypatch.setattr(projects, "make_state_folder", lambda: tmp_path)
    layers.user.write_text('[trust]\nproject = "trusted"\n')
    layers.project.write_text(LOGGER)
    assert dict(layers.read().plugins) == {}
    projects.trust(layers.project, read_table(layers.project) or {}, tmp_path / "hookcore.lock")
    assert layers.read().plugins["command-logger"].enabled


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"bultin": {}}, 'did you mean "builtin"'),
        ({"enabled": "yes"}, "must be true or false"),
        ({"builtin": {"comand_logger": True}}, 'did you mean "command_logger"'),
    ],
)
def test_a_section_by_itself_is_checked(table: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        builtin_config(table)


def test_a_section_by_itself_becomes_the_tables_of_the_plugins() -> None:
    config = builtin_config({"enabled": True, "builtin": {"command_logger": False}})
    assert {name: plugin.enabled for name, plugin in config.plugins.items()} == {
        "command-logger": False
    }
