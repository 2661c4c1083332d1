"""The layer of the HOOKCORE_* variables."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore.config.environment import read_environment
from hookcore.discovery import Catalog, PluginSource
from hookcore.errors import ConfigError


def test_two_underscores_go_one_table_deeper(layers: Any) -> None:
    assert not layers.read(environ={"HOOKCORE_HOOKS__ENABLED": "false"}).enabled


def test_an_underscore_stands_for_a_dash_where_that_is_a_known_plugin(layers: Any) -> None:
    layers.project.write_text("[plugins.tool-policy]\nenabled = true\n")
    config = layers.read(environ={"HOOKCORE_PLUGINS__TOOL_POLICY__MODE": "monitor"})
    assert config.plugins["tool-policy"].mode == "monitor"
    assert list(config.plugins) == ["tool-policy"]


def test_installed_plugins_are_known_by_name_too() -> None:
    layer = read_environment(
        {"HOOKCORE_PLUGINS__TOOL_POLICY__ENABLED": "true"}, installed=lambda: ["tool-policy"]
    )
    assert layer.table == {"plugins": {"tool-policy": {"enabled": True}}}


def test_a_name_that_nobody_knows_is_taken_as_it_is_written() -> None:
    layer = read_environment({"HOOKCORE_PLUGINS__TOOL_POLICY__ENABLED": "true"})
    assert layer.table == {"plugins": {"tool_policy": {"enabled": True}}}


def test_the_exact_name_wins_over_a_similar_one() -> None:
    known: list[dict[str, Any]] = [{"plugins": {"a-b": {}, "a_b": {}}}]
    layer = read_environment({"HOOKCORE_PLUGINS__A_B__ENABLED": "true"}, known)
    assert layer.table == {"plugins": {"a_b": {"enabled": True}}}


@pytest.mark.parametrize("written", ["acme-policies", "Acme_Policies", "acme.policies"])
def test_a_distribution_s_name_switches_off_all_of_its_plugins(written: str) -> None:
    sources = [PluginSource(name, "m:P", "acme-policies", "1", "/nowhere") for name in ("a", "b")]
    other = PluginSource("c", "m:P", "other", "1", "/nowhere")
    catalog = Catalog([*sources, other])
    layer = read_environment({"HOOKCORE_DISABLE": written}, installed=lambda: catalog)
    off = {"enabled": False}
    assert layer.table == {"plugins": {"a": off, "b": off}}


def test_a_plugin_s_name_wins_over_a_distribution_s() -> None:
    sources = [PluginSource(name, "m:P", "a", "1", "/nowhere") for name in ("a", "b")]
    layer = read_environment({"HOOKCORE_DISABLE": "a"}, installed=lambda: Catalog(sources))
    assert list(layer.table["plugins"]) == ["a"]


def test_a_name_that_means_several_plugins_is_an_error() -> None:
    known: list[dict[str, Any]] = [{"plugins": {"a-b": {}, "a.b": {}}}]
    with pytest.raises(ConfigError, match=r"may mean any of a-b, a\.b"):
        read_environment({"HOOKCORE_PLUGINS__A_B__ENABLED": "true"}, known)


def test_settings_match_the_keys_that_files_use() -> None:
    known: list[dict[str, Any]] = [{"plugins": {"acme": {"settings": {"Max-Size": 1}}}}]
    layer = read_environment({"HOOKCORE_PLUGINS__ACME__SETTINGS__MAX_SIZE": "2"}, known)
    assert layer.table == {"plugins": {"acme": {"settings": {"Max-Size": 2}}}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("3", 3),
        ("1.5", 1.5),
        ('["a", "b"]', ["a", "b"]),
        ("{a = 1}", {"a": 1}),
        ('"quoted"', "quoted"),
        ("monitor", "monitor"),
        ("delete_*", "delete_*"),
        ("", ""),
        ("[broken", "[broken"),
        ("1\nother = 2", "1\nother = 2"),
    ],
)
def test_values_are_toml_or_else_text(text: str, value: object) -> None:
    layer = read_environment({"HOOKCORE_PLUGINS__ACME__SETTINGS__X": text})
    assert layer.table["plugins"]["acme"]["settings"]["x"] == value


@given(st.text())
def test_no_value_reaches_beyond_its_own_key(text: str) -> None:
    layer = read_environment({"HOOKCORE_PLUGINS__ACME__SETTINGS__X": text})
    assert list(layer.table) == ["plugins"]
    assert list(layer.table["plugins"]["acme"]["settings"]) == ["x"]


@pytest.mark.parametrize(
    ("text", "loads"), [("1", False), ("true", False), ("0", True), ("", True)]
)
def test_no_plugins_is_the_master_switch(layers: Any, text: str, loads: bool) -> None:  # noqa: FBT001
    assert layers.read(environ={"HOOKCORE_NO_PLUGINS": text}).enabled is loads


def test_no_plugins_takes_no_other_word(layers: Any) -> None:
    with pytest.raises(ConfigError, match="HOOKCORE_NO_PLUGINS is 'yes'"):
        layers.read(environ={"HOOKCORE_NO_PLUGINS": "yes"})


def test_disable_switches_the_named_plugins_off(layers: Any) -> None:
    layers.project.write_text("[plugins]\na.enabled = true\nb-c.enabled = true\nd.enabled = true\n")
    plugins = layers.read(environ={"HOOKCORE_DISABLE": "a, b-c,"}).plugins
    assert [plugins[name].enabled for name in ("a", "b-c", "d")] == [False, False, True]


def test_disabling_what_nobody_knows_is_warned_of(
    layers: Any, caplog: pytest.LogCaptureFixture
) -> None:
    layers.project.write_text("[plugins.tool-policy]\nenabled = true\n")
    with caplog.at_level(logging.WARNING, "hookcore"):
        config = layers.read(environ={"HOOKCORE_DISABLE": "tool-polcy"})
    assert config.plugins["tool-policy"].enabled
    assert 'did you mean "tool-policy"' in caplog.text


@pytest.mark.parametrize(
    "variable", ["HOOKCORE_REDIS_URL", "HOOKCORE_AUDIT_KEY", "HOOKCORE_APPROVAL_SECRET"]
)
def test_a_secret_that_a_plugin_s_settings_name_sets_no_key(variable: str) -> None:
    assert read_environment({variable: "hunter2"}).table == {}


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("HOOKCORE_NO_PLUGIN", 'did you mean "HOOKCORE_NO_PLUGINS"'),
        ("HOOKCORE_HOOKS_ENABLED", 'did you mean "HOOKCORE_HOOKS__ENABLED"'),
        ("HOOKCORE_", "means nothing"),
        ("HOOKCORE_KEY", "means nothing"),
        ("HOOKCORE_AUDIT_KEYS", "means nothing"),
        ("HOOKCORE_HOOKS__", "means nothing"),
        ("HOOKCORE_PLUGINS____MODE", "means nothing"),
        ("HOOKCORE_HOOKS__ENABELD", r'hooks\.enabeld is not .*did you mean "enabled"'),
        ("HOOKCORE_PLUGINS__ACME__MOD", r'plugins\.acme\.mod is not .*did you mean "mode"'),
    ],
)
def test_an_unknown_variable_is_an_error_that_names_it(
    layers: Any, variable: str, words: str
) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        layers.read(environ={variable: "true"})
    assert variable in str(caught.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"HOOKCORE_NO_PLUGINS": "1"}, {"HOOKCORE_HOOKS__ENABLED": "true"}),
        ({"HOOKCORE_DISABLE": "acme"}, {"HOOKCORE_PLUGINS__ACME__ENABLED": "true"}),
        (
            {"HOOKCORE_PLUGINS__ACME__SETTINGS": "{a = 1}"},
            {"HOOKCORE_PLUGINS__ACME__SETTINGS__A": "2"},
        ),
    ],
)
def test_variables_that_contradict_each_other_are_an_error(
    layers: Any, one: dict[str, str], other: dict[str, str]
) -> None:
    layers.project.write_text("[plugins.acme]\nenabled = true\n")
    with pytest.raises(ConfigError, match="both set"):
        layers.read(environ={**one, **other})


def test_variables_that_agree_are_no_error(layers: Any) -> None:
    environ = {"HOOKCORE_NO_PLUGINS": "1", "HOOKCORE_HOOKS__ENABLED": "false"}
    assert not layers.read(environ=environ).enabled


def test_other_peoples_variables_are_none_of_our_business() -> None:
    assert not read_environment({"PATH": "x", "MY_HOOKCORE_X": "y", "HOOKCTL": "z"}).table
