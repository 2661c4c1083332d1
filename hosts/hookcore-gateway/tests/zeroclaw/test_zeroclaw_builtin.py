"""Runners made from a configuration in the source's shape."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookcore import ConfigError, HookManager
from hookcore_gateway.zeroclaw import HookRunner, plugin_tables

Install = Callable[[str, str], None]

LOGGER = """
from hookcore import hookimpl

class Plugin:
    @hookimpl
    def tool_finished(self, ctx):
        pass
"""
AUDIT = """
from pydantic import BaseModel, ConfigDict, field_validator
from hookcore import hookimpl

class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid")
    url: str
    tool_patterns: list[str] = []
    include_args: bool = False
    max_args_bytes: int = 4096

    @field_validator("url")
    @classmethod
    def _is_safe(cls, value):
        if not value.startswith("https:"):
            raise ValueError("https only")
        return value

class Plugin:
    Settings = Settings

    def __init__(self, settings):
        self.settings = settings

    @hookimpl
    def tool_finished(self, ctx):
        pass
"""


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"enabled": True, "builtin": {}},
        {"builtin": {"command_logger": False, "webhook_audit": {"enabled": False}}},
        {"builtin": {"webhook_audit": {}}},
    ],
)
def test_with_all_builtins_off_a_runner_is_empty(config: dict[str, Any], install: Install) -> None:
    assert HookRunner.from_config(config).is_empty()


@pytest.mark.parametrize("value", [True, {"enabled": True}])
def test_the_command_logger_is_there_when_it_is_on(value: Any, install: Install) -> None:
    install("command-logger", LOGGER)
    runner = HookRunner.from_config({"builtin": {"command_logger": value}})
    assert runner.names() == ("command-logger",)


def test_the_webhook_audit_gets_the_sources_keys(install: Install) -> None:
    install("webhook-audit", AUDIT)
    keys = {
        "url": "https://example.com",
        "tool_patterns": ["shell*"],
        "include_args": True,
        "max_args_bytes": 0,
    }
    runner = HookRunner.from_config({"builtin": {"webhook_audit": {"enabled": True, **keys}}})
    (info,) = runner.manager.plugins()
    assert info.plugin.settings.model_dump() == keys


def test_a_wrong_url_costs_only_the_audit(
    install: Install, caplog: pytest.LogCaptureFixture
) -> None:
    install("webhook-audit", AUDIT)
    install("command-logger", LOGGER)
    audit = {"enabled": True, "url": "http://example.com"}
    runner = HookRunner.from_config({"builtin": {"command_logger": True, "webhook_audit": audit}})
    assert runner.names() == ("command-logger",)
    assert "plugin webhook-audit" in caplog.text
    assert "https only" in caplog.text


def test_the_master_switch_is_the_callers_business(install: Install) -> None:
    install("command-logger", LOGGER)
    config = {"enabled": False, "builtin": {"command_logger": True}}
    assert not HookRunner.from_config(config).is_empty()


def test_a_builtin_that_is_not_installed_names_its_distribution(install: Install) -> None:
    with pytest.raises(ConfigError, match="pip install hookcore-command-logger"):
        HookRunner.from_config({"builtin": {"command_logger": True}})


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"enable": True}, 'hooks.enable is not a key.*did you mean "enabled"'),
        ({"enabled": 1}, "hooks.enabled must be true or false"),
        ({"builtin": {"webhook_audit": {"uri": "x"}}}, "hooks.builtin.webhook_audit.uri is not"),
    ],
)
def test_a_wrong_key_is_an_error(config: dict[str, Any], words: str, install: Install) -> None:
    with pytest.raises(ConfigError, match=words):
        HookRunner.from_config(config)


# The tables of plugins that the section stands for


AUDIT_TABLE = {
    "url": "https://example.com/audit",
    "tool_patterns": ["shell*"],
    "include_args": True,
    "max_args_bytes": 100,
}


def test_the_section_becomes_the_last_layer_of_a_configuration(install: Install) -> None:
    install("command-logger", LOGGER)
    install("webhook-audit", AUDIT)
    audit = {"enabled": True, **AUDIT_TABLE}
    tables = plugin_tables({"builtin": {"command_logger": True, "webhook_audit": audit}})
    assert tables == {
        "plugins": {
            "command-logger": {"enabled": True, "on_error": "allow"},
            "webhook-audit": {"enabled": True, "on_error": "allow", "settings": AUDIT_TABLE},
        }
    }
    manager = HookManager.load(config=tables)
    assert [info.name for info in manager.plugins()] == ["command-logger", "webhook-audit"]
    manager.close()


def test_it_stands_beside_the_files_and_above_them(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("command-logger", LOGGER)
    (tmp_path / "hookcore.toml").write_text(
        "[plugins.command-logger]\nenabled = true\npriority = 7\n"
    )
    tables = plugin_tables({"builtin": {"command_logger": False}})
    assert HookManager.load(tmp_path, tables).plugins() == ()


def test_what_is_required_cannot_be_switched_off_by_the_section(
    install: Install, tmp_path: Path
) -> None:
    install("command-logger", LOGGER)
    (tmp_path / "hookcore.toml").write_text("[plugins.command-logger]\nrequired = true\n")
    tables = plugin_tables({"builtin": {"command_logger": False}})
    with pytest.raises(ConfigError, match=r"plugins\.command-logger\.enabled cannot be changed"):
        HookManager.load(tmp_path, tables)


def test_a_section_in_the_core_s_own_file_is_an_error_that_says_where_it_goes(
    tmp_path: Path,
) -> None:
    (tmp_path / "hookcore.toml").write_text("[hooks.builtin.webhook_audit]\nurl = 'S3CR3T'\n")
    with pytest.raises(ConfigError, match=r"hookcore_gateway\.zeroclaw\.plugin_tables") as caught:
        HookManager.load(tmp_path)
    assert "hooks.builtin is a section of ZeroClaw's" in str(caught.value)
    assert "S3CR3T" not in str(caught.value)


@pytest.mark.parametrize(
    ("builtin", "words"),
    [
        ({"command_loger": True}, 'command_loger .*did you mean "command_logger"'),
        ({"other_thing": True}, "other_thing .*known here: command_logger, webh"),
        ({"boot_script": "x"}, "boot_script is a hook that ZeroClaw has given up"),
        ({"session_memory": {"x": 1}}, "session_memory is a hook that ZeroClaw has gi"),
        ({"webhook_audit": {"urls": "x"}}, 'webhook_audit.urls .*did you mean "url"'),
        ({"command_logger": {"file": "x"}}, "command_logger.file is not a key"),
        ({"webhook_audit": {"args": {"max": 1}}}, "webhook_audit.args is not a key"),
        (1, "hooks.builtin must be a table, not 1"),
        ({"webhook_audit": True}, "webhook_audit must be a table, not True"),
        ({"command_logger": 1}, "command_logger must be true or false, not 1"),
        ({"webhook_audit": {"enabled": "yes"}}, "enabled must be true or false"),
        ({"webhook_audit": {"url": ["s3cret"]}}, "url must be a string, not list$"),
        ({"webhook_audit": {"tool_patterns": "a"}}, "tool_patterns must be a list"),
        ({"webhook_audit": {"tool_patterns": [1]}}, "tool_patterns must be a list"),
        ({"webhook_audit": {"max_args_bytes": -1}}, "max_args_bytes must be a number"),
        ({"webhook_audit": {"max_args_bytes": True}}, "max_args_bytes must be a num"),
    ],
)
def test_what_is_wrong_in_the_section_is_an_error_with_its_place(builtin: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as problem:
        plugin_tables({"builtin": builtin})
    assert str(problem.value).startswith("hooks.builtin")


@pytest.mark.parametrize("section", [{}, {"webhook_audit": {}}, {"command_logger": False}])
def test_what_is_off_need_not_be_installed(section: dict[str, Any], install: Install) -> None:
    plugins = plugin_tables({"builtin": section})["plugins"]
    assert not any(table.get("enabled") for table in plugins.values())
