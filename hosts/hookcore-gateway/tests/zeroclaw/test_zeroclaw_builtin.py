"""Runners made from a configuration in the source's shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore import ConfigError
from hookcore_gateway.zeroclaw import HookRunner

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
