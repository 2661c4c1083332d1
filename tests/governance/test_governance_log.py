"""The log of decisions: what it keeps, its bounds, and that no dispatch ever waits for it."""

from __future__ import annotations

import logging
import os
import sqlite3
import subprocess
import sys
import threading
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from hookcore import (
    HookAborted,
    HookDispatchedEvent,
    HookManager,
    HookRecord,
    ToolCallContext,
    hookimpl,
)
from hookcore.config import LogConfig
from hookcore.log import writer as writers
from hookcore.log.reading import Filter, Log, LogError, open_log
from hookcore.log.store import Store
from hookcore.log.writer import LogWriter, writer_of

from ..waiting import until

SECRET = "SECRET-VALUE"


def event(**values: Any) -> HookDispatchedEvent:
    record = HookRecord("guard", "pre_tool_call", "allow", "applied", 0.5)
    defaults: dict[str, Any] = {
        "interception_point": "pre_tool_call",
        "outcome": "proceeded",
        "hook_count": 1,
        "duration_ms": 1.0,
        "records": [record],
    }
    return HookDispatchedEvent(**{**defaults, **values})


def stored(file: Path, *events: HookDispatchedEvent, dropped: int = 0) -> None:
    store = Store(file, max_megabytes=100, max_days=30)
    store.write(events, dropped)
    store.close()


def read(file: Path, wanted: Filter | None = None, **options: Any) -> list[dict[str, Any]]:
    with open_log(file) as log:
        return [] if log is None else list(log.events(wanted or Filter(), **options))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "log.sqlite3"


def test_the_trend_counts_outcomes_in_equal_parts_of_the_time(file: Path) -> None:
    at = datetime(2026, 1, 1, tzinfo=timezone.utc)
    minutes = {0: "proceeded", 1: "aborted", 9: "aborted", 10: "modified"}
    stored(
        file, *(event(timestamp=at + timedelta(minutes=n), outcome=o) for n, o in minutes.items())
    )
    with open_log(file) as log:
        assert log is not None
        trend = log.trend(Filter(), 5)
        aborted = log.trend(Filter(outcome="aborted"), 1)
        assert log.trend(Filter(tool="none"), 5) == []
    begins = [at.timestamp() + 120 * part for part in range(5)]
    assert [begin for begin, _ in trend] == pytest.approx(begins)
    assert [dict(counts) for _, counts in trend] == [
        {"proceeded": 1, "aborted": 1},
        {},
        {},
        {},
        {"aborted": 1, "modified": 1},
    ]
    assert [dict(counts) for _, counts in aborted] == [{"aborted": 2}]


def test_events_of_one_moment_are_one_part_of_the_trend(file: Path) -> None:
    at = datetime(2026, 1, 1, tzinfo=timezone.utc)
    stored(file, event(timestamp=at), event(timestamp=at))
    with open_log(file) as log:
        assert log is not None
        assert sum(counts["proceeded"] for _, counts in log.trend(Filter(), 5)) == 2


def test_decisions_of_a_loaded_manager_are_logged_without_payloads(machine: Any) -> None:
    machine.install("guard")
    machine.user.write_text("[log]\nenabled = true\n[plugins.guard]\nenabled = true\n")
    manager = machine.load()
    ctx = ToolCallContext(
        tool_name="rm", payload={"path": SECRET}, run_id="r1", session_id="s", agent="coder"
    )
    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", ctx)
    writer = writer_of(manager)
    assert writer is not None
    assert writer.flush(10)
    (told,) = read(writer.file)
    expected = {
        "point": "pre_tool_call",
        "outcome": "aborted",
        "reason": "no",
        "tool": "rm",
        "agent": "coder",
        "run_id": "r1",
        "session_id": "s",
        "process": os.getpid(),
    }
    assert {key: told[key] for key in expected} == expected
    (record,) = told["records"]
    assert (record["plugin"], record["verdict"], record["effect"]) == ("guard", "deny", "applied")
    assert datetime.fromisoformat(told["timestamp"]).tzinfo == timezone.utc
    assert all(SECRET.encode() not in path.read_bytes() for path in machine.state.iterdir())


def test_nothing_is_logged_unless_that_is_asked_for(machine: Any) -> None:
    machine.install("guard")
    machine.user.write_text("[plugins.guard]\nenabled = true\n")
    manager = machine.load()
    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", ToolCallContext(tool_name="rm", payload={}))
    assert writer_of(manager) is None
    assert not machine.state.exists()


def test_what_is_only_tried_out_is_not_logged(machine: Any) -> None:
    machine.install("guard")
    machine.user.write_text("[log]\nenabled = true\n[plugins.guard]\nenabled = true\n")
    result = machine.hookctl("fire", "pre_tool_call", "--tool", "rm", "--payload", "{}")
    assert "pre_tool_call: aborted" in result.out
    assert not (machine.state / "decisions.sqlite3").exists()


def test_the_log_is_the_users_own(file: Path) -> None:
    stored(file, event())
    assert file.stat().st_mode & 0o777 == 0o600


def test_texts_that_a_model_makes_cannot_break_or_flood_it(file: Path) -> None:
    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("no")

    odd: Any = Odd()
    stored(file, event(tool="\ud800" + "x" * 10_000, run_id=odd, agent="a\x00b"))
    (told,) = read(file)
    assert told["tool"].startswith("\\ud800xxx")
    assert len(told["tool"]) < 600
    assert (told["run_id"], told["agent"]) == ("<Odd>", "a\x00b")


def test_an_event_that_cannot_be_written_takes_no_other_with_it(file: Path) -> None:
    writer = LogWriter(file, LogConfig())
    nonsense: Any = None
    for odd in (event(outcome=nonsense), event(hook_count=2**70), event(records=[3])):
        writer.put(event(run_id="before"))
        writer.put(odd)
    writer.put(event(run_id="after"))
    assert writer.flush(10)
    assert [told["run_id"] for told in read(file)] == ["before", "before", "before", "after"]
    with open_log(file) as log:
        assert log is not None
        assert log.drops() == 3


def test_what_is_too_old_is_dropped(file: Path) -> None:
    old = datetime.now(timezone.utc) - timedelta(days=8)
    stored(file, event(run_id="old", timestamp=old), event(run_id="new"))
    store = Store(file, max_megabytes=100, max_days=7)
    store.prune()
    store.close()
    assert [told["run_id"] for told in read(file)] == ["new"]
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM records").fetchone() == (1,)
    connection.close()


def test_it_stays_within_its_size_and_keeps_the_newest(file: Path) -> None:
    store = Store(file, max_megabytes=1, max_days=30)
    for batch in range(20):
        store.write([event(run_id=f"{batch}", abort_reason="r" * 400) for _ in range(200)], 0)
        store.prune()
    store.close()
    assert file.stat().st_size < 1_300_000
    runs = [told["run_id"] for told in read(file)]
    assert runs[-1] == "19"
    assert "0" not in runs


def test_two_managers_of_a_process_share_one_writer(machine: Any) -> None:
    machine.user.write_text("[log]\nenabled = true\n")
    assert writer_of(machine.load()) is writer_of(machine.load())


def test_several_processes_write_at_once_and_lose_nothing(machine: Any) -> None:
    program = """
import sys
from hookcore import HookManager, ToolCallContext, hookimpl
class Watch:
    @hookimpl
    def pre_tool_call(self, ctx): ...
manager = HookManager.load(config={"log": {"enabled": True}})
manager.register(Watch())
for number in range(500):
    manager.dispatch("pre_tool_call", ToolCallContext(tool_name="t", payload={}, run_id=sys.argv[1]))
"""
    command = [sys.executable, "-c", program]
    running = [
        subprocess.Popen([*command, str(at)], env=machine.environment(), cwd=machine.root)
        for at in range(4)
    ]
    assert [process.wait(60) for process in running] == [0, 0, 0, 0]
    told = read(machine.state / "decisions.sqlite3")
    assert len(told) == 2000
    assert {len([e for e in told if e["run_id"] == str(at)]) for at in range(4)} == {500}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_goes_on_logging(machine: Any) -> None:
    program = """
import os
from hookcore import HookManager, ToolCallContext, hookimpl
class Watch:
    @hookimpl
    def pre_tool_call(self, ctx): ...
manager = HookManager.load(config={"log": {"enabled": True}})
manager.register(Watch())
def work(run):
    for number in range(100):
        manager.dispatch("pre_tool_call", ToolCallContext(tool_name="t", payload={}, run_id=run))
work("parent")
import warnings
warnings.simplefilter("ignore", DeprecationWarning)
child = os.fork()
work("child" if child == 0 else "parent")
if child:
    assert os.waitpid(child, 0)[1] == 0
"""
    command = [sys.executable, "-c", program]
    assert (
        subprocess.run(command, env=machine.environment(), check=False, timeout=60).returncode == 0
    )
    runs = [told["run_id"] for told in read(machine.state / "decisions.sqlite3")]
    assert (runs.count("parent"), runs.count("child")) == (200, 100)


def test_what_is_too_much_is_dropped_counted_and_shown(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LogWriter, "start", lambda self: None)
    writer = LogWriter(file, LogConfig(), bound=10)
    for _ in range(25):
        writer.put(event())
    assert writer.dropped == 15
    monkeypatch.undo()
    writer.start()
    assert writer.flush(10)
    with open_log(file) as log:
        assert log is not None
        assert (log.count(), log.drops()) == (10, 15)
    assert writer.dropped == 0


def test_drops_of_many_threads_are_counted_exactly(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LogWriter, "start", lambda self: None)
    writer = LogWriter(file, LogConfig(), bound=0)

    def work() -> None:
        for _ in range(2000):
            writer.put(event())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert writer.dropped == 8000
    writer.dropped = 0  # nobody will write them


def test_a_log_that_somebody_locks_delays_no_dispatch(file: Path) -> None:
    stored(file, event())
    blocker = sqlite3.connect(file, isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    manager, writer = HookManager(), LogWriter(file, LogConfig())

    class Watch:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None: ...

    manager.register(Watch())
    manager.subscribe(writer.put)
    # The lock stays until all are through: a dispatch that waited for it would wait for ever.
    for _ in range(2000):
        manager.dispatch("pre_tool_call", ToolCallContext(tool_name="t", payload={}))
    blocker.execute("ROLLBACK")
    blocker.close()
    assert writer.flush(20)
    assert len(read(file)) == 2001


def test_a_log_that_is_no_database_fails_no_dispatch_and_is_told_once(
    file: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writers, "_RETRY_SECONDS", 0.01)
    file.write_bytes(b"this is no database, and long enough to be seen as none" * 50)
    writer = LogWriter(file, LogConfig())
    writer.put(event())
    until(lambda: "cannot be written" in caplog.text)
    writer.put(event())
    time.sleep(0.2)
    assert caplog.text.count("cannot be written") == 1
    file.unlink()
    assert writer.flush(10)
    assert len(read(file)) == 2


def test_a_log_that_is_moved_away_is_begun_anew(file: Path) -> None:
    writer = LogWriter(file, LogConfig())
    writer.put(event(run_id="one"))
    assert writer.flush(10)
    for path in file.parent.glob("log.sqlite3*"):
        path.rename(path.with_name(f"old-{path.name}"))
    writer.put(event(run_id="two"))
    assert writer.flush(10)
    assert [told["run_id"] for told in read(file)] == ["two"]


def test_a_state_folder_that_cannot_be_made_fails_nothing(
    machine: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    machine.install("guard")
    machine.user.write_text("[log]\nenabled = true\n[plugins.guard]\nenabled = true\n")
    blocker = machine.root / "blocker"
    blocker.write_text("a file")
    monkeypatch.setenv("XDG_STATE_HOME", str(blocker))
    manager = machine.load()
    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", ToolCallContext(tool_name="rm", payload={}))
    assert "decisions are not logged" in caplog.text


def test_each_filter_leaves_what_it_asks_for(file: Path) -> None:
    now = datetime.now(timezone.utc)
    other = HookRecord("redact", "output", "modify", "applied", 0.1)
    stored(
        file,
        event(run_id="a", tool="delete_file", timestamp=now - timedelta(hours=2)),
        event(run_id="b", tool="ls", outcome="aborted"),
        event(run_id="c", interception_point="output", outcome="modified", records=[other]),
    )

    def runs(**wanted: Any) -> list[str]:
        return [told["run_id"] for told in read(file, Filter(**wanted))]

    assert runs(since=(now - timedelta(hours=1)).timestamp()) == ["b", "c"]
    assert runs(plugin="redact") == ["c"]
    assert runs(plugin="g*") == ["a", "b"]
    assert runs(outcome="aborted") == ["b"]
    assert runs(tool="delete_*") == ["a"]
    assert runs(run="c") == ["c"]
    assert runs(run="c", outcome="aborted") == []
    assert [told["run_id"] for told in read(file, last=2)] == ["b", "c"]


def test_a_log_that_is_no_database_is_told_to_the_reader(file: Path) -> None:
    file.write_bytes(b"nonsense" * 100)
    with pytest.raises(LogError, match="move it away"), open_log(file) as log:
        assert log is None


def test_there_need_be_no_log(file: Path) -> None:
    with open_log(file) as log:
        assert log is None
    file.touch()
    with open_log(file) as log:
        assert log is None


def test_a_log_of_another_version_is_not_written_to(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stored(file, event())
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    writer = LogWriter(file, LogConfig())
    writer.put(event())
    until(lambda: "another version of hookcore (99) wrote it" in caplog.text)
    assert logging.getLevelName(caplog.records[-1].levelno) == "WARNING"
    writer._queue.clear()


def test_a_reader_never_blocks_a_writer(file: Path) -> None:
    stored(file, event(run_id="a"))
    with open_log(file) as log:
        assert isinstance(log, Log)
        reading = log.events()
        next(reading)
        stored(file, event(run_id="b"))
    assert len(read(file)) == 2
