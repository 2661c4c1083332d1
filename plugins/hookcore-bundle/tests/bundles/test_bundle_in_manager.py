"""The plugin under a manager: calls run under a bundle that is in order, and live reload."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from hookcore import (
    ConfigError,
    HookAborted,
    HookManager,
    ModelCallContext,
    PluginLoadError,
    ToolCallContext,
)
from hookcore.loading import configuring
from hookcore_bundle import RefusedError, plugin
from hookcore_bundle._documents import RoleName, Root
from hookcore_bundle._envelope import Envelope
from tests.waiting import until

from .fleet import DAY, HARMLESS, Clock, Fleet, Here, Server


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin, "_LOOK_SECONDS", 0.0)


def outcome(manager: HookManager, tool: str = "read", *, dry_run: bool = False) -> str:
    ctx = ToolCallContext(tool_name=tool, payload={}, dry_run=dry_run)
    try:
        manager.dispatch("pre_tool_call", ctx)
    except HookAborted as aborted:
        return str(aborted.reason)
    return "passed"


@pytest.fixture
def manager(fleet: Fleet, here: Here) -> Iterator[HookManager]:
    fleet.publish(days=10)
    here.pull()
    loaded = HookManager.load()
    yield loaded
    loaded.close()


def test_calls_run_under_what_the_bundle_says(manager: HookManager) -> None:
    assert outcome(manager) == "passed"
    assert "denied by deny[0]" in outcome(manager, "x")


def test_a_machine_without_any_bundle_runs_nothing(here: Here) -> None:
    manager = HookManager.load()
    assert outcome(manager) == "bundle: missing: no bundle has been pulled"
    with pytest.raises(HookAborted) as caught:
        manager.dispatch("pre_model_call", ModelCallContext(payload=[]))
    assert caught.value.rule == "missing"
    assert caught.value.message == (
        "Nothing can be done now: the policies of this machine are out of date."
    )
    manager.close()


def test_a_stale_bundle_is_told_once_and_calls_go_on(
    manager: HookManager, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    clock.now += 2 * DAY
    assert [outcome(manager), outcome(manager)] == ["passed", "passed"]
    told = [r.message for r in caplog.records if r.name == "hookcore_bundle"]
    assert len(told) == 1
    assert told[0].startswith("bundle: stale: the newest timestamp is 172800 s old")
    assert told[0].endswith("calls go on under it")


def test_a_stale_bundle_denies_where_the_system_says_so(
    fleet: Fleet, here: Here, clock: Clock
) -> None:
    here.configure(when_stale="deny")
    fleet.publish()
    here.pull()
    manager = HookManager.load()
    clock.now += 2 * DAY
    assert outcome(manager).startswith("bundle: stale: ")
    fleet.sign("timestamp")
    here.pull()
    assert outcome(manager) == "passed"
    manager.close()


def test_an_expired_bundle_denies_every_call(manager: HookManager, clock: Clock) -> None:
    clock.now += 11 * DAY
    assert outcome(manager).startswith("bundle: expired: revision 1 expired 2027-01-25")


def test_an_expired_bundle_only_warns_where_the_system_says_so(
    fleet: Fleet, here: Here, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    here.configure(when_expired="warn")
    fleet.publish(days=1)
    here.pull()
    manager = HookManager.load()
    clock.now += 2 * DAY
    assert outcome(manager) == "passed"
    assert "calls go on under it" in caplog.text
    manager.close()


def test_a_clock_set_back_in_a_running_program_makes_nothing_fresh(
    manager: HookManager, clock: Clock
) -> None:
    clock.now += 11 * DAY
    assert outcome(manager).startswith("bundle: expired")
    clock.now -= 11 * DAY
    assert outcome(manager).startswith("bundle: expired")


def test_a_newer_revision_sets_a_program_right_whose_clock_had_jumped(
    fleet: Fleet, here: Here, manager: HookManager, clock: Clock
) -> None:
    clock.now += 11 * DAY
    outcome(manager)
    clock.now -= 11 * DAY
    fleet.publish(HARMLESS.format("y"))
    here.pull()
    assert outcome(manager) == "passed"


def test_a_bundle_that_is_changed_on_the_disk_denies_every_call(
    here: Here, manager: HookManager
) -> None:
    (here.bundles / "current" / "hookcore.toml").write_text("[hooks]\n")
    assert outcome(manager) == "bundle: broken: files: not what was signed"


def test_a_bundle_that_is_removed_denies_every_call(here: Here, manager: HookManager) -> None:
    (here.bundles / "current").unlink()
    assert outcome(manager) == "bundle: missing: no bundle has been pulled"


def test_a_link_to_elsewhere_is_nothing_in_force(here: Here, manager: HookManager) -> None:
    away = here.bundles.with_name("away") / (here.bundles / "current").readlink()
    away.mkdir(parents=True)
    (away / "hookcore.toml").write_text("[hooks]\n")
    (here.bundles / "current").unlink()
    (here.bundles / "current").symlink_to(away)
    assert outcome(manager).startswith("bundle: missing: ")


def test_signatures_are_verified_again_only_when_a_file_has_changed(
    fleet: Fleet, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.publish()
    here.pull()
    machine = here.machine
    counted: list[str] = []
    verify = Root.check

    def check(root: Root, role: RoleName, envelope: Envelope) -> None:
        counted.append(role)
        verify(root, role, envelope)

    monkeypatch.setattr(Root, "check", check)
    assert [machine.status().state for _ in range(5)] == ["fresh"] * 5
    first = len(counted)
    fleet.sign("timestamp")
    here.pull()
    counted.clear()
    assert machine.status().state == "fresh"
    assert len(counted) == first > 0


def test_a_dry_run_asks_what_policies_say_and_not_how_old_they_are(
    manager: HookManager, clock: Clock
) -> None:
    clock.now += 11 * DAY
    assert outcome(manager, dry_run=True) == "passed"


def test_a_pulled_revision_comes_into_force_while_programs_run(
    fleet: Fleet, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(configuring, "WATCH_SECONDS", 0.01)
    fleet.publish()
    here.pull()
    manager = HookManager.load(watch=True)
    assert outcome(manager, "y") == "passed"
    fleet.publish(HARMLESS.format("y"))
    here.pull()
    until(lambda: outcome(manager, "y") != "passed")
    assert "denied by deny[0]" in outcome(manager, "y")
    assert outcome(manager, "x") == "passed"
    manager.close()


def test_what_is_refused_leaves_running_programs_as_they_are(
    fleet: Fleet, here: Here, manager: HookManager
) -> None:
    fleet.publish("not toml [")
    with pytest.raises(RefusedError):
        here.pull()
    assert not manager.reload()
    assert "denied by deny[0]" in outcome(manager, "x")


def test_nobody_takes_the_plugin_out(manager: HookManager) -> None:
    with pytest.raises(Exception, match="required"):
        manager.disable("bundle")


def test_a_system_that_asks_for_nonsense_does_not_start(here: Here) -> None:
    here.system.write_text("[bundle]\nurl = 'http://a.example/prod.tar'\nname = 'prod'\n")
    with pytest.raises(PluginLoadError, match="use https:"):
        HookManager.load()


def test_a_bundle_that_the_system_came_to_contradict_does_not_load(
    fleet: Fleet, here: Here
) -> None:
    fleet.publish("[plugins.redact]\nenabled = false\n")
    here.pull()
    here.configure("[plugins.redact]\nenabled = true\n")
    with pytest.raises(ConfigError, match="a bundle may only make that stricter"):
        HookManager.load()
    fleet.publish()
    assert here.pull().is_new  # and can be replaced all the same
    HookManager.load().close()


def test_a_server_that_is_away_is_nothing_to_a_fresh_bundle(
    here: Here, manager: HookManager, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    server.files.clear()
    with pytest.raises(RefusedError):
        here.pull()
    assert outcome(manager) == "passed"
    assert not [r for r in caplog.records if r.levelno >= logging.WARNING]
