"""``hookctl enable`` and ``hookctl disable``."""

from __future__ import annotations

from typing import Any

import pytest


def test_enabling_makes_a_file_in_the_working_folder(guarded: Any) -> None:
    result = guarded("enable", "guard")
    assert (result.code, len(result.err.splitlines())) == (0, 1)
    assert result.out == f"Enabled guard: enabled = true in {guarded.config}\n"
    assert guarded.config.read_text() == "[plugins.guard]\nenabled = true\n"
    assert guarded.row("guard")["state"] == "enabled"


def test_enabling_writes_to_the_file_that_counts(guarded: Any) -> None:
    guarded.config.write_text("# ours\n")
    inner = guarded.folder / "inner"
    inner.mkdir()
    guarded.folder = inner
    guarded("enable", "guard")
    assert not guarded.config.exists()
    assert "[plugins.guard]" in (inner.parent / "hookcore.toml").read_text()


def test_enabling_writes_to_a_pyproject_that_configures_us(guarded: Any) -> None:
    pyproject = guarded.folder / "pyproject.toml"
    pyproject.write_text("[tool.hookcore]\n\n[tool.ruff]  # other\n")
    guarded("enable", "guard")
    assert not guarded.config.exists()
    assert "[tool.hookcore.plugins.guard]\nenabled = true" in pyproject.read_text()
    assert guarded.row("guard")["state"] == "enabled"


def test_a_distribution_stands_for_all_of_its_plugins(shell: Any) -> None:
    shell.install("one", "")
    metadata = next(shell.site.glob("*.dist-info"))
    (metadata / "entry_points.txt").write_text("[hookcore.plugins]\none = a:b\ntwo = a:c\n")
    shell("enable", "Acme_One")
    assert [shell.row(name)["state"] for name in ("one", "two")] == ["enabled", "enabled"]


def test_enabling_for_the_user_writes_the_users_file(guarded: Any) -> None:
    guarded("enable", "guard", "--user")
    assert not guarded.config.exists()
    assert guarded.user_config.read_text() == "[plugins.guard]\nenabled = true\n"


def test_monitor_mode_is_written_and_taken_back(guarded: Any) -> None:
    guarded("enable", "guard", "--monitor")
    assert guarded.row("guard")["mode"] == "monitor"
    guarded("enable", "guard")
    assert guarded.row("guard")["mode"] == "enforce"


def test_enabling_twice_changes_nothing_and_says_so(guarded: Any) -> None:
    guarded("enable", "guard")
    before = guarded.config.stat().st_mtime_ns
    result = guarded("enable", "guard")
    assert "says so already" in result.out
    assert guarded.config.stat().st_mtime_ns == before


def test_the_change_is_told_as_json(guarded: Any) -> None:
    assert guarded("enable", "guard", "--json").json == [
        {
            "name": "guard",
            "file": str(guarded.config),
            "changed": True,
            "set": {"enabled": True},
            "effective": True,
        }
    ]


def test_what_a_later_layer_overrides_is_told(guarded: Any) -> None:
    guarded("enable", "guard", "--user")
    guarded("disable", "guard")
    result = guarded("enable", "guard", "--user")
    assert f"no effect yet: {guarded.config} sets plugins.guard.enabled = false" in result.err


def test_the_master_switch_is_told(guarded: Any) -> None:
    guarded.config.write_text("[hooks]\nenabled = false\n")
    assert "sets hooks.enabled = false" in guarded("enable", "guard").err


def test_an_unknown_plugin_is_exit_code_2_and_nothing_is_written(guarded: Any) -> None:
    result = guarded("enable", "guard", "gard")
    assert result.code == 2
    assert 'did you mean "guard"' in result.err
    assert not guarded.config.exists()


def test_a_plugin_that_is_offered_twice_is_exit_code_3(guarded: Any) -> None:
    guarded.install("guard", "", distribution="other")
    result = guarded("enable", "guard")
    assert result.code == 3
    assert "pip uninstall other" in result.err
    assert not guarded.config.exists()


def test_enabling_refuses_a_configuration_that_no_manager_would_take(guarded: Any) -> None:
    guarded.config.write_text("[plugins.guard]\non_error = 'Deny'\n")
    result = guarded("enable", "guard")
    assert result.code == 3
    assert 'did you mean "deny"' in result.err


def test_neither_enabling_nor_disabling_imports_plugins(bombs: Any) -> None:
    names = ("writes", "raises", "exits", "kills")
    assert bombs("enable", *names).code == 0
    assert bombs("disable", *names).code == 0
    assert not (bombs.home / "imported").exists()
    assert bombs.row("raises")["state"] == "disabled"


def test_a_plugin_that_is_gone_can_be_disabled(guarded: Any) -> None:
    guarded.config.write_text("[plugins.ghost]\nenabled = true # once\n")
    assert guarded("disable", "ghost").code == 0
    assert guarded.config.read_text() == "[plugins.ghost]\nenabled = false # once\n"


def test_disabling_mends_a_configuration_that_only_a_manager_refuses(guarded: Any) -> None:
    guarded.config.write_text("[plugins.guard]\nenabled = true\nnonsense = 1\n")
    assert guarded("disable", "guard").code == 0


@pytest.mark.parametrize("command", [("disable", "guard"), ("enable", "guard", "--monitor")])
def test_a_plugin_that_an_earlier_layer_requires_stays_as_it_is(
    guarded: Any, command: tuple[str, ...]
) -> None:
    guarded.user_config.parent.mkdir()
    guarded.user_config.write_text("[plugins.guard]\nrequired = true\n")
    result = guarded(*command)
    assert result.code == 2
    assert f"guard stays as it is: {guarded.config}" in result.err
    assert str(guarded.user_config) in result.err
    assert not guarded.config.exists()


def test_a_plugin_that_its_own_file_requires_is_not_disabled(guarded: Any) -> None:
    guarded.config.write_text("[plugins.guard]\nrequired = true\n")
    result = guarded("disable", "guard")
    assert result.code == 2
    assert "contradicts plugins.guard.required" in result.err


def test_a_file_that_cannot_be_written_is_exit_code_3(guarded: Any) -> None:
    blocker = guarded.home / "hookcore"
    blocker.write_text("a file where the folder should be")
    result = guarded("enable", "guard", "--user")
    assert result.code == 3
    assert str(guarded.user_config) in result.err


def test_byte_order_mark_and_windows_line_ends_survive(guarded: Any) -> None:
    text = "\ufeff# ours\r\n[plugins.guard]\r\nenabled = false\r\n"
    guarded.config.write_bytes(text.encode())
    guarded("enable", "guard")
    assert guarded.config.read_bytes() == text.replace("false", "true").encode()
