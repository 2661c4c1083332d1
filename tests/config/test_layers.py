"""The files that count, and the one of them that wins."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from hookcore.config import Origin, files, read_config, read_tables
from hookcore.errors import ConfigError

ON = "[plugins.acme]\nenabled = true\n"


def priority(value: int) -> str:
    return f"[plugins.acme]\npriority = {value}\n"


def test_without_files_everything_has_its_default(layers: Any) -> None:
    config = layers.read()
    assert (config.enabled, config.verify, dict(config.plugins)) == (True, "warn", {})
    assert not config.telemetry_track_mutations
    assert [file.exists for file in config.files] == [False, False, False]


def test_each_layer_wins_over_the_one_before(layers: Any) -> None:
    seen = []
    for number, file in enumerate((layers.system, layers.user, layers.project), 1):
        file.write_text(priority(number))
        seen.append(layers.read().plugins["acme"].priority)
    environ = {"HOOKCORE_PLUGINS__ACME__PRIORITY": "4"}
    seen.append(layers.read(environ=environ).plugins["acme"].priority)
    overrides = {"plugins": {"acme": {"priority": 5}}}
    seen.append(layers.read(overrides, environ).plugins["acme"].priority)
    assert seen == [1, 2, 3, 4, 5]


def test_the_origin_of_a_value_is_the_layer_that_won(layers: Any) -> None:
    layers.system.write_text(ON)
    layers.project.write_text(priority(3))
    environ = {"HOOKCORE_PLUGINS__ACME__TIMEOUT": "1.5"}
    config = layers.read({"plugins": {"acme": {"mode": "monitor"}}}, environ)
    assert config.origin("plugins.acme.enabled") == Origin("system", layers.system)
    assert config.origin("plugins.acme.priority") == Origin("project", layers.project)
    assert str(config.origin("plugins.acme.timeout")) == (
        "environment variable HOOKCORE_PLUGINS__ACME__TIMEOUT"
    )
    assert config.origin(("plugins", "acme", "mode")).layer == "arguments"
    assert config.origin("plugins.acme.agents").layer == "default"
    assert config.origin("plugins.acme").layer == "arguments"


def test_settings_are_merged_key_by_key_and_lists_are_replaced(layers: Any) -> None:
    layers.user.write_text(
        '[plugins.acme.settings]\ndeny = ["a"]\n[plugins.acme.settings.x]\ny = 1'
    )
    layers.project.write_text(
        '[plugins.acme.settings]\ndeny = ["b"]\n[plugins.acme.settings.x]\nz = 2'
    )
    assert layers.read().plugins["acme"].settings == {"deny": ["b"], "x": {"y": 1, "z": 2}}


def test_the_nearest_project_file_above_the_working_folder_counts(layers: Any) -> None:
    layers.project.write_text(priority(1))
    inner = layers.project.parent / "a" / "b"
    inner.mkdir(parents=True)
    assert read_config(inner, environ={}).plugins["acme"].priority == 1
    (inner.parent / "hookcore.toml").write_text(priority(2))
    assert read_config(inner, environ={}).plugins["acme"].priority == 2


def test_the_working_folder_is_where_the_search_begins(
    layers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    layers.project.write_text(ON)
    monkeypatch.chdir(layers.project.parent)
    assert read_config(environ={}).plugins["acme"].enabled


def test_a_pyproject_with_the_table_is_a_project_file(layers: Any) -> None:
    pyproject = layers.project.with_name("pyproject.toml")
    pyproject.write_text("[tool.hookcore.plugins.acme]\nenabled = true\n")
    config = layers.read()
    assert config.plugins["acme"].enabled
    assert config.origin("plugins.acme.enabled").file == pyproject


def test_a_pyproject_without_the_table_is_passed_over(layers: Any) -> None:
    layers.project.write_text(ON)
    inner = layers.project.parent / "package"
    inner.mkdir()
    (inner / "pyproject.toml").write_text('[project]\nname = "hookcore-acme"\n')
    assert read_config(inner, environ={}).plugins["acme"].enabled


def test_somebody_elses_broken_pyproject_is_none_of_our_business(layers: Any) -> None:
    layers.project.write_text(ON)
    layers.project.with_name("pyproject.toml").write_text("[project\n")
    assert layers.read().plugins["acme"].enabled


def test_two_configurations_in_one_folder_are_an_error(layers: Any) -> None:
    layers.project.write_text(ON)
    layers.project.with_name("pyproject.toml").write_text("[tool.hookcore]\n")
    with pytest.raises(ConfigError, match=r"both .*hookcore\.toml and .*pyproject\.toml"):
        layers.read()


def test_a_file_is_not_two_layers_when_one_works_in_its_folder(layers: Any) -> None:
    layers.user.write_text(ON)
    config = read_config(layers.user.parent, environ={})
    assert config.origin("plugins.acme.enabled").layer == "user"
    assert [file.exists for file in config.files] == [False, True, False]


def test_the_system_file_never_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "HOOKCORE_SYSTEM", "PROGRAMDATA"):
        monkeypatch.setenv(name, "/elsewhere")
    assert "elsewhere" not in str(files.config_files(Path("/"))[0].path)


@pytest.mark.parametrize("text", ["\ufeff" + ON, ON.replace("\n", "\r\n")])
def test_byte_order_marks_and_windows_line_ends_are_read(layers: Any, text: str) -> None:
    layers.project.write_bytes(text.encode())
    assert layers.read().plugins["acme"].enabled


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"[plugins\n", "not valid TOML.*line 1"),
        (b"[hooks]\nenabled = true\nenabled = true\n", "not valid TOML.*line 3"),
        (b"\xff\xfe[\x00h\x00", "not UTF-8"),
        (b"x" * 1_000_000, "not valid TOML"),
        (b"a = " + b"[" * 1_000_000, "not valid TOML"),
        (b"#" * 9_000_000, "at most"),
        (b"hooks = 3\n", "hooks must be a table"),
        (b"plugins = []\n", "plugins must be a table"),
        (b"plugins.acme = true\n", "plugins.acme must be a table"),
    ],
)
def test_files_that_make_no_sense_are_named(layers: Any, data: bytes, words: str) -> None:
    layers.user.write_bytes(data)
    with pytest.raises(ConfigError, match=words) as caught:
        layers.read()
    assert caught.value.file == layers.user
    assert str(layers.user) in str(caught.value)


@pytest.mark.parametrize("layer", ["system", "user", "project"])
def test_an_endless_link_is_an_error_and_not_an_absent_file(layers: Any, layer: str) -> None:
    file = getattr(layers, layer)
    file.symlink_to(file)
    with pytest.raises(ConfigError, match="cannot be read"):
        layers.read()


def test_a_link_to_nowhere_is_an_error_and_not_an_absent_file(layers: Any) -> None:
    layers.system.symlink_to(layers.system.with_name("gone"))
    with pytest.raises(ConfigError, match="cannot be read"):
        layers.read()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_refused_and_not_waited_for(layers: Any) -> None:
    os.mkfifo(layers.project)
    with pytest.raises(ConfigError, match="not a regular file"):
        layers.read()


def test_a_folder_in_the_place_of_a_file_is_refused(layers: Any) -> None:
    layers.project.mkdir()
    with pytest.raises(ConfigError, match="not a regular file"):
        layers.read()


def test_the_light_reading_gives_the_same_tables(layers: Any) -> None:
    layers.user.write_text(ON + "priority = 7\n")
    merged, found = read_tables(layers.project.parent, environ={})
    assert merged.plugins() == {"acme": {"enabled": True, "priority": 7}}
    assert [file.exists for file in found] == [False, True, False]


def test_a_none_in_the_arguments_says_nothing(layers: Any) -> None:
    layers.project.write_text(priority(3))
    config = layers.read({"plugins": {"acme": {"priority": None, "tools": ("a", "b")}}})
    assert (config.plugins["acme"].priority, config.plugins["acme"].tools) == (3, ("a", "b"))


def test_arguments_that_are_no_mapping_are_refused(layers: Any) -> None:
    with pytest.raises(ConfigError, match="must be a mapping"):
        layers.read([1])


def test_without_a_home_there_is_no_user_layer(
    layers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "user_file", lambda: None)
    layers.project.write_text(ON)
    config = layers.read()
    assert [file.layer for file in config.files] == ["system", "project"]
    assert config.plugins["acme"].enabled


def test_a_home_in_the_working_folder_is_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_config_dir", lambda *_, **__: "~/.config/hookcore")
    assert files.user_file() is None


def test_what_arguments_hold_is_not_shared_with_the_configuration(layers: Any) -> None:
    settings: dict[str, Any] = {"deny": ["a"]}
    config = layers.read({"plugins": {"acme": {"settings": settings}}})
    settings["deny"].append("b")
    assert config.plugins["acme"].settings == {"deny": ["a"]}


def test_a_table_of_a_pyproject_that_is_none_is_refused(layers: Any) -> None:
    pyproject = layers.project.with_name("pyproject.toml")
    pyproject.write_text("[tool]\nhookcore = 3\n")
    with pytest.raises(ConfigError, match=r"tool\.hookcore must be a table, not 3"):
        layers.read()


def test_a_file_whose_name_no_system_takes_is_told(
    layers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "SYSTEM_FILE", layers.system.with_name("x" * 5000))
    with pytest.raises(ConfigError, match="x" * 5000):
        layers.read()
