"""Pulling: what is newer is verified, tried and put in force at once; else nothing changes."""

from __future__ import annotations

import json
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hookcore import HookcoreError
from hookcore.bundles import check_bundle, try_bundle
from hookcore_bundle import RefusedError
from hookcore_bundle._pull import Pulled, roll_back

from .fleet import HARMLESS, Clock, Fleet, Here, Server


def test_the_first_bundle_comes_into_force(fleet: Fleet, here: Here) -> None:
    fleet.publish()
    assert here.state == "missing"
    assert here.pull(try_bundle) == Pulled(1, is_new=True)
    assert here.in_force == HARMLESS.format("x")
    assert here.state == "fresh"


def test_what_is_in_force_is_not_fetched_again(fleet: Fleet, here: Here, server: Server) -> None:
    fleet.publish()
    here.pull()
    server.asked.clear()
    assert here.pull() == Pulled(1, is_new=False)
    assert [path for path, _ in server.asked] == ["/prod.tar.timestamp"]


def test_a_newer_revision_takes_the_place_of_the_one_before(fleet: Fleet, here: Here) -> None:
    fleet.publish()
    here.pull()
    fleet.publish(HARMLESS.format("y"))
    assert here.pull() == Pulled(2, is_new=True)
    assert here.in_force == HARMLESS.format("y")


def test_everybody_may_read_what_is_in_force_and_nobody_else_write(
    fleet: Fleet, here: Here
) -> None:
    fleet.publish()
    here.pull()
    current = here.bundles / "current"
    modes = {oct(file.stat().st_mode & 0o777) for file in current.iterdir()}
    assert (oct(current.stat().st_mode & 0o777), modes) == ("0o755", {"0o644"})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("not toml [", "activation: hookcore.toml is not valid TOML"),
        ("[plugins.absent]\nenabled = true\n", "plugin absent"),
        ("[plugins.tool-policy]\nenabled = true\nsettings.deny = 7\n", "settings"),
    ],
)
def test_what_is_signed_and_does_not_load_is_refused_and_tried_again(
    fleet: Fleet, here: Here, server: Server, text: str, why: str
) -> None:
    fleet.publish()
    here.pull()
    fleet.publish(text)
    for _ in range(2):
        server.asked.clear()
        with pytest.raises(RefusedError, match=why):
            here.pull(try_bundle)
        assert [path for path, _ in server.asked] == ["/prod.tar.timestamp", "/prod.tar"]
    assert here.in_force == HARMLESS.format("x")
    assert here.machine.status().seen.error is not None
    fleet.publish(HARMLESS.format("z"))
    assert here.pull() == Pulled(3, is_new=True)
    assert here.machine.status().seen.error is None


def test_a_machine_that_cannot_take_what_is_newest_grows_stale(
    fleet: Fleet, here: Here, clock: Clock
) -> None:
    fleet.publish()
    here.pull()
    fleet.publish("not toml [")
    clock.now += 86_401
    fleet.sign("timestamp")
    with pytest.raises(RefusedError, match="activation"):
        here.pull()
    assert here.state == "stale"


@pytest.mark.parametrize(
    ("constraints", "why"),
    [
        ("hookcore-bundle==9.9\n", "hookcore-bundle .* is installed, and .* says ==9.9"),
        ("pluggy<1  # older\n", "pluggy .* is installed"),
        ("pluggy @ https://evil.example/pluggy.whl\n", "line 1 .* names a URL"),
        ("--index-url https://evil.example\n", "line 1"),
    ],
)
def test_another_version_than_the_constraints_say_is_refused(
    fleet: Fleet, here: Here, constraints: str, why: str
) -> None:
    fleet.publish(constraints=constraints)
    with pytest.raises(RefusedError, match=f"constraints: {why}"):
        here.pull()


def test_constraints_that_hold_or_speak_of_nothing_here_are_no_hindrance(
    fleet: Fleet, here: Here
) -> None:
    fleet.publish(constraints="# ours\npluggy>=1\nabsent==1\npluggy<1; sys_platform == 'nowhere'\n")
    assert here.pull().is_new


def test_a_few_revisions_are_kept(fleet: Fleet, here: Here) -> None:
    here.configure(keep=3)
    for _ in range(6):
        fleet.publish()
        here.pull()
    kept = sorted(each.name[:12] for each in here.bundles.glob("rev-*"))
    assert kept == ["rev-00000004", "rev-00000005", "rev-00000006"]


def test_what_a_killed_pull_left_behind_is_cleared_up(fleet: Fleet, here: Here) -> None:
    fleet.publish()
    here.bundles.mkdir()
    (here.bundles / ".new-abc").mkdir()
    (here.bundles / ".new-abc" / "hookcore.toml").write_text("half")
    (here.bundles / ".new-def").write_text("half")
    here.pull()
    assert not list(here.bundles.glob(".new-*"))


@pytest.mark.parametrize("state", [None, "{", '{"highest": "9"}', "[]", '{"highest": 1.5}'])
def test_a_memory_that_is_lost_is_taken_from_what_is_signed(
    fleet: Fleet, here: Here, state: str | None
) -> None:
    first = fleet.publish()
    news = fleet.server.files["/prod.tar.timestamp"]
    here.pull()
    fleet.publish()
    here.pull()
    file = here.bundles / "state.json"
    file.unlink() if state is None else file.write_text(state)
    fleet.server.files.update({"/prod.tar": first, "/prod.tar.timestamp": news})
    with pytest.raises(RefusedError, match="rollback: revision 1 after 2"):
        here.pull()


def test_a_bundle_in_force_that_was_changed_on_the_disk_is_fetched_again(
    fleet: Fleet, here: Here
) -> None:
    fleet.publish()
    here.pull()
    (here.bundles / "current" / "hookcore.toml").write_text("[hooks]\nenabled = false\n")
    assert here.state == "broken"
    assert here.pull() == Pulled(1, is_new=True)
    assert (here.state, here.in_force) == ("fresh", HARMLESS.format("x"))


def test_a_folder_that_is_gone_is_filled_again(fleet: Fleet, here: Here) -> None:
    fleet.publish()
    here.pull()
    shutil.rmtree(here.bundles)
    assert here.pull() == Pulled(1, is_new=True)


@contextmanager
def full_disk(most: int) -> Iterator[None]:
    """Let no file grow beyond a size, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_on_a_full_disk_the_old_revision_stays(fleet: Fleet, here: Here) -> None:
    fleet.publish()
    here.pull()
    before = here.entries
    fleet.publish(HARMLESS.format("y" * 10_000))
    with full_disk(5_000), pytest.raises(RefusedError, match="disk: File too large"):
        here.pull()
    assert (here.in_force, here.entries) == (HARMLESS.format("x"), before)
    assert here.pull() == Pulled(2, is_new=True)


def test_a_history_that_cannot_be_written_is_told_and_forgets_no_revision(
    fleet: Fleet, here: Here
) -> None:
    (here.bundles / "history.jsonl").mkdir(parents=True)
    first = fleet.publish()
    news = fleet.server.files["/prod.tar.timestamp"]
    with pytest.raises(RefusedError, match=r"disk: Is a directory: .*history\.jsonl"):
        here.pull()
    fleet.publish(HARMLESS.format("y"))
    with pytest.raises(RefusedError, match="disk: "):
        here.pull()
    assert (here.in_force, here.state) == (HARMLESS.format("y"), "fresh")
    fleet.server.files.update({"/prod.tar": first, "/prod.tar.timestamp": news})
    with pytest.raises(RefusedError, match="rollback: revision 1 after 2"):
        here.pull()


def test_one_machine_goes_back_by_breaking_the_glass(fleet: Fleet, here: Here) -> None:
    fleet.publish()
    here.pull()
    fleet.publish(HARMLESS.format("y"))
    here.pull()
    roll_back(here.machine, 1, check_bundle)
    assert here.in_force == HARMLESS.format("x")
    assert here.pull() == Pulled(1, is_new=False)
    status = here.machine.status()
    assert status.state == "fresh"
    assert status.seen.break_glass is not None
    history = (here.bundles / "history.jsonl").read_text().splitlines()
    assert [json.loads(line)["what"] for line in history] == ["taken", "taken", "break-glass"]
    fleet.publish(HARMLESS.format("z"))
    assert here.pull() == Pulled(3, is_new=True)
    assert here.machine.status().seen.break_glass is None


@pytest.mark.parametrize("revision", [2, 9])
def test_no_glass_is_broken_for_a_revision_that_is_not_kept(
    fleet: Fleet, here: Here, revision: int
) -> None:
    with pytest.raises(RefusedError, match="no bundle has been pulled"):
        roll_back(here.machine, revision)
    fleet.publish()
    here.pull()
    with pytest.raises(RefusedError, match=f"revision {revision} is not kept here"):
        roll_back(here.machine, revision)


def test_a_kept_revision_that_was_changed_is_not_gone_back_to(fleet: Fleet, here: Here) -> None:
    fleet.publish()
    here.pull()
    fleet.publish(HARMLESS.format("y"))
    here.pull()
    (old,) = here.bundles.glob("rev-00000001-*")
    (old / "hookcore.toml").write_text("[hooks]\n")
    with pytest.raises(RefusedError, match="files: not what was signed"):
        roll_back(here.machine, 1, check_bundle)
    assert here.in_force == HARMLESS.format("y")


def test_the_trial_is_what_a_manager_would_do(fleet: Fleet, here: Here) -> None:
    tried: list[str] = []

    def trial(folder: Path) -> None:
        tried.append((folder / "hookcore.toml").read_text())
        raise HookcoreError(f"{folder}/hookcore.toml: no")

    fleet.publish()
    with pytest.raises(RefusedError, match=r"^activation: hookcore.toml: no$"):
        here.pull(trial)
    assert tried == [HARMLESS.format("x")]
    assert here.state == "missing"
