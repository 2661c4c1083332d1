from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

posix = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")

PLUGIN = """
import os, signal, time
from pathlib import Path
from hookcore import HookAborted, hookimpl


class Policy:
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx):
        if ctx.tool_name == "delete":
            raise HookAborted("no deletes")
        if ctx.tool_name == "sleep":
            Path("asleep").write_text(str(os.getpid()))
            time.sleep(60)
        if ctx.tool_name == "die" or (ctx.tool_name == "die_once" and not Path("died").exists()):
            Path("died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
"""
ENTRY_POINTS = "[hookcore.plugins]\ndemo = killing_policy:Policy\n"
METADATA = "Metadata-Version: 2.1\nName: killing-policy\nVersion: 1.0\n"
Hookctl = Callable[..., "subprocess.Popen[str]"]


def run(tool: str, name: str) -> dict[str, object]:
    call = {"id": "1", "function": {"name": tool, "arguments": "{}"}}
    user = {"role": "user", "content": "hi"}
    asks = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"id": name, "messages": [user, asks]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    metadata = site / "killing_policy-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "killing_policy.py").write_text(PLUGIN, encoding="utf-8")
    (metadata / "METADATA").write_text(METADATA, encoding="utf-8")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    work = tmp_path / "work"
    work.mkdir()
    (work / "hookcore.toml").write_text("[plugins.demo]\nenabled = true\n", encoding="utf-8")
    return work


@pytest.fixture
def hookctl(folder: Path) -> Iterator[Hookctl]:
    """Start hookctl in a folder of its own, where the policy that kills its process is on."""
    paths = [str(folder.parent / "site"), *(path for path in sys.path if path)]
    kept = {key: value for key, value in os.environ.items() if "HOOKCORE" not in key}
    environment = {
        **kept,
        "PYTHONPATH": os.pathsep.join(paths),
        "HOME": str(folder.parent),
    }

    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "hookctl", *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    # Whoever is started in a shell's background ignores interrupts, and so do its children; what
    # is handled here is as usual there.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield start
    signal.signal(signal.SIGINT, before)
    for process in started:
        with process:
            process.kill()


def write(folder: Path, *tools: str) -> list[str]:
    """Write a file with two runs for each tool; the second run's name comes again and again."""
    names = [f"{number}.jsonl" for number in range(len(tools))]
    for name, tool in zip(names, tools, strict=True):
        lines = [json.dumps(run(tool, name)), json.dumps(run("delete", "again"))]
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    return names


def finished(process: subprocess.Popen[str], stdin: str = "") -> tuple[int, Any, str]:
    stdout, stderr = process.communicate(stdin, timeout=60)
    return process.returncode, json.loads(stdout), stderr


def without_times(report: Any) -> Any:
    for stats in report["summary"]["plugins"].values():
        for key in [key for key in stats if key.endswith("_ms")]:
            del stats[key]
    return report


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
