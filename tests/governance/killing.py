"""Starts children that write without end, kills each at some moment, and looks at what is left.

Run as a program: what to write, the folder to write in, and how many children to kill.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import sys
import time
from itertools import count
from pathlib import Path

from hookcore.config import LogConfig, set_plugin
from hookcore.config.files import read_table
from hookcore.log import writer as writers
from hookcore.log.reading import open_log
from hookcore.log.writer import LogWriter
from hookcore.trust.lockfile import LockEntry, change_lock, read_lock
from hookcore.trust.projects import trust, trusted
from hookcore_specs import HookDispatchedEvent, HookRecord


class Files:
    """The configuration, its lock file and the user's trust in them."""

    def __init__(self, folder: Path) -> None:
        self.config, self.lock = folder / "hookcore.toml", folder / "hookcore.lock"
        self._step(0)  # the children find imported what they need

    def write(self) -> None:
        for number in count(os.getpid()):  # so that each child begins with another plugin
            self._step(number)

    def _step(self, number: int) -> None:
        name = f"plugin-{number % 3}"
        set_plugin(self.config, name, {"enabled": number % 2 == 0, "priority": number})
        entry = LockEntry(name, str(number), {f"{name}.py": "x" * (number % 900)})
        change_lock(self.lock, lambda old, n=name, e=entry: {**old, n: e})  # type: ignore[misc]
        trust(self.config, {"number": number}, self.lock)

    def check(self) -> None:
        if self.config.exists():
            assert read_table(self.config) is not None
        read_lock(self.lock)
        trusted(self.config)

    def finish(self) -> None:
        self.check()
        assert {"plugin-0"} <= set(read_lock(self.lock)) <= {"plugin-0", "plugin-1", "plugin-2"}
        for file in (self.config, self.lock):
            set_plugin(self.config, "last", {"enabled": True})
            change_lock(self.lock, lambda old: {**old, "last": LockEntry("last", "1")})
            left = list(file.parent.glob(f".{file.name}*"))
            assert left == [], left


class Log:
    """The log of decisions."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "log.sqlite3"

    def write(self) -> None:
        writers._GATHER_SECONDS = 0.001
        writer = LogWriter(self.file, LogConfig(max_megabytes=1))
        record = HookRecord("guard", "pre_tool_call", "allow", "applied", 0.1)
        for number in count():
            records = [record] * (1 + number % 3)
            writer.put(
                HookDispatchedEvent(
                    "pre_tool_call", "proceeded", len(records), 0.1, run_id="r", records=records
                )
            )
            if number % 100 == 0:
                time.sleep(0.001)

    def check(self) -> None:
        if not self.file.exists():
            return
        with open_log(self.file) as log:
            if log is not None:
                for event in log.events(last=20):
                    assert len(event["records"]) == event["hook_count"], event

    def finish(self) -> None:
        connection = sqlite3.connect(self.file)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        torn = """SELECT count(*) FROM events WHERE hook_count !=
                  (SELECT count(*) FROM records WHERE event = events.id)"""
        assert connection.execute(torn).fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM events").fetchone()[0] > 0
        connection.close()


def main() -> None:
    kind, folder, times = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    work = Log(folder) if kind == "log" else Files(folder)
    longest = 0.04 if kind == "log" else 0.02
    moments = random.Random(7)
    killed = 0
    for _ in range(times):
        child = os.fork()
        if child == 0:
            work.write()
        time.sleep(moments.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), status
        killed += os.WTERMSIG(status) == signal.SIGKILL
        work.check()
    work.finish()
    sys.stdout.write(f"{killed}\n")


if __name__ == "__main__":
    main()
