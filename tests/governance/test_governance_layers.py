"""The rights of each layer, and what ``hookctl config`` tells of it."""

from __future__ import annotations

from typing import Any

import pytest

from hookcore.errors import ConfigError


@pytest.mark.parametrize("text", ["[trust]\nproject = 'always'\n", "[log]\nmax_days = 1\n"])
def test_a_project_decides_neither_its_own_trust_nor_the_length_of_the_log(
    machine: Any, text: str
) -> None:
    machine.project.write_text(text)
    with pytest.raises(ConfigError, match="counts only in the system's and the user's own file"):
        machine.config()


def test_neither_the_environment_nor_arguments_decide_whom_to_trust(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match=r"the arguments: trust\.project counts only"):
        machine.config({"trust": {"project": "always"}})
    monkeypatch.setenv("HOOKCORE_TRUST__PROJECT", "always")
    with pytest.raises(ConfigError, match=r"HOOKCORE_TRUST__PROJECT: trust\.project counts only"):
        machine.config()


def test_the_users_trust_is_no_looser_than_the_systems(machine: Any) -> None:
    machine.system.write_text("[trust]\nproject = 'trusted'\n")
    machine.user.write_text("[trust]\nproject = 'always'\n")
    with pytest.raises(ConfigError, match="nobody later may loosen it"):
        machine.config()
    machine.user.write_text("[trust]\nproject = 'never'\n")
    assert machine.config().trust_project == "never"


@pytest.mark.parametrize("value", ["'truste'", "true", "3"])
def test_a_wrong_word_about_trust_is_an_error_that_names_the_right_ones(
    machine: Any, value: str
) -> None:
    machine.user.write_text(f"[trust]\nproject = {value}\n")
    with pytest.raises(ConfigError, match='"always", "trusted", "never"'):
        machine.config()


@pytest.mark.parametrize("strict", ["[hooks]\nverify = 'enforce'\n", "[log]\nenabled = true\n"])
@pytest.mark.parametrize("layer", ["system", "user"])
def test_a_project_loosens_nothing_that_an_earlier_layer_says(
    machine: Any, layer: str, strict: str
) -> None:
    getattr(machine, layer).write_text(strict)
    machine.project.write_text("[hooks]\nverify = 'warn'\n[log]\nenabled = false\n")
    with pytest.raises(ConfigError, match="nobody later may loosen it"):
        machine.config()


def test_what_the_system_says_binds_the_environment_too(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.system.write_text("[hooks]\nverify = 'enforce'\n")
    monkeypatch.setenv("HOOKCORE_HOOKS__VERIFY", "off")
    with pytest.raises(ConfigError, match=str(machine.system)):
        machine.config()


def test_the_user_may_loosen_what_the_user_said(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.user.write_text("[hooks]\nverify = 'enforce'\n")
    monkeypatch.setenv("HOOKCORE_HOOKS__VERIFY", "warn")
    assert machine.config().verify == "warn"


@pytest.mark.parametrize("name", ["XDG_CONFIG_DIRS", "PROGRAMDATA", "SITE_CONFIG_DIR"])
def test_the_path_of_the_system_never_comes_from_the_environment(machine: Any, name: str) -> None:
    elsewhere = machine.root / "elsewhere" / "hookcore"
    elsewhere.mkdir(parents=True)
    (elsewhere / "hookcore.toml").write_text("")
    (elsewhere.parent / "hookcore.toml").write_text("")
    result = machine.hookctl("config", "path", "--json", **{name: str(elsewhere.parent)})
    assert [row["file"] for row in result.json if row["layer"] == "system"] == [str(machine.system)]
    assert "elsewhere" not in result.out


def test_an_environment_variable_that_would_name_the_systems_file_is_an_error(
    machine: Any,
) -> None:
    result = machine.hookctl("list", HOOKCORE_SYSTEM_FILE="/elsewhere")
    assert result.code == 3
    assert "HOOKCORE_SYSTEM_FILE means nothing to hookcore" in result.err


def test_config_show_tells_every_key_with_its_layer_and_file(machine: Any) -> None:
    machine.install("guard")
    machine.system.write_text("[hooks]\nverify = 'warn'\n")
    machine.user.write_text("[plugins.guard]\nenabled = true\nsettings.a.b = [1]\n")
    machine.project.write_text("[plugins.guard]\npriority = 7\n")
    result = machine.hookctl("config", "show", "--json", HOOKCORE_PLUGINS__GUARD__TIMEOUT="2.5")
    told = {row["key"]: row for row in result.json}
    where = {key: (row["value"], row["layer"]) for key, row in told.items()}
    assert where["hooks.enabled"] == (True, "default")
    assert where["hooks.verify"] == ("warn", "system")
    assert where["log.enabled"] == (False, "default")
    assert where["trust.project"] == ("always", "default")
    assert where["plugins.guard.enabled"] == (True, "user")
    assert where["plugins.guard.priority"] == (7, "project")
    assert where["plugins.guard.timeout"] == (2.5, "environment")
    assert where["plugins.guard.on_error"] == (None, "default")
    assert where["plugins.guard.settings.a.b"] == ([1], "user")
    assert told["plugins.guard.priority"]["file"] == str(machine.project)
    assert told["plugins.guard.timeout"]["variable"] == "HOOKCORE_PLUGINS__GUARD__TIMEOUT"


def test_config_show_reads_well(machine: Any) -> None:
    machine.user.write_text("[hooks]\nverify = 'enforce'\n")
    out = machine.hookctl("config", "show").out
    line = next(line for line in out.splitlines() if line.startswith("hooks.verify"))
    assert line.split() == ["hooks.verify", '"enforce"', "user", str(machine.user)]


def test_config_path_tells_which_files_are_read(machine: Any) -> None:
    machine.user.write_text("")
    states = [
        line.split(maxsplit=2)[2] for line in machine.hookctl("config", "path").out.splitlines()
    ]
    assert states == ["STATE", "not there", "read", "not there"]


def test_the_schema_for_editors_knows_every_table_and_no_other_key(machine: Any) -> None:
    schema = machine.hookctl("config", "schema").json
    tables = {"bundle", "hooks", "plugins", "telemetry", "log", "record", "trust"}
    assert set(schema["properties"]) == tables
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["HooksTable"]["properties"]["verify"]["enum"] == [
        "off",
        "warn",
        "enforce",
    ]
