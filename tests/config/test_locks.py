"""A requirement of an earlier layer stands against all later ones."""

from __future__ import annotations

from typing import Any

import pytest

from hookcore.errors import ConfigError

REQUIRED = (
    "[hooks]\nverify = 'warn'\n[plugins.acme]\nrequired = true\ntimeout = 2.0\n"
    "[plugins.acme.settings]\ndeny = ['x']\n"
)
ATTEMPTS = [
    {"plugins": {"acme": {"enabled": False}}},
    {"plugins": {"acme": {"required": False}}},
    {"plugins": {"acme": {"mode": "monitor"}}},
    {"plugins": {"acme": {"on_error": "allow"}}},
    {"plugins": {"acme": {"on_error": "raise"}}},
    {"plugins": {"acme": {"timeout": 0.001}}},
    {"plugins": {"acme": {"priority": 1}}},
    {"plugins": {"acme": {"points": ["session_start"]}}},
    {"plugins": {"acme": {"tools": ["nothing"]}}},
    {"plugins": {"acme": {"agents": ["nobody"]}}},
    {"plugins": {"acme": {"rules": {"no-rm": {"mode": "monitor"}}}}},
    {"plugins": {"acme": {"rules": {"no-rm": {"expires": "2020-01-01"}}}}},
    {"plugins": {"acme": {"settings": {"deny": []}}}},
    {"plugins": {"acme": {"settings": {"allow": ["*"]}}}},
    {"hooks": {"enabled": False}},
    {"hooks": {"verify": "off"}},
]
HARMLESS = [
    {},
    {"plugins": {"acme": {}}},
    {"plugins": {"acme": {"settings": {}}}},
    {"plugins": {"acme": {"enabled": True, "required": True, "mode": "enforce"}}},
    {"plugins": {"acme": {"on_error": "deny", "timeout": 2.0}}},
    {"plugins": {"acme": {"timeout": 2}}},
    {"plugins": {"acme": {"settings": {"deny": ["x"]}}}},
    {"plugins": {"other": {"enabled": True}}},
    {"hooks": {"enabled": True, "verify": "enforce"}},
]


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=str)
def test_arguments_cannot_touch_a_locked_table(layers: Any, attempt: dict[str, Any]) -> None:
    layers.system.write_text(REQUIRED)
    with pytest.raises(ConfigError, match="cannot be changed there") as caught:
        layers.read(attempt)
    assert str(layers.system) in str(caught.value)
    assert "the arguments" in str(caught.value)


@pytest.mark.parametrize("attempt", HARMLESS, ids=str)
def test_saying_the_same_again_is_allowed(layers: Any, attempt: dict[str, Any]) -> None:
    layers.system.write_text(REQUIRED)
    acme = layers.read(attempt).plugins["acme"]
    assert (acme.enabled, acme.required, acme.on_error, acme.timeout) == (True, True, "deny", 2.0)
    assert acme.settings == {"deny": ["x"]}


@pytest.mark.parametrize("name", ["user", "project", "pyproject"])
def test_a_later_file_cannot_touch_a_locked_table(layers: Any, name: str) -> None:
    layers.system.write_text(REQUIRED)
    text = "[plugins.acme]\nenabled = false\n"
    file = layers.project.with_name("pyproject.toml") if name == "pyproject" else None
    file = file or getattr(layers, name)
    file.write_text(text.replace("[", "[tool.hookcore.") if name == "pyproject" else text)
    with pytest.raises(ConfigError) as caught:
        layers.read()
    assert str(file) in str(caught.value)
    assert str(layers.system) in str(caught.value)


@pytest.mark.parametrize(
    "environ",
    [
        {"HOOKCORE_NO_PLUGINS": "1"},
        {"HOOKCORE_DISABLE": "acme"},
        {"HOOKCORE_DISABLE": "ACME"},
        {"HOOKCORE_HOOKS__ENABLED": "false"},
        {"HOOKCORE_HOOKS__VERIFY": "off"},
        {"HOOKCORE_PLUGINS__ACME__MODE": "monitor"},
        {"HOOKCORE_PLUGINS__ACME": "{enabled = false}"},
        {"HOOKCORE_PLUGINS__ACME__SETTINGS__DENY": "[]"},
    ],
)
def test_the_environment_cannot_touch_a_locked_table(layers: Any, environ: dict[str, str]) -> None:
    layers.project.write_text(REQUIRED)
    with pytest.raises(ConfigError, match="cannot be changed there") as caught:
        layers.read(environ=environ)
    assert next(iter(environ)) in str(caught.value)


@pytest.mark.parametrize("verify", ["off", "warn", "enforce"])
def test_verification_is_not_loosened_below_what_holds_without_a_word(
    layers: Any, verify: str
) -> None:
    layers.system.write_text("[plugins.acme]\nrequired = true\n")
    layers.project.write_text(f"[hooks]\nverify = '{verify}'\n")
    if verify == "off":
        with pytest.raises(ConfigError, match=r"hooks\.verify cannot be changed there"):
            layers.read()
    else:
        assert layers.read().verify == verify


def test_what_came_before_the_lock_may_be_changed_by_the_layer_that_locks(layers: Any) -> None:
    layers.system.write_text("[plugins.acme]\nenabled = false\non_error = 'allow'\npriority = 5\n")
    layers.user.write_text("[plugins.acme]\nrequired = true\n")
    config = layers.read()
    acme = config.plugins["acme"]
    assert (acme.enabled, acme.on_error, acme.priority) == (True, "deny", 5)
    assert config.origin("plugins.acme.on_error").file == layers.user


def test_required_alone_switches_on_and_denies_on_failure(layers: Any) -> None:
    layers.project.write_text("[plugins.acme]\nrequired = true\n")
    acme = layers.read().plugins["acme"]
    assert (acme.enabled, acme.on_error) == (True, "deny")
    assert layers.read().required == ("acme",)


def test_a_required_plugin_may_raise_on_failure(layers: Any) -> None:
    layers.project.write_text("[plugins.acme]\nrequired = true\non_error = 'raise'\n")
    assert layers.read().plugins["acme"].on_error == "raise"


@pytest.mark.parametrize("line", ["enabled = false", "on_error = 'allow'"])
def test_a_table_that_contradicts_itself_is_an_error(layers: Any, line: str) -> None:
    layers.project.write_text(f"[plugins.acme]\nrequired = true\n{line}\n")
    with pytest.raises(ConfigError, match=r"contradicts plugins\.acme\.required"):
        layers.read()


def test_a_plugin_that_nobody_requires_stays_open(layers: Any) -> None:
    layers.system.write_text(REQUIRED + "[plugins.other]\nenabled = true\n")
    layers.project.write_text("[plugins.other]\nenabled = false\n")
    assert not layers.read().plugins["other"].enabled
