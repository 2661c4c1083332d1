"""``hookctl list`` and ``hookctl info``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hookcore.config import ConfigFile
from hookcore.trust.lockfile import LockEntry, lock_text
from hookctl.distributions import distribution_of

OURS = sorted(
    path.parent
    for path in Path(__file__).parents[2].glob("plugins/*/pyproject.toml")
    if '"hookcore.plugins"' in path.read_text("utf-8")  # and no library for plugins
)

ROW = ["name", "state", "version", "distribution", "points", "priority", "mode", "on_error"]
ALL_ON = "".join(f"[plugins.{n}]\nenabled = true\n" for n in ("writes", "raises", "exits", "kills"))


def test_an_installed_plugin_is_listed_as_disabled(guarded: Any) -> None:
    assert guarded.row("guard") == {
        "name": "guard",
        "state": "disabled",
        "version": "1.0",
        "distribution": "acme-guard",
        "points": None,
        "priority": None,
        "mode": "enforce",
        "on_error": None,
    }


def test_rows_have_the_agreed_keys_in_the_agreed_order(guarded: Any) -> None:
    listed = guarded("list", "--json").json
    assert {tuple(row) for row in listed} == {tuple(ROW)}


def test_what_the_configuration_says_is_shown(guarded: Any) -> None:
    guarded.config.write_text(
        "[plugins.guard]\nenabled = true\npriority = 3\nmode = 'monitor'\non_error = 'deny'\n"
    )
    row = guarded.row("guard")
    told = [row[key] for key in ("state", "priority", "mode", "on_error")]
    assert told == ["enabled", 3, "monitor", "deny"]


def test_listing_imports_no_plugin(bombs: Any) -> None:
    bombs.config.write_text(ALL_ON)
    states = {row["name"]: row["state"] for row in bombs("list", "--json").json}
    assert {states[name] for name in ("exits", "kills", "raises", "writes")} == {"enabled"}
    assert not (bombs.home / "imported").exists()


def test_listing_imports_no_pydantic_and_no_tomlkit(guarded: Any) -> None:
    code = (
        "import sys, contextlib\n"
        "from hookctl.main import cli\n"
        "cli(['list', '--json'], standalone_mode=False)\n"
        "print(sorted({'pydantic', 'tomlkit', 'rich', 'asyncio'} & set(sys.modules)), "
        "file=sys.stderr)"
    )
    guarded.config.write_text("[plugins.guard]\nenabled = true\n")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=guarded.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.strip() in {"[]", "['asyncio']"}


def test_a_plugin_that_is_configured_and_not_installed_is_missing(guarded: Any) -> None:
    guarded.config.write_text("[plugins.ghost]\nenabled = true\n")
    row = guarded.row("ghost")
    assert (row["state"], row["version"], row["distribution"]) == ("missing", None, None)
    assert "hookctl disable ghost" in guarded("list").err


def test_a_missing_plugin_s_distribution_is_named_where_it_is_known(guarded: Any) -> None:
    guarded.config.write_text("[plugins.guard]\nenabled = true\n")
    assert guarded("lock").code == 0
    for file in guarded.site.glob("*.dist-info/*"):
        file.unlink()
    assert "run 'pip install acme-guard', or run 'hookctl disable guard'" in guarded("list").err
    assert "mend it: pip install acme-guard, or hookctl disable" in guarded("doctor").out


def test_our_own_plugins_distributions_are_known_without_a_lock(tmp_path: Path) -> None:
    assert distribution_of("webhook-audit", ()) == "hookcore-webhook-audit"
    file = ConfigFile("project", tmp_path / "hookcore.toml", exists=True)
    assert distribution_of("ghost", [file]) is None
    (tmp_path / "hookcore.lock").write_text("broken")
    assert distribution_of("ghost", [file]) is None
    odd = {name: LockEntry("x; rm -rf y", "1") for name in ("ghost", "redact")}
    (tmp_path / "hookcore.lock").write_text(lock_text(odd))
    assert distribution_of("ghost", [file]) is None
    assert distribution_of("redact", [file]) == "hookcore-redact"


@pytest.mark.parametrize("folder", OURS, ids=[folder.name for folder in OURS])
def test_each_of_our_plugins_is_known_as_ours(folder: Path) -> None:
    assert distribution_of(folder.name.removeprefix("hookcore-"), ()) == folder.name


@pytest.mark.parametrize("command", [("list", "--load"), ("doctor",), ("info", "guard", "--load")])
def test_a_warning_about_the_configuration_is_given_once(
    guarded: Any, command: tuple[str, ...]
) -> None:
    guarded.config.write_text("[plugins.guard]\nenabled = true\n")
    result = guarded(*command, HOOKCORE_DISABLE="ghost")
    assert (result.out + result.err).count("HOOKCORE_DISABLE switches off") == 1


def test_a_plugin_that_is_offered_twice_is_broken(guarded: Any) -> None:
    guarded.install("guard", "", distribution="other")
    assert guarded.row("guard")["state"] == "broken"
    result = guarded("list")
    assert result.code == 0
    assert "pip uninstall other" in result.err


def test_the_master_switch_shows_in_the_states(guarded: Any) -> None:
    guarded.config.write_text("[plugins.guard]\nenabled = true\n")
    assert guarded.row("guard", HOOKCORE_NO_PLUGINS="1")["state"] == "disabled"
    assert "HOOKCORE_NO_PLUGINS" in guarded("list", HOOKCORE_NO_PLUGINS="1").err


def test_loading_fills_in_what_only_an_import_tells(guarded: Any) -> None:
    guarded.config.write_text("[plugins.guard]\nenabled = true\n")
    row = guarded.row("guard", "--load")
    assert (row["state"], row["points"]) == ("enabled", ["output", "pre_tool_call"])


def test_loading_survives_whatever_a_plugin_does(bombs: Any) -> None:
    bombs.install(
        "works",
        """
        import os, sys
        print("noise"); os.write(1, b"more noise")
        from hookcore import hookimpl
        class Plugin:
            on_error = "deny"
            @hookimpl(priority=4)
            def output(self, ctx): ...
        """,
    )
    bombs.config.write_text(ALL_ON + "[plugins.works]\nenabled = true\n")
    result = bombs("list", "--json", "--load")
    states = {row["name"]: row["state"] for row in result.json}
    assert (
        states.items()
        >= {
            "exits": "broken",
            "kills": "broken",
            "raises": "broken",
            "works": "enabled",
            "writes": "broken",
        }.items()
    )
    works = next(row for row in result.json if row["name"] == "works")
    assert (works["points"], works["priority"], works["on_error"]) == (["output"], 4, "deny")
    assert (bombs.home / "imported").exists()


def test_the_reasons_of_what_is_broken_are_told(bombs: Any) -> None:
    bombs.config.write_text(ALL_ON)
    told = bombs("list", "--load").err
    for words in ("RuntimeError: boom", "SystemExit: 9", "exit code 7", "writes is broken: "):
        assert words in told


def test_loading_does_not_import_what_is_disabled(bombs: Any) -> None:
    bombs("list", "--load")
    assert not (bombs.home / "imported").exists()


def test_the_working_folder_offers_no_modules_to_the_loading_process(guarded: Any) -> None:
    guarded.config.write_text("[plugins.guard]\nenabled = true\n")
    (guarded.folder / "json.py").write_text("raise RuntimeError('shadowed')")
    code = "import sys; sys.path.remove(''); from hookctl.main import cli; cli()"
    done = subprocess.run(
        [sys.executable, "-c", code, "list", "--load", "--json"],
        cwd=guarded.folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join([*sys.path[1:], str(guarded.site)]), "HOME": "/nonexistent"},
    )
    assert '"state": "enabled"' in done.stdout, done.stderr


def test_a_pipe_gets_plain_aligned_text(guarded: Any) -> None:
    header, *lines = guarded("list").out.splitlines()
    line = next(line for line in lines if line.startswith("guard "))
    assert header.split() == ["NAME", "STATE", "VERSION", "DISTRIBUTION", "MODE"]
    assert line.split() == ["guard", "disabled", "1.0", "acme-guard", "enforce"]
    assert header.index("STATE") == line.index("disabled")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[plugins.guard]\nenabld = true\n", 'did you mean "enabled"?'),
        ("[plugin.guard]\nenabled = true\n", 'did you mean "plugins"?'),
        ("[plugins.guard]\nmode = 'montor'\n", 'did you mean "monitor"?'),
        ("[plugins.guard]\non_error = 'allows'\n", 'did you mean "allow"?'),
        ("[plugins.guard]\npriority = 'high'\n", "priority"),
        ("[plugins.guard]\ntools = []\n", "tools"),
        ("[hooks]\nverfy = 'off'\n", 'did you mean "verify"?'),
    ],
)
def test_what_keeps_a_manager_from_starting_is_told_with_the_list(
    guarded: Any, text: str, words: str
) -> None:
    guarded.config.write_text(text)
    for arguments in (("list",), ("list", "--json")):
        result = guarded(*arguments)
        assert result.code == 0
        assert "No manager starts" in result.err
        assert words in result.err


def test_a_configuration_that_is_right_has_no_such_note(guarded: Any) -> None:
    guarded.config.write_text(
        "[hooks]\nverify = 'warn'\n[telemetry]\ntrack_mutations = true\n"
        "[plugins.guard]\nenabled = true\npriority = 0\ntimeout = 0.5\ntools = ['a']\n"
        "[plugins.guard.settings]\n"
    )
    assert guarded("list").err == ""


def test_without_plugins_the_list_says_how_to_get_one(shell: Any) -> None:
    listed = shell("list", "--json").json
    if not listed:  # a development environment has some installed
        assert "pip install" in shell("list").out
    assert isinstance(listed, list)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[plugins\n", "not valid TOML"),
        ("[plugins.guard]\nenabled = 'yes'\n", "must be true or false, not 'yes'"),
        ("plugins = 3\n", "plugins must be a table"),
    ],
)
def test_a_broken_configuration_is_exit_code_3_in_one_line(
    guarded: Any, text: str, words: str
) -> None:
    guarded.config.write_text(text)
    result = guarded("list")
    assert (result.code, result.out) == (3, "")
    assert words in result.err
    assert str(guarded.config) in result.err
    assert len(result.err.splitlines()) == 1


def test_two_configurations_in_one_folder_are_exit_code_3(guarded: Any) -> None:
    guarded.config.write_text("")
    (guarded.folder / "pyproject.toml").write_text("[tool.hookcore]\n")
    assert guarded("list").code == 3


def test_info_tells_where_each_option_was_set(guarded: Any) -> None:
    guarded.config.write_text("[plugins.guard]\nenabled = true\nsettings.words = ['x']\n")
    info = guarded("info", "acme_guard", "--json", HOOKCORE_PLUGINS__GUARD__PRIORITY="4").json
    assert info["summary"] == "About guard"
    assert info["entry_point"] == "code_of_acme_guard:Plugin"
    assert info["config"] == {
        "enabled": {"value": True, "origin": str(guarded.config)},
        "priority": {
            "value": 4,
            "origin": "environment variable HOOKCORE_PLUGINS__GUARD__PRIORITY",
        },
        "settings.words": {"value": ["x"], "origin": str(guarded.config)},
    }


def test_info_reads_well(guarded: Any) -> None:
    guarded.config.write_text("[plugins.guard]\nenabled = true\n")
    out = guarded("info", "guard", "--load").out
    assert "points:       output, pre_tool_call" in out
    assert f"enabled = True    ({guarded.config})" in out


def test_info_without_loading_imports_nothing(bombs: Any) -> None:
    bombs.config.write_text(ALL_ON)
    assert bombs("info", "kills").code == 0
    assert bombs("info", "writes").code == 0
    assert not (bombs.home / "imported").exists()


def test_info_of_an_unknown_plugin_is_exit_code_2_with_a_suggestion(guarded: Any) -> None:
    result = guarded("info", "gaurd")
    assert result.code == 2
    assert 'did you mean "guard"' in result.err


def test_an_unknown_command_is_exit_code_2_with_a_suggestion(shell: Any) -> None:
    result = shell("lst")
    assert result.code == 2
    assert 'did you mean "list"' in result.err


def test_every_command_has_help_with_examples(shell: Any) -> None:
    for name in ("list", "enable", "disable", "info", "points", "fire"):
        out = shell(name, "--help").out
        assert "Examples:" in out
        assert f"  hookctl {name}" in out


def test_the_version_is_told(shell: Any) -> None:
    result = shell("--version")
    assert result.code == 0
    assert result.out.startswith("hookctl ")


def test_a_narrow_encoding_is_no_reason_to_fail(shell: Any) -> None:
    shell.install("ж", "", distribution="acme")
    result = shell.process("list", PYTHONIOENCODING="latin-1")
    assert result.code == 0
    assert "\\u0436" in result.out


def test_control_characters_of_metadata_do_not_reach_the_terminal(shell: Any) -> None:
    shell.install("calm", "")
    (path,) = shell.site.glob("*.dist-info/METADATA")
    path.write_text("Name: acme-\x1b[31mred\nVersion: 1.0\n")
    assert "\x1b" not in shell("list").out
