"""Many writers of one log, in processes of their own, some of which are killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hookcore_audit import verify
from hookcore_audit._signing import SigningKey

PROGRAM = """
import itertools, sys
from pathlib import Path
from hookcore_audit._chain import Chain
from hookcore_audit._record import Entry
from hookcore_audit._signing import SigningKey

folder, secret, name, most = sys.argv[1:]
chain = Chain(Path(folder), max_bytes=200_000, keep_files=100, key=SigningKey(secret), every=500)
print("ready", flush=True)
sys.stdin.readline()
for number in itertools.count() if most == "endless" else range(int(most)):
    chain.append([Entry("decision", 1, {"writer": name, "n": number, "tool": "x" * 40})])
    if number == 20:
        print("under way", flush=True)
"""


def writers(folder: Path, key: SigningKey, *most: str) -> list[subprocess.Popen[str]]:
    """Start writers that all begin at once; each writes so many records."""
    command = [sys.executable, "-c", PROGRAM, str(folder), key.secret()]
    started = [
        subprocess.Popen(
            [*command, str(number), records],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for number, records in enumerate(most)
    ]
    for each in started:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in started:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    return started


def test_eight_writers_make_one_chain(folder: Path, key: SigningKey) -> None:
    started = writers(folder, key, *["500"] * 8)
    for each in started:
        each.communicate()
        assert each.returncode == 0
    report = verify(folder, public_keys=[key.public])
    assert report.findings == []
    assert report.files > 2
    decisions = sum(
        b'"kind":"decision"' in line
        for file in folder.iterdir()
        for line in file.read_bytes().splitlines()
    )
    assert decisions == 8 * 500


def test_writers_that_are_killed_leave_a_log_that_goes_on(folder: Path, key: SigningKey) -> None:
    started = writers(folder, key, "endless", "endless", "500", "500")
    for each in started[:2]:
        assert each.stdout is not None
        assert each.stdout.readline() == "under way\n"
        each.kill()
    for each in started:
        each.communicate()
    assert [each.returncode for each in started] == [-9, -9, 0, 0]
    report = verify(folder, public_keys=[key.public])
    assert report.findings == []
    assert report.records >= 2 * 500 + 2 * 20


HOST = """
import os, sys
from hookcore import HookManager, hookimpl
from hookcore_audit import Audit, AuditSettings

manager = HookManager()
manager.register(Audit(AuditSettings(path=sys.argv[1])), name="audit")
manager.call_tool("before", {}, lambda given: 1)
child = os.fork()
for number in range(50):
    manager.call_tool("child" if child == 0 else "parent", {"n": number}, lambda given: 1)
if child:
    os.waitpid(child, 0)
else:
    import atexit
    atexit._run_exitfuncs()
    os._exit(0)
"""


def test_a_host_that_forks_and_ends_at_once_loses_nothing(folder: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", HOST, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    text = b"".join(file.read_bytes() for file in sorted(folder.iterdir()))
    calls = [line for line in text.splitlines() if b'"kind":"call"' in line]
    told = [sum(name in line for line in calls) for name in (b'"before"', b'"child"', b'"parent"')]
    assert told == [1, 50, 50]
    assert verify(folder).findings == []
