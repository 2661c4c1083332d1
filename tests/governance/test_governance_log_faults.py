"""A log that is locked, full, moved or removed, in real processes: what is lost is told and counted."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookDispatchedEvent, HookRecord
from hookcore.config import LogConfig
from hookcore.log import tables
from hookcore.log import writer as writers
from hookcore.log.losses import losses, note_loss
from hookcore.log.reading import Filter, open_log
from hookcore.log.store import Store
from hookcore.log.writer import LogWriter

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
WORK = """
import sys
from hookcore import HookManager, ToolCallContext, hookimpl
from hookcore.log import writer as writers
from hookcore.log.writer import writer_of
writers._EXIT_SECONDS = 0.3
class Watch:
    @hookimpl
    def pre_tool_call(self, ctx): ...
manager = HookManager.load(config={"log": {"enabled": True}})
manager.register(Watch())
def work(times=2000):
    for _ in range(times):
        manager.dispatch("pre_tool_call", ToolCallContext(tool_name="t", payload={}, run_id="r"))
"""


def run(machine: Any, program: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WORK + program],
        env=machine.environment(**environ),
        cwd=machine.project.parent,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )


def event(**values: Any) -> HookDispatchedEvent:
    record = HookRecord("guard", "pre_tool_call", "allow", "applied", 0.5)
    return HookDispatchedEvent("pre_tool_call", "proceeded", 1, 1.0, records=[record], **values)


def told(file: Path) -> tuple[int, int]:
    """Return how many events are in a log, and how many were dropped or lost."""
    with open_log(file) as log:
        return (0, 0) if log is None else (log.count(), log.drops())


@pytest.fixture
def file(machine: Any) -> Path:
    path: Path = machine.state / "decisions.sqlite3"
    return path


@pytest.fixture
def begun(machine: Any, file: Path) -> Path:
    """A log with one event in it."""
    machine.state.mkdir(parents=True)
    store = Store(file, max_megabytes=100, max_days=30)
    store.write([event()], 0)
    store.close()
    return file


def test_what_a_locked_log_loses_at_the_end_is_told_and_counted(machine: Any, begun: Path) -> None:
    blocker = sqlite3.connect(begun, isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    done = run(machine, "work()")
    assert f"decisions cannot be written to {begun}" in done.stderr
    assert "2000 are lost" in done.stderr
    blocker.execute("ROLLBACK")
    blocker.close()
    assert told(begun) == (1, 2000)
    assert "2000 decisions were dropped" in machine.hookctl("log").err
    assert "2000 decisions were dropped" in machine.hookctl("doctor").out


def test_what_was_lost_is_counted_once_by_the_next_who_opens_the_log(
    machine: Any, begun: Path
) -> None:
    note_loss(begun, 2000)
    run(machine, "work(10)")
    assert losses(begun) == []
    assert told(begun) == (11, 2000)
    run(machine, "work(10)")
    assert told(begun) == (21, 2000)


def test_a_note_that_cannot_be_taken_away_counts_once(begun: Path) -> None:
    note_loss(begun, 7)
    (loss,) = losses(begun)
    Store(begun, max_megabytes=1, max_days=1).close()
    loss.note.touch()
    os.utime(loss.note, (loss.at, loss.at))
    assert told(begun) == (1, 7)
    Store(begun, max_megabytes=1, max_days=1).close()
    assert told(begun) == (1, 7)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with room for little."""
    folder = tmp_path / "disk"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", "size=512k,mode=700", "none", str(folder)]
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run([mount, *options], check=False, capture_output=True).returncode
    ):
        pytest.skip("this user may not mount")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_what_a_full_disk_loses_at_the_end_is_told_and_counted(
    machine: Any, small_disk: Path
) -> None:
    (small_disk / "hookcore").mkdir()
    file = small_disk / "hookcore" / "decisions.sqlite3"
    Store(file, max_megabytes=100, max_days=30).close()
    filler = small_disk / "filler"
    rest = os.open(filler, os.O_CREAT | os.O_WRONLY)
    with contextlib.suppress(OSError):
        while os.write(rest, b"x" * 4096):
            pass
    os.close(rest)
    done = run(machine, "work()", XDG_STATE_HOME=str(small_disk))
    assert "2000 are lost" in done.stderr
    filler.unlink()
    assert told(file) == (0, 2000)


def test_a_folder_that_was_removed_is_made_again(machine: Any, file: Path) -> None:
    program = """
import shutil
work(10)
writer = writer_of(manager)
assert writer.flush(10)
shutil.rmtree(writer.file.parent)
work(20)
"""
    done = run(machine, program)
    assert done.stderr == ""
    assert told(file)[0] == 20
    assert machine.state.stat().st_mode & 0o777 == 0o700


def test_what_was_written_to_a_file_that_was_removed_meanwhile_is_written_again(
    begun: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(begun, max_megabytes=100, max_days=30)
    begun.unlink()
    with pytest.raises(OSError, match="was removed while it was written"):
        store.write([event()], 0)
    store.close()
    monkeypatch.setattr(writers, "_RETRY_SECONDS", 0.01)
    writer = LogWriter(begun, LogConfig())
    writer.put(event())
    assert writer.close()
    assert told(begun) == (1, 0)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_in_the_place_of_the_log_hangs_nobody(machine: Any, file: Path) -> None:
    machine.state.mkdir(parents=True)
    os.mkfifo(file)
    done = run(machine, "work(10)")
    assert "is no regular file: move it away" in done.stderr
    assert "10 are lost" in done.stderr


@needs_fork
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_of_multiprocessing_loses_nothing(machine: Any, file: Path) -> None:
    program = """
import multiprocessing
import warnings
warnings.simplefilter("ignore", DeprecationWarning)
work(5)
child = multiprocessing.get_context("fork").Process(target=work, args=(300,))
child.start()
child.join()
assert child.exitcode == 0
"""
    run(machine, program)
    assert told(file) == (305, 0)


def test_what_is_dispatched_when_the_interpreter_ends_is_written(machine: Any, file: Path) -> None:
    run(machine, "import atexit; atexit.register(work, 300); work(1)")
    assert told(file) == (301, 0)


def test_drops_under_load_are_told_while_it_runs(
    file: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LogWriter, "start", lambda self: True)
    writer = LogWriter(file, LogConfig(), bound=5)
    for _ in range(50):
        writer.put(event())
    (record,) = caplog.records
    assert "fast enough: 1 dropped so far, since 5 were waiting" in record.getMessage()
    monkeypatch.undo()
    assert writer.close()
    assert told(file) == (5, 45)


def test_drops_stand_between_the_decisions(machine: Any, begun: Path) -> None:
    store = Store(begun, max_megabytes=100, max_days=30)
    store.write([], 12)
    store.write([event(tool="after")], 0)
    store.close()
    lines = machine.hookctl("log").out.splitlines()
    assert "12 decisions are missing here" in lines[2]
    assert "after" in lines[3]
    assert len(machine.hookctl("log", "--json").json) == 2
    assert "12 decisions were dropped" in machine.hookctl("log", "--json").err


_VERDICTS_2 = """CREATE TABLE verdicts (
    block INTEGER NOT NULL, plugin TEXT NOT NULL, point TEXT NOT NULL, tool TEXT NOT NULL,
    verdict TEXT NOT NULL, effect TEXT NOT NULL, class INTEGER NOT NULL,
    number INTEGER NOT NULL, milliseconds REAL NOT NULL,
    PRIMARY KEY (block, plugin, point, tool, verdict, effect, class)) WITHOUT ROWID"""


@pytest.mark.parametrize("version", [1, 2])
def test_a_log_of_an_older_version_is_read_and_then_brought_up_to_date(
    begun: Path, version: int
) -> None:
    with sqlite3.connect(begun) as connection:
        connection.execute("ALTER TABLE records DROP COLUMN rule")
        connection.execute("DROP TABLE verdicts")
        if version == 1:
            connection.execute("DROP TABLE kinds")
        else:
            connection.execute(_VERDICTS_2)
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    for _ in range(2):
        with open_log(begun) as log:
            assert log is not None
            assert (log.count(), log.outcomes()) == (1, {"proceeded": 1})
            (said,) = log.verdicts()
            assert (said.plugin, said.verdict, said.number) == ("guard", "allow", 1)
            (told,) = log.events()
            assert told["records"][0]["rule"] is None
        Store(begun, max_megabytes=100, max_days=30).close()
    with sqlite3.connect(begun) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (tables.VERSION,)
    connection.close()


def test_many_threads_lose_nothing_to_one_writer(begun: Path) -> None:
    writer = LogWriter(begun, LogConfig())
    threads = [
        threading.Thread(target=lambda: [writer.put(event()) for _ in range(1000)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert writer.close()
    assert told(begun) == (4001, 0)


def test_what_is_counted_is_what_is_there_after_pruning(
    begun: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hookcore.log import rows, store, sums

    for module in (rows, store, sums):
        monkeypatch.setattr(module, "BLOCK", 64)
    begun.unlink()
    opened = Store(begun, max_megabytes=1, max_days=30)
    for batch in range(30):
        opened.write([event(run_id=str(batch), abort_reason="r" * 400) for _ in range(150)], 0)
        opened.prune()
    opened.close()
    with open_log(begun) as log:
        assert log is not None
        (number,) = log.connection.execute("SELECT count(*) FROM events").fetchone()
        assert 0 < number < 4500
        assert log.count() == sum(said.number for said in log.verdicts()) == number
        since = next(log.events(after=number // 2))["timestamp"]
        assert since is not None


def test_a_summary_of_a_time_counts_what_its_events_are(
    begun: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import datetime, timedelta, timezone

    from hookcore.log import rows, store, sums

    for module in (rows, store, sums):
        monkeypatch.setattr(module, "BLOCK", 16)
    begun.unlink()
    now = datetime.now(timezone.utc)
    opened = Store(begun, max_megabytes=100, max_days=30)
    opened.write([event(timestamp=now - timedelta(minutes=100 - at)) for at in range(100)], 0)
    opened.close()
    with open_log(begun) as log:
        assert log is not None
        for minutes in (-1, 3, 50.5, 99.5, 200):
            wanted = Filter(since=(now - timedelta(minutes=minutes)).timestamp())
            number = len(list(log.events(wanted)))
            assert sum(log.outcomes(wanted).values()) == number
            assert sum(said.number for said in log.verdicts(wanted)) == number
            same = Filter(since=wanted.since, plugin="g*")
            assert sum(said.number for said in log.verdicts(same)) == number
