from __future__ import annotations

import multiprocessing
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from hookcore_stores import SqliteStore, StoreAwayError, state_file
from hookcore_stores.away import StoreSettingsError

SCHEMA = ["CREATE TABLE counts (name TEXT PRIMARY KEY, n INTEGER NOT NULL)"]
ADD = "INSERT INTO counts VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET n = n + 1"


def made(folder: Path, **options: Any) -> SqliteStore:
    return SqliteStore(folder / "own" / "state.sqlite3", SCHEMA, **options)


def count(store: SqliteStore) -> int:
    with store.transaction() as db:
        db.execute(ADD, ("a",))
        (n,) = db.execute("SELECT n FROM counts").fetchone()
    return int(n)


def interrupted(store: SqliteStore, problem: BaseException) -> None:
    with store.transaction() as db:
        db.execute(ADD, ("a",))
        raise problem


def failure(store: SqliteStore) -> str:
    with pytest.raises(StoreAwayError) as caught, store.transaction():
        pass
    return str(caught.value)


def test_what_a_transaction_did_is_kept(tmp_path: Path) -> None:
    assert [count(made(tmp_path)) for _ in range(3)] == [1, 2, 3]


def test_what_a_block_raises_undoes_it_and_is_no_fault_of_the_file(tmp_path: Path) -> None:
    store = made(tmp_path)
    with pytest.raises(OSError, match="mine"):
        interrupted(store, OSError("mine"))
    assert not store.is_away
    assert count(store) == 1


def test_an_interrupt_undoes_it(tmp_path: Path) -> None:
    store = made(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        interrupted(store, KeyboardInterrupt())
    assert count(store) == 1


def test_a_wrong_statement_is_a_fault(tmp_path: Path) -> None:
    store = made(tmp_path, name="approval")
    with pytest.raises(StoreAwayError, match=r"^approval: "), store.transaction() as db:
        db.execute("SELECT * FROM nowhere")
    assert store.is_away


def test_the_file_and_its_folder_are_closed_to_others(tmp_path: Path) -> None:
    store = made(tmp_path)
    count(store)
    assert store.file.stat().st_mode & 0o777 == 0o600
    assert store.file.parent.stat().st_mode & 0o777 == 0o700


def test_a_file_that_others_can_read_is_closed(tmp_path: Path) -> None:
    store = made(tmp_path)
    store.file.parent.mkdir(mode=0o700)
    store.file.touch(0o644)
    count(store)
    assert store.file.stat().st_mode & 0o777 == 0o600


def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    store = made(tmp_path)
    store.file.parent.mkdir()
    store.file.parent.chmod(0o777)
    assert "others can write to" in failure(store)


def test_a_link_is_refused(tmp_path: Path) -> None:
    store = made(tmp_path)
    store.file.parent.mkdir(mode=0o700)
    store.file.symlink_to(tmp_path / "elsewhere")
    assert "is no regular file" in failure(store)
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_of_another_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    count(made(tmp_path, version=2))
    assert "is of version 2, and this release reads 1: move it away" in failure(made(tmp_path))
    assert count(made(tmp_path, version=2)) == 2


def test_a_file_that_is_no_database_is_away_and_found_again_when_it_is_gone(
    tmp_path: Path,
) -> None:
    store = made(tmp_path, retry_after_s=0.0)
    store.file.parent.mkdir(mode=0o700)
    store.file.write_bytes(b"no database" * 1000)
    assert failure(store).startswith("sqlite: ")
    store.file.unlink()
    assert count(store) == 1


def test_a_file_that_was_moved_away_is_made_anew(tmp_path: Path) -> None:
    store = made(tmp_path)
    count(store)
    store.file.rename(tmp_path / "old")
    assert [count(store), count(made(tmp_path))] == [1, 2]


def test_a_lock_that_another_process_keeps_is_not_waited_for_longer_than_said(
    tmp_path: Path,
) -> None:
    store = made(tmp_path, busy_s=0.01, retry_after_s=0.0)
    count(store)
    other = sqlite3.connect(store.file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    told = failure(store)
    other.close()
    assert told in {"sqlite: SQLITE_BUSY", "sqlite: OperationalError"}
    assert count(store) == 2


def test_a_thread_that_keeps_the_store_is_not_waited_for_longer_than_said(tmp_path: Path) -> None:
    store = made(tmp_path, busy_s=0.01)
    told: list[str] = []
    with store.transaction():
        waiting = threading.Thread(target=lambda: told.append(failure(store)))
        waiting.start()
        waiting.join()
    assert told == ["sqlite: TimeoutError"]


def test_time_stands_still_while_the_clock_is_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = [1000.0]
    monkeypatch.setattr("hookcore_stores.sqlite.time.time", lambda: seconds[0])

    def now(store: SqliteStore) -> float:
        with store.transaction() as db:
            return store.now(db)

    store = made(tmp_path)
    assert now(store) == 1000.0
    seconds[0] = 400.0
    assert now(store) == 1000.0
    store.close()
    assert now(made(tmp_path)) == 1000.0  # another process knows it too
    seconds[0] = 1000.5
    assert now(store) == 1000.5


def _count_often(folder: Path, results: Any) -> None:
    store = made(folder, busy_s=30.0)
    results.put([count(store) for _ in range(50)])


def test_processes_that_begin_together_count_each_number_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results: Any = context.Queue()
    processes = [context.Process(target=_count_often, args=(tmp_path, results)) for _ in range(3)]
    for process in processes:
        process.start()
    counted = sorted(n for _ in processes for n in results.get())
    for process in processes:
        process.join()
    assert counted == list(range(1, 151))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_child_of_a_fork_opens_the_file_for_itself(tmp_path: Path) -> None:
    store = made(tmp_path)
    count(store)
    with store.transaction() as db:  # its parent's transaction is none of the child's
        db.execute(ADD, ("a",))
        child = os.fork()
        if child == 0:
            os._exit(0 if not store._opened and not store._lock.locked() else 1)
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert count(store) == 3


def test_a_relative_path_is_below_the_state_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_file("a.sqlite3").name == "a.sqlite3"
    assert state_file("a.sqlite3").parent.name == "hookcore"
    assert state_file(tmp_path / "b") == tmp_path / "b"


def test_a_user_without_a_home_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hookcore_stores.places.state_folder", lambda: None)
    with pytest.raises(StoreSettingsError, match="set HOME"):
        state_file("a.sqlite3")
