"""Many processes on one folder: no reader sees halves, and killed ones leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .fleet import Clock, Fleet, Here

START = """
import sys
from pathlib import Path
from hookcore.config import files
from hookcore_bundle import _clock
files.SYSTEM_FILE, files.BUNDLE_FOLDER = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
now = int(sys.argv.pop(1))
_clock.now = lambda: now
"""
PULL = """
from hookcore.bundles import check_bundle
from hookcore_bundle import RefusedError
from hookcore_bundle._pull import pull
from hookcore_bundle.told import machine
here, done = machine(), 0
print("begun", flush=True)
while True:
    try:
        revision = pull(here, check_bundle).revision
    except RefusedError as error:
        assert str(error).startswith(("download: ", "server: ", "rollback: ")), error
        continue
    if revision == int(sys.argv[1]):
        break
"""
READ = """
import os
counts = {"read": 0, "torn": 0, "missing": 0}
current = files.BUNDLE_FOLDER / "current"
print("begun", flush=True)
while True:
    try:
        folder = Path(os.path.realpath(current))
        texts = [(folder / name).read_text() for name in ("hookcore.toml", "constraints.txt")]
    except FileNotFoundError:
        counts["missing"] += 1
        continue
    counts["read"] += 1
    counts["torn"] += texts[0] != texts[1]
    if texts[0] == sys.argv[1]:
        break
print(counts)
"""
STAGE = """
from hookcore_bundle._pull import pull
from hookcore_bundle.told import machine
import threading
def trial(folder):
    print("staged", flush=True)
    threading.Event().wait(600)
pull(machine(), trial)
"""
LOOP = """
from hookctl.main import main
main()
"""
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(here: Here, clock: Clock, tmp_path: Path) -> Iterator[Start]:
    started = []

    def begin(code: str, *arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [
                *(sys.executable, "-c", START + code, str(here.system), str(here.bundles)),
                *(str(clock.now), *map(str, arguments)),
            ],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={k: v for k, v in os.environ.items() if not k.startswith("HOOKCORE_")},
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_readers_see_whole_revisions_while_several_processes_pull(
    fleet: Fleet, here: Here, start: Start
) -> None:
    revisions = 12
    fleet.publish("# 1", constraints="# 1")
    here.pull()
    pulling = [start(PULL, revisions) for _ in range(3)]
    reading = start(READ, f"# {revisions}")
    assert [line(process) for process in (*pulling, reading)] == ["begun"] * 4
    for number in range(2, revisions + 1):
        fleet.publish(f"# {number}", constraints=f"# {number}")
    ended = [process.communicate() for process in pulling]
    assert [process.returncode for process in pulling] == [0] * 3, ended
    out, err = reading.communicate()
    assert reading.returncode == 0, err
    assert "'torn': 0, 'missing': 0" in out
    assert here.state == "fresh"


def test_a_pull_that_is_killed_changes_nothing_and_lets_the_next_one_go_on(
    fleet: Fleet, here: Here, start: Start
) -> None:
    fleet.publish()
    here.pull()
    before = here.entries
    fleet.publish("# two")
    process = start(STAGE)
    assert line(process) == "staged"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert {name[:5] for name in here.entries - before} == {".new-"}
    assert here.machine.status().revision == 1
    assert here.pull().is_new
    assert here.in_force == "# two"
    assert not list(here.bundles.glob(".new-*"))


def test_the_command_pulls_until_it_is_stopped(fleet: Fleet, here: Here, start: Start) -> None:
    here.configure(every_s=1.0, jitter=0.0)
    fleet.publish()
    process = start(LOOP, "bundle", "pull")
    assert line(process) == "revision 1 is in force now"
    fleet.publish()
    assert line(process) == "revision 2 is in force now"
    fleet.server.files.clear()
    assert process.stderr is not None
    assert process.stderr.readline().startswith("bundle: server: HTTP 404")
    process.terminate()
    assert process.wait() == -signal.SIGTERM
    assert process.stderr.read() == ""
