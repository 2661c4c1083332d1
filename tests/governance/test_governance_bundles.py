"""Bundles as the core knows them: tried in a process of their own, watched, reloaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookcore import ConfigError, HookAborted, HookManager, PluginLoadError, ToolCallContext
from hookcore.bundles import bundle_folder, bundle_table, system_file, try_bundle
from hookcore.config import bundle, files
from hookcore.discovery import discover
from hookcore.loading import configuring
from hookcore.trust.lockfile import entry_of, lock_text

from ..waiting import until
from .conftest import DENY, Machine

ASKS = "[bundle]\nurl = 'https://policies.example/prod.tar'\n"
PLUGIN = """
from pydantic import BaseModel
from hookcore import hookimpl

class Plugin:
    class Settings(BaseModel):
        url: str

    def __init__(self, settings):
        self.settings = settings

    @hookimpl
    def pre_model_call(self, ctx):
        return None
"""
ENABLED = "[plugins.acme]\nrequired = true\n"


@pytest.fixture
def bundles(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = machine.root / "bundles"
    folder.mkdir()
    monkeypatch.setattr(files, "BUNDLE_FOLDER", folder)
    # Another name than that of the real one, which may be installed here.
    monkeypatch.setattr(bundle, "PLUGIN", "fleet")
    machine.install("fleet", PLUGIN)
    machine.install("acme", DENY)
    machine.system.write_text(ASKS)
    return folder


def revision(bundles: Path, number: int, text: str) -> Path:
    """Make a revision's folder."""
    folder = bundles / f"rev-{number}"
    folder.mkdir()
    (folder / "hookcore.toml").write_text(text)
    return folder


def in_force(bundles: Path, number: int, text: str = ENABLED) -> None:
    """Put a revision in force."""
    link = bundles / "next"
    link.symlink_to(revision(bundles, number, text).name)
    link.replace(bundles / "current")


def outcome(manager: HookManager) -> str:
    try:
        manager.dispatch("pre_tool_call", ToolCallContext(tool_name="rm", payload={}))
    except HookAborted as aborted:
        return str(aborted.reason)
    return "passed"


def test_a_bundle_enables_plugins(machine: Machine, bundles: Path) -> None:
    in_force(bundles, 1)
    manager = machine.load()
    assert outcome(manager) == "no"
    manager.close()


def test_what_the_seam_tells_is_what_the_machine_has(machine: Machine, bundles: Path) -> None:
    assert bundle_folder() == bundles
    assert system_file() == machine.system
    assert bundle_table() == {"url": "https://policies.example/prod.tar"}
    machine.system.unlink()
    assert bundle_table() is None


def test_a_machine_whose_plugin_is_not_installed_does_not_start(
    machine: Machine, bundles: Path
) -> None:
    machine.system.write_text(ASKS.replace("url", "nonsense"))
    with pytest.raises(PluginLoadError, match=r"plugin fleet .*nonsense"):
        machine.load()


def test_a_bundle_that_loads_passes_the_trial(bundles: Path) -> None:
    try_bundle(revision(bundles, 1, ENABLED))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[plugins.acme]\nrequired = 1\n", "must be true or false"),
        ("not toml [", "is not valid TOML"),
        ("[hooks]\nenabled = false\n", "cannot be changed there"),
        ("[bundle]\nurl = 'x'\n", "counts only in the system's file"),
    ],
)
def test_a_configuration_that_is_wrong_fails_the_trial(
    bundles: Path, text: str, error: str
) -> None:
    with pytest.raises(ConfigError, match=error):
        try_bundle(revision(bundles, 1, text))


def test_a_plugin_that_is_missing_fails_the_trial(bundles: Path) -> None:
    with pytest.raises(PluginLoadError, match="plugin absent cannot be loaded"):
        try_bundle(revision(bundles, 1, "[plugins.absent]\nenabled = true\n"))


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("print('loaded')\nraise ValueError('oh')", "ValueError: oh"),
        ("import os\nos._exit(3)", "ended with 3"),
        ("import time\ntime.sleep(600)", "took longer than 3 seconds"),
    ],
)
def test_a_plugin_that_breaks_or_ends_or_blocks_fails_the_trial(
    machine: Machine, bundles: Path, code: str, error: str
) -> None:
    machine.install("bad", code)
    folder = revision(bundles, 1, "[plugins.bad]\nenabled = true\n")
    with pytest.raises(PluginLoadError, match=error):
        try_bundle(folder, seconds=3 if "sleep" in code else 60)


def test_a_locked_plugin_whose_code_has_changed_fails_the_trial(
    machine: Machine, bundles: Path
) -> None:
    folder = revision(bundles, 1, ENABLED)
    lock = lock_text({"acme": entry_of(discover()["acme"])})
    (folder / "hookcore.lock").write_text(lock)
    try_bundle(folder)
    (folder / "hookcore.lock").write_text(lock.replace('version = "1.0"', 'version = "9.9"'))
    with pytest.raises(PluginLoadError, match=r"acme-acme 9\.9 is locked"):
        try_bundle(folder)


def test_no_lock_is_written_into_a_bundle(machine: Machine, bundles: Path) -> None:
    in_force(bundles, 1)
    told = machine.hookctl("lock")
    assert told.code == 0
    assert "acme is left out: the bundle that enables it says what is locked" in told.err
    assert [file.name for file in (bundles / "rev-1").iterdir()] == ["hookcore.toml"]
    found = machine.hookctl("doctor", "--no-load", "--json").json["findings"]
    fixes = [one["fix"] for one in found if one["subject"] == "acme"]
    assert fixes == ["hookctl lock acme where the bundle is built, and publish another one"]


def test_a_bundle_that_vouches_for_other_code_names_what_accepts_it(
    machine: Machine, bundles: Path
) -> None:
    in_force(bundles, 1)
    lock = lock_text({"acme": entry_of(discover()["acme"])})
    changed = lock.replace('version = "1.0"', 'version = "9.9"')
    (bundles / "rev-1" / "hookcore.lock").write_text(changed)
    with pytest.raises(PluginLoadError, match=r"a bundle with another hookcore\.lock accepts it"):
        machine.load()


def test_a_new_revision_comes_into_force_while_the_program_runs(
    machine: Machine, bundles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(configuring, "WATCH_SECONDS", 0.01)
    in_force(bundles, 1, "")
    manager = HookManager.load(machine.project.parent, watch=True)
    assert outcome(manager) == "passed"
    in_force(bundles, 2)
    until(lambda: outcome(manager) == "no")
    manager.close()


def test_a_new_revision_may_change_what_the_one_before_required(
    machine: Machine, bundles: Path
) -> None:
    in_force(bundles, 1)
    manager = machine.load()
    in_force(bundles, 2, "[plugins.acme]\nrequired = true\ntools = ['send_*']\n")
    assert manager.reload().changed == ("acme",)
    assert outcome(manager) == "passed"
    in_force(bundles, 3, "")
    assert manager.reload().removed == ("acme",)
    manager.close()


def test_a_bundle_that_is_gone_stays_in_force(machine: Machine, bundles: Path) -> None:
    in_force(bundles, 1)
    manager = machine.load()
    (bundles / "current").unlink()
    with pytest.raises(ConfigError, match=r"the bundle .* is gone"):
        manager.reload()
    assert outcome(manager) == "no"
    manager.close()


def test_the_commands_tell_of_the_layer(machine: Machine, bundles: Path) -> None:
    in_force(bundles, 1)
    file = str(bundles / "rev-1" / "hookcore.toml")
    assert file in machine.hookctl("config", "path").out
    shown = machine.hookctl("config", "show").out
    assert file in shown
    assert "plugins.acme.required" in shown
    disabled = machine.hookctl("disable", "acme")
    assert disabled.code == 2
    assert file in disabled.err
