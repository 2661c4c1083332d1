"""Messages that wait: in memory, on disk, and for how long."""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from hookcore_webhook_audit._backoff import Backoff
from hookcore_webhook_audit._delivery import Outcome, Result
from hookcore_webhook_audit._event import Draft
from hookcore_webhook_audit._message import Message
from hookcore_webhook_audit._queue import QUEUE_BOUND, MessageQueue
from hookcore_webhook_audit._sender import Sender
from hookcore_webhook_audit._spool import FILE_BYTES, LEASE_SECONDS, Spool

MEBIBYTE = 1024 * 1024


def message(number: int, size: int = 10) -> Message:
    return Message(f"msg_{number}", number, b"x" * size)


def ids(messages: list[Message]) -> list[str]:
    return [each.id for each in messages]


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path / "new" / "folder" / "spool.sqlite", MEBIBYTE)


# On disk


def test_messages_come_back_oldest_first_and_whole(spool: Spool) -> None:
    spool.add([message(2), message(1)])
    assert spool.take() == message(1)
    spool.remove("msg_1")
    assert spool.take() == message(2)
    assert spool.count() == 1


def test_a_message_that_is_being_sent_is_left_alone_by_others(spool: Spool) -> None:
    spool.add([message(1), message(2)])
    other = Spool(spool.file, MEBIBYTE)
    assert (spool.take(), other.take(), other.take()) == (message(1), message(2), None)


def test_what_a_process_took_and_never_gave_back_is_free_after_a_while(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool.add([message(1)])
    spool.take()
    now = time.time()
    for later in (LEASE_SECONDS + 1, -10_000.0):  # the clock may also be set back
        monkeypatch.setattr(time, "time", lambda later=later: now + later)
        assert spool.take() == message(1)


def test_an_attempt_in_vain_is_counted(spool: Spool) -> None:
    spool.add([message(1)])
    spool.take()
    spool.put_back("msg_1")
    again = spool.take()
    assert again is not None
    assert again.attempts == 1


def test_a_message_is_kept_once(spool: Spool) -> None:
    spool.add([message(1)])
    spool.add([message(1), message(2)])
    assert spool.count() == 2


def test_when_it_is_full_the_oldest_go_and_are_counted(spool: Spool) -> None:
    dropped = sum(spool.add([message(number, 10_000)]) for number in range(300))
    assert dropped > 150
    assert spool.count() == 300 - dropped
    oldest = spool.take()
    assert oldest is not None
    assert oldest.id == f"msg_{dropped}"


def test_its_file_never_outgrows_the_bound(spool: Spool) -> None:
    for start in range(0, 4000, 100):
        spool.add([message(number, 900) for number in range(start, start + 100)])
        assert spool.file.stat().st_size <= MEBIBYTE * 1.1


def test_more_at_once_than_there_is_room_for_leaves_the_newest(spool: Spool) -> None:
    spool.add([message(0)])
    dropped = spool.add([message(number, 100_000) for number in range(1, 30)])
    assert dropped >= 24
    assert spool.count() == 30 - dropped
    assert spool.file.stat().st_size <= MEBIBYTE * 1.1


def test_one_message_may_take_nearly_all_of_it(spool: Spool) -> None:
    large = MEBIBYTE - FILE_BYTES - 1024
    for number in range(3):
        assert spool.add([message(number, large)]) == (number > 0)
        assert spool.count() == 1
        assert spool.file.stat().st_size <= MEBIBYTE * 1.1
    assert spool.add([message(9, MEBIBYTE)]) == 1
    taken = spool.take()
    assert taken is not None
    assert taken.id == "msg_2"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_nobody_else_can_read_it(spool: Spool) -> None:
    spool.add([message(1)])
    assert stat.S_IMODE(spool.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(spool.file.parent.stat().st_mode) == 0o700


def test_looking_into_one_that_is_not_there_makes_none(spool: Spool) -> None:
    assert (spool.take(), spool.count()) == (None, 0)
    spool.remove("msg_1")
    assert not spool.file.exists()


def test_threads_that_share_it_take_each_message_once(spool: Spool) -> None:
    spool.add([message(number) for number in range(40)])
    taken: list[str] = []

    def work() -> None:
        while (one := Spool(spool.file, MEBIBYTE).take()) is not None:
            taken.append(one.id)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(f"msg_{number}" for number in range(40))


# In memory


def test_a_full_queue_gives_all_it_has_for_a_new_message() -> None:
    queue = MessageQueue()
    moved = [queue.append(message(number)) for number in range(QUEUE_BOUND + 1)]
    assert moved[:-1] == [[]] * QUEUE_BOUND
    assert ids(moved[-1]) == [f"msg_{number}" for number in range(QUEUE_BOUND)]
    assert ids(queue.clear()) == [f"msg_{QUEUE_BOUND}"]


def test_a_queue_is_full_by_bytes_too() -> None:
    queue = MessageQueue()
    moved = [queue.append(message(number, MEBIBYTE)) for number in range(17)]
    assert [len(each) for each in moved] == [0] * 16 + [16]


def test_what_is_put_back_is_the_oldest_and_what_has_no_room_is_counted() -> None:
    queue = MessageQueue()
    queue.append(message(QUEUE_BOUND + 5))
    assert queue.put_back([message(number) for number in range(QUEUE_BOUND + 5)]) == 6
    first = queue.pop()
    assert first is not None
    assert first.id == "msg_6"
    assert len(queue) == QUEUE_BOUND - 1


# For how long


def test_each_wait_is_about_twice_the_one_before_up_to_the_bound() -> None:
    backoff = Backoff(1.0, 10.0)
    waits = []
    for _ in range(100):
        backoff.failed()
        waits.append(backoff.left())
    for number, wait in enumerate(waits):
        assert min(10, 0.8 * 2**number) - 0.1 <= wait <= min(10, 1.2 * 2**number)


def test_a_success_ends_the_waiting() -> None:
    backoff = Backoff(1.0, 10.0)
    backoff.failed(5)
    assert backoff.left() > 4
    backoff.succeeded()
    assert (backoff.left(), backoff.failures) == (0, 0)


# A disk that does not do


class Nowhere:
    """A receiver that is away until ``here`` is set."""

    destination = "https://a.example"

    def __init__(self) -> None:
        self.here = threading.Event()
        self.got: list[str] = []

    def attempt(self, message: Message) -> Result:
        if not self.here.is_set():
            return Result(Outcome.FAILED, "away")
        self.got.append(message.id)
        return Result(Outcome.DELIVERED)


def sender_without_disk(tmp_path: Path, receiver: Any) -> Sender:
    file = tmp_path / "spool.sqlite"
    file.write_bytes(b"this is no database, but long enough to be looked at" * 100)
    return Sender(receiver, Spool(file, MEBIBYTE), Backoff(0.01, 0.05))


def test_without_a_disk_messages_wait_in_memory_and_arrive_in_order(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    receiver = Nowhere()
    sender = sender_without_disk(tmp_path, receiver)
    for number in range(5):
        sender.put(message(number))
    time.sleep(0.1)
    receiver.here.set()
    end = time.monotonic() + 10
    while len(receiver.got) < 5 and time.monotonic() < end:
        time.sleep(0.01)
    sender.close()
    assert receiver.got == [f"msg_{number}" for number in range(5)]
    assert "cannot be used (DatabaseError)" in caplog.text


def test_without_a_disk_the_oldest_are_dropped_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    receiver = Nowhere()
    sender = sender_without_disk(tmp_path, receiver)
    for number in range(QUEUE_BOUND + 100):
        sender.put(message(number))
    assert not sender.flush(1)
    receiver.here.set()
    sender.flush()
    sender.close()
    assert 95 <= QUEUE_BOUND + 100 - len(receiver.got) <= 105
    assert receiver.got[-1] == f"msg_{QUEUE_BOUND + 99}"
    errors = [each.getMessage() for each in caplog.records if each.levelno == logging.ERROR]
    assert len(errors) == 2
    assert "dropped so far, the oldest first" in " ".join(errors)


def test_whatever_goes_wrong_at_an_attempt_is_told_without_its_text_and_nothing_is_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Odd(Nowhere):
        def attempt(self, message: Message) -> Result:
            if not self.got:
                self.got.append("failed")
                raise RuntimeError("S3CR3T")
            return super().attempt(message)

    receiver = Odd()
    receiver.here.set()
    sender = Sender(
        receiver,  # type: ignore[arg-type]
        Spool(tmp_path / "spool.sqlite", MEBIBYTE),
        Backoff(0.01, 0.05),
    )
    sender.put(message(1))
    sender.put(message(2))
    end = time.monotonic() + 10
    while "msg_2" not in receiver.got and time.monotonic() < end:
        time.sleep(0.01)
    sender.close()
    assert receiver.got == ["failed", "msg_1", "msg_2"]
    assert "does not take messages (RuntimeError)" in caplog.text
    assert "S3CR3T" not in caplog.text


class Hanging(Nowhere):
    """A receiver that says nothing until ``here`` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.began = threading.Event()

    def attempt(self, message: Message) -> Result:
        self.began.set()
        self.here.wait(30)
        return super().attempt(message)


def test_what_hangs_when_a_flush_is_over_is_on_disk_and_counted_once(tmp_path: Path) -> None:
    receiver: Any = Hanging()
    sender = Sender(receiver, Spool(tmp_path / "spool.sqlite", MEBIBYTE), Backoff(0.01, 0.05))
    for number in range(3):
        sender.put(message(number))
    assert receiver.began.wait(10)
    for _ in range(2):
        assert sender.flush(0.05)
        stats = sender.stats()
        assert (stats.queued, stats.spooled, stats.delivered) == (0, 3, 0)
    receiver.here.set()
    end = time.monotonic() + 10
    while len(receiver.got) < 3 and time.monotonic() < end:
        time.sleep(0.01)
    sender.close()
    stats = sender.stats()
    assert (stats.queued, stats.spooled, stats.delivered, stats.dropped) == (0, 0, 3, 0)
    assert receiver.got == ["msg_0", "msg_1", "msg_2"]


def test_what_hangs_is_counted_once_without_a_disk_too(tmp_path: Path) -> None:
    receiver = Hanging()
    sender = sender_without_disk(tmp_path, receiver)
    sender.put(message(0))
    assert receiver.began.wait(10)
    assert not sender.flush(0.05)
    assert len(sender._queue) + (sender._sending is not None) == 1
    receiver.here.set()
    assert sender.flush()
    sender.close()
    assert receiver.got == ["msg_0"]


def test_the_thread_ends_when_it_is_closed_and_begins_again_with_the_next_message(
    tmp_path: Path,
) -> None:
    def running() -> int:
        return sum(thread.name == "webhook-audit" for thread in threading.enumerate())

    receiver: Any = Nowhere()
    receiver.here.set()
    sender = Sender(receiver, Spool(tmp_path / "spool.sqlite", MEBIBYTE), Backoff(0.01, 0.05))
    before = running()
    for number in range(2):
        sender.put(message(number))
        assert running() == before + 1
        sender.close()
        assert running() == before
    assert receiver.got == ["msg_0", "msg_1"]


@pytest.mark.parametrize("bursts", [1, 4])
def test_a_burst_over_the_queue_leaves_in_the_order_in_which_it_came(
    tmp_path: Path, bursts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = 40
    monkeypatch.setattr("hookcore_webhook_audit._queue.QUEUE_BOUND", bound)
    monkeypatch.setattr("hookcore_webhook_audit._sender._DRAFTS", 3 * bound)

    class Slow(Nowhere):
        """A receiver that is busy with the first message while the others come."""

        def attempt(self, message: Message) -> Result:
            self.here.wait(30)
            return super().attempt(message)

    receiver: Any = Slow()
    sender = Sender(receiver, Spool(tmp_path / "spool.sqlite", 8 * MEBIBYTE), Backoff(0.01, 0.05))
    sender.put(message(0))
    number = bound + bound // 2
    for burst in range(bursts):
        for at in range(number):
            sender.put(message(1 + burst * number + at))
        receiver.here.set()
    end = time.monotonic() + 60
    while len(receiver.got) <= number * bursts and time.monotonic() < end:
        time.sleep(0.01)
    sender.close()
    assert receiver.got == [f"msg_{at}" for at in range(number * bursts + 1)]
    assert sender.stats().dropped == 0


def test_what_cannot_be_made_into_a_message_stops_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        def finished(self, draft: Draft) -> Message:
            raise RuntimeError("S3CR3T")

    receiver: Any = Nowhere()
    receiver.here.set()
    sender = Sender(receiver, Spool(tmp_path / "spool.sqlite", MEBIBYTE), Backoff(0.01, 0.05))
    broken: Any = Broken()
    sender.put(Draft(0, "s", 1, {}, None, None, broken))
    sender.put(message(1))
    sender.close()
    assert receiver.got == ["msg_1"]
    assert sender.stats().dropped == 1
    assert "a message cannot be made: RuntimeError" in caplog.text
    assert "S3CR3T" not in caplog.text


def test_the_spool_is_a_plain_database(spool: Spool) -> None:
    spool.add([message(1)])
    connection = sqlite3.connect(os.fspath(spool.file))
    try:
        assert connection.execute("SELECT id, attempts FROM messages").fetchall() == [("msg_1", 0)]
    finally:
        connection.close()
