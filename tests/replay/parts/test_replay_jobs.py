from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from ..killing import Hookctl, finished, run, without_times, write

posix = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")


def test_several_processes_find_what_one_finds_in_the_same_order(
    hookctl: Hookctl, folder: Path
) -> None:
    files = write(folder, "delete", "read", "delete", "write")
    _, alone, _ = finished(hookctl("replay", *files, "--json"))
    code, together, stderr = finished(hookctl("replay", *files, "--json", "--jobs", "3"))
    assert (code, stderr) == (0, "")
    assert without_times(together) == without_times(alone)
    assert [one["run"] for one in together["findings"]] == [
        "0.jsonl",
        "again",
        "again#2",
        "2.jsonl",
        "again#3",
        "again#4",
    ]


def test_standard_input_is_replayed_by_several_processes_too(hookctl: Hookctl) -> None:
    process = hookctl("replay", "-", "--json", "--jobs", "2")
    code, report, _ = finished(process, json.dumps(run("delete", "piped")))
    assert code == 0
    assert [(one["run"], one["where"]) for one in report["findings"]] == [
        ("piped", "stdin:1 messages[1]")
    ]


@posix
def test_a_partition_whose_process_was_killed_is_tried_once_more(
    hookctl: Hookctl, folder: Path
) -> None:
    files = write(folder, "read", "die_once", "read")
    code, report, stderr = finished(hookctl("replay", *files, "--json", "--jobs", "2"))
    assert (code, report["summary"]["runs"], report["summary"]["unreadable"]) == (0, 6, [])
    assert stderr == (
        "1.jsonl: the process that replayed it was killed by signal 9; it is tried once more\n"
    )


@posix
def test_a_partition_that_kills_its_process_twice_is_named_and_the_others_are_replayed(
    hookctl: Hookctl, folder: Path
) -> None:
    files = write(folder, "read", "die", "read")
    code, report, _ = finished(hookctl("replay", *files, "--json", "--jobs", "2"))
    assert (code, report["summary"]["runs"]) == (2, 4)
    assert report["summary"]["unreadable"] == [
        {
            "where": "1.jsonl",
            "reason": "the process that replayed it was killed by signal 9, twice",
        }
    ]


def is_alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    # Nobody may be there to bury it.
    status = Path(f"/proc/{number}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def sleeper(folder: Path) -> int:
    """Wait for a process that has come to its long hook, and return its number."""
    file = folder / "asleep"
    until = time.monotonic() + 60
    while not (file.exists() and file.read_text()):
        assert time.monotonic() < until
        time.sleep(0.01)
    return int(file.read_text())


def is_gone(number: int) -> bool:
    until = time.monotonic() + 60
    while is_alive(number) and time.monotonic() < until:
        time.sleep(0.01)
    return not is_alive(number)


@posix
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_processes_end_with_the_one_that_started_them(
    hookctl: Hookctl, folder: Path, number: int
) -> None:
    process = hookctl("replay", *write(folder, "sleep", "read"), "--jobs", "2")
    worker = sleeper(folder)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert is_gone(worker)


@posix
def test_an_interrupt_ends_all_processes_without_a_traceback(
    hookctl: Hookctl, folder: Path
) -> None:
    process = hookctl("replay", *write(folder, "sleep", "read"), "--jobs", "2")
    worker = sleeper(folder)
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr.strip()) == (130, "")
    assert is_gone(worker)


# What Python imports first of all: a process of the pool that comes no further.
STARTING = """
import os, sys, time
if "--multiprocessing-fork" in sys.orig_argv:
    with open("asleep", "w") as file:
        file.write(str(os.getpid()))
    time.sleep(60)
"""


@posix
def test_an_interrupt_does_not_reach_a_process_whose_python_is_still_starting(
    hookctl: Hookctl, folder: Path
) -> None:
    (folder.parent / "site" / "sitecustomize.py").write_text(STARTING, encoding="utf-8")
    process = hookctl("replay", *write(folder, "read", "read"), "--jobs", "2")
    worker = sleeper(folder)
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr.strip()) == (130, "")
    assert is_gone(worker)
