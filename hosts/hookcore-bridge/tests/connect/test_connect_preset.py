"""``connect --preset careful`` switches the installed guards on, where it was asked to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from hookcore.config import files
from hookcore_bridge.connect import preset

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@pytest.fixture
def system(machine: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    file: Path = machine.etc / "hookcore" / "hookcore.toml"
    monkeypatch.setattr(files, "SYSTEM_FILE", file)
    return file


def plugins(file: Path) -> dict[str, Any]:
    told: dict[str, Any] = tomllib.loads(file.read_text())["plugins"]
    return told


def test_the_guards_are_enabled_in_the_users_configuration(machine: Any, system: Path) -> None:
    done = machine.hookctl("connect", "claude-code", "--preset", "careful")
    assert done.code == 0
    file = machine.home / ".config" / "hookcore" / "hookcore.toml"
    assert plugins(file) == {
        "shell-guard": {"enabled": True, "settings": {"preset": "careful"}},
        "redact": {
            "enabled": True,
            "settings": {"kinds": ["secrets"], "points": ["post_tool_call"]},
        },
    }
    assert "path-guard is left out" in done.err
    assert machine.file("claude-code", "user").exists()


def test_a_project_gets_the_guard_of_its_folders_too(machine: Any, system: Path) -> None:
    machine.hookctl("connect", "claude-code", "--project", "--preset", "careful")
    assert set(plugins(machine.project / "hookcore.toml")) == set(preset.CAREFUL)


def test_an_administrators_guards_are_required(machine: Any, system: Path) -> None:
    done = machine.hookctl("connect", "claude-code", "--managed", "--preset", "careful")
    assert done.code == 0
    told = plugins(system)
    assert set(told) == {"shell-guard", "redact"}
    assert all(plugin["required"] is True for plugin in told.values())
    assert system.stat().st_mode & 0o777 == 0o644


def test_what_is_configured_stays_as_it_is(machine: Any, system: Path) -> None:
    text = "[plugins.shell-guard]\nenabled = false\n"
    file = machine.write(machine.home / ".config" / "hookcore" / "hookcore.toml", text)
    done = machine.hookctl("connect", "claude-code", "--preset", "careful")
    assert "shell-guard stays as it is configured" in done.out
    assert plugins(file)["shell-guard"] == {"enabled": False}
    again = machine.hookctl("connect", "claude-code", "--preset", "careful")
    assert "redact stays as it is configured" in again.out


def test_a_dry_run_enables_nothing(machine: Any, system: Path) -> None:
    done = machine.hookctl("connect", "claude-code", "--preset", "careful", "--dry-run")
    assert "shell-guard would be enabled" in done.out
    assert not (machine.home / ".config" / "hookcore").exists()


def test_without_any_guard_it_says_what_to_install(
    machine: Any, system: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preset, "installed", lambda _: {})
    done = machine.hookctl("connect", "claude-code", "--preset", "careful")
    assert (done.code, "pip install hookcore-shell-guard" in done.err) == (2, True)
    assert not machine.file("claude-code", "user").exists()


def test_the_enabled_guards_load(machine: Any, system: Path) -> None:
    machine.hookctl("connect", "claude-code", "--preset", "careful")
    fired = machine.hookctl(
        *("fire", "pre_tool_call", "--tool", "Bash", "--json"),
        *("--payload", '{"command": "git push --force"}'),
    )
    assert fired.json["outcome"] == "aborted"
