"""A value that is not quite right is refused, with the place and the right word."""

from __future__ import annotations

from typing import Any

import pytest

from hookcore.config import PluginConfig
from hookcore.errors import ConfigError


def test_every_option_of_a_plugin_is_read(layers: Any) -> None:
    layers.project.write_text(
        "[plugins.acme]\nenabled = true\nrequired = true\nmode = 'monitor'\non_error = 'raise'\n"
        "priority = 10\ntimeout = 2\npoints = ['pre_tool_call']\ntools = ['*']\nagents = ['a']\n"
        "settings = {deny = ['x']}\n"
    )
    assert layers.read().plugins["acme"] == PluginConfig(
        enabled=True,
        required=True,
        mode="monitor",
        on_error="raise",
        priority=10,
        timeout=2.0,
        points=("pre_tool_call",),
        tools=("*",),
        agents=("a",),
        settings={"deny": ["x"]},
    )


@pytest.mark.parametrize(
    ("line", "key", "words"),
    [
        ("on_error = 'Deny'", "on_error", 'did you mean "deny"'),
        ("on_error = 'fail'", "on_error", '"allow", "deny", "raise"'),
        ("mode = 'monitored'", "mode", 'did you mean "monitor"'),
        ("enabled = 'yes'", "enabled", "must be true or false, not 'yes'"),
        ("enabled = 1", "enabled", "must be true or false, not 1"),
        ("required = 'true'", "required", "must be true or false"),
        ("priority = '10'", "priority", "must be a whole number"),
        ("priority = 1.5", "priority", "must be a whole number"),
        ("priority = true", "priority", "must be a whole number"),
        ("timeout = '2s'", "timeout", "must be a number"),
        ("timeout = 0", "timeout", "seconds above 0"),
        ("timeout = -1.0", "timeout", "seconds above 0"),
        ("timeout = inf", "timeout", "seconds above 0"),
        ("timeout = nan", "timeout", "seconds above 0"),
        ("timeout = true", "timeout", "must be a number"),
        ("rollout = 101", "rollout", "must be a smaller number"),
        ("rollout = -1", "rollout", "must be a larger number"),
        ("rollout = '10%'", "rollout", "must be a number"),
        ("expires = 'soon'", "expires", "must be a day such as 2027-01-31"),
        ("expires = 2027-01-31T10:00:00", "expires", "must be a day such as 2027-01-31"),
        ("expires = 20270131", "expires", "must be a day such as 2027-01-31"),
        ("tools = 'delete_*'", "tools", "must be a list of names"),
        ("tools = []", "tools", "must not be empty"),
        ("tools = ['']", "tools.0", "must not be empty"),
        ("agents = [3]", "agents.0", "must be a string"),
        ("settings = []", "settings", "must be a table"),
        ("enable = true", "enable", 'did you mean "enabled"'),
        ("priorty = 3", "priorty", 'did you mean "priority"'),
        ("deny = ['x']", "deny", r"belongs into \[plugins\.acme\.settings\]"),
    ],
)
def test_a_near_miss_is_an_error_that_names_file_key_and_remedy(
    layers: Any, line: str, key: str, words: str
) -> None:
    layers.project.write_text(f"[plugins.acme]\n{line}\n")
    with pytest.raises(ConfigError, match=words) as caught:
        layers.read()
    assert caught.value.file == layers.project
    assert caught.value.key == f"plugins.acme.{key}"
    assert f"{layers.project}: plugins.acme.{key}" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[plugin.acme]", 'plugin is not .*did you mean "plugins"'),
        ("[hooks]\nenable = true", 'hooks.enable is not .*did you mean "enabled"'),
        ("[hooks]\nverify = 'strict'", '"off", "warn", "enforce"'),
        ("[telemetry]\ntrackmutations = true", 'did you mean "track_mutations"'),
        ("[zzz]", "known here: hooks, plugins, telemetry"),
    ],
)
def test_an_unknown_key_is_an_error_with_a_suggestion(layers: Any, text: str, words: str) -> None:
    layers.project.write_text(text)
    with pytest.raises(ConfigError, match=words):
        layers.read()


def test_all_mistakes_of_a_file_are_told_at_once(layers: Any) -> None:
    layers.project.write_text("[plugins.a]\nmode = 1\n[plugins.b]\nmode = 2\n")
    with pytest.raises(ConfigError, match=r"plugins\.a\.mode.*plugins\.b\.mode"):
        layers.read()


def test_keys_of_a_pyproject_are_named_as_they_stand_there(layers: Any) -> None:
    file = layers.project.with_name("pyproject.toml")
    file.write_text("[tool.hookcore.plugins.acme]\nmode = 'x'\n")
    with pytest.raises(ConfigError, match=r"tool\.hookcore\.plugins\.acme\.mode") as caught:
        layers.read()
    assert caught.value.key == "tool.hookcore.plugins.acme.mode"


def test_names_that_toml_quotes_are_quoted(layers: Any) -> None:
    layers.project.write_text("[plugins.'a.b']\nmode = 'x'\n")
    with pytest.raises(ConfigError, match=r'plugins\."a\.b"\.mode'):
        layers.read()


def test_arguments_are_held_to_the_same_rules(layers: Any) -> None:
    with pytest.raises(ConfigError, match=r'the arguments: plugins\.acme\.mode.*"monitor"'):
        layers.read({"plugins": {"acme": {"mode": "Monitor"}}})


def test_a_section_of_zeroclaw_s_is_an_error_that_says_where_it_is_read(layers: Any) -> None:
    layers.project.write_text("[hooks.builtin]\ncommand_logger = true\n")
    with pytest.raises(ConfigError, match=r"write \[plugins\.command-logger\] and .*zeroclaw") as e:
        layers.read()
    assert str(e.value).startswith(f"{layers.project}: hooks.builtin is a section of ZeroClaw's")


def test_so_is_one_that_the_environment_sets(layers: Any) -> None:
    variable = "HOOKCORE_HOOKS__BUILTIN__COMMAND_LOGGER"
    with pytest.raises(ConfigError, match=rf"{variable}: hooks.builtin is a section of ZeroClaw's"):
        layers.read(environ={variable: "true"})


def test_the_place_of_several_mistakes_is_told_once(layers: Any) -> None:
    layers.project.write_text("[plugins.a]\nenabld = true\nmod = 'x'\n")
    with pytest.raises(ConfigError) as caught:
        layers.read()
    assert str(caught.value).count(str(layers.project)) == 1
    assert "; and plugins.a.mod is not a key" in str(caught.value)
