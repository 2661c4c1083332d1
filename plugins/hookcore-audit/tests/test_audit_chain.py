"""Appending: rotation, pruning, and what other processes and a full disk have left."""

from __future__ import annotations

import json
import os
import resource
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hookcore_audit import PlaceError, verify
from hookcore_audit._chain import BrokenLogError, Chain
from hookcore_audit._folder import Lock
from hookcore_audit._record import Entry
from hookcore_audit._signing import SigningKey

Entries = Callable[..., list[Entry]]
Make = Callable[..., Chain]


def lines(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.iterdir())
    return [json.loads(line) for file in files for line in file.read_bytes().splitlines()]


@contextmanager
def disk_with_room_for(size: int) -> Iterator[None]:
    """Let files grow to a size only, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_records_are_numbered_and_follow_one_another(
    chain: Chain, folder: Path, entries: Entries
) -> None:
    head = chain.append(entries(3))
    found = lines(folder)
    assert [each["seq"] for each in found] == [0, 1, 2]
    assert [each["prev"] for each in found[1:]] == [each["hash"] for each in found[:-1]]
    assert (head.seq, head.hash) == (2, found[-1]["hash"])


def test_only_the_owner_can_read_a_log(chain: Chain, folder: Path, entries: Entries) -> None:
    chain.append(entries(1))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}


def test_a_log_is_continued_by_another_process(make_chain: Make, entries: Entries) -> None:
    first, second = make_chain(), make_chain()
    for number in range(6):
        (first if number % 2 else second).append(entries(1, number))
    report = verify(first._folder)
    assert (report.records, report.whole) == (6, True)


def test_a_full_file_is_followed_by_another(
    make_chain: Make, folder: Path, entries: Entries
) -> None:
    chain, other = make_chain(max_bytes=1000), make_chain(max_bytes=1000)
    for number in range(20):
        (chain if number % 2 else other).append(entries(1, number))
    report = verify(folder)
    assert (report.records, report.whole) == (20, True)
    assert report.files > 3


def test_the_oldest_files_go_and_the_log_says_so(
    make_chain: Make, folder: Path, entries: Entries, key: SigningKey
) -> None:
    chain = make_chain(max_bytes=1000, keep_files=2, key=key, every=10)
    for number in range(40):
        chain.append(entries(1, number))
    report = verify(folder, public_keys=[key.public])
    assert report.files == 2
    assert report.first is not None
    assert report.first > 0
    assert report.findings == []


def test_a_log_whose_first_files_were_removed_by_hand_has_a_gap(
    make_chain: Make, folder: Path, entries: Entries
) -> None:
    chain = make_chain(max_bytes=1000)
    for number in range(20):
        chain.append(entries(1, number))
    min(folder.iterdir()).unlink()
    assert set(verify(folder).counts) == {"gap"}


def test_a_forged_word_on_removed_files_counts_only_when_it_is_signed(
    make_chain: Make, folder: Path, entries: Entries, key: SigningKey
) -> None:
    chain = make_chain(max_bytes=1000, key=key, every=10)
    for number in range(20):
        chain.append(entries(1, number))
    oldest = min(folder.iterdir())
    last = json.loads(oldest.read_bytes().splitlines()[-1])
    oldest.unlink()
    make_chain().append([Entry("pruned", 1, {"seq": last["seq"], "head": last["hash"]})])
    assert verify(folder).whole
    assert set(verify(folder, public_keys=[key.public]).counts) == {"gap", "signature"}


def test_a_line_that_a_killed_writer_left_is_cut_off_and_told(
    chain: Chain, folder: Path, entries: Entries
) -> None:
    chain.append(entries(2))
    with (folder / "audit-00000000.jsonl").open("ab") as file:
        file.write(b'{"body":{"poi')
    assert set(verify(folder).counts) == {"torn"}
    chain.append(entries(1, 2))
    assert [each["kind"] for each in lines(folder)] == ["decision"] * 2 + ["repair", "decision"]
    assert lines(folder)[2]["body"] == {"cut_bytes": 13}
    report = verify(folder)
    assert (report.whole, report.repairs) == (True, [2])


def test_a_torn_line_is_told_though_another_process_is_the_first_to_look(
    make_chain: Make, folder: Path, entries: Entries
) -> None:
    make_chain().append(entries(1))
    with (folder / "audit-00000000.jsonl").open("ab") as file:
        file.write(b"{")
    make_chain().check()
    make_chain().append(entries(1, 1))
    assert verify(folder).repairs == [1]


def test_nothing_of_a_batch_is_left_when_the_disk_is_full(
    chain: Chain, folder: Path, entries: Entries
) -> None:
    chain.append(entries(10))
    size = (folder / "audit-00000000.jsonl").stat().st_size
    with disk_with_room_for(size + 100), pytest.raises(OSError, match="too large"):
        chain.append(entries(5, 10))
    assert (folder / "audit-00000000.jsonl").stat().st_size == size
    chain.append(entries(5, 10))
    assert [each["body"]["n"] for each in lines(folder)] == list(range(15))
    assert verify(folder).whole


def test_what_was_appended_stands_though_the_next_file_cannot_be_begun(
    make_chain: Make, folder: Path, entries: Entries, caplog: pytest.LogCaptureFixture
) -> None:
    chain = make_chain(max_bytes=1000)
    (tmp := folder.parent / "elsewhere").touch()
    chain.append(entries(2))
    (folder / "audit-00000001.jsonl").symlink_to(tmp)
    with pytest.raises(OSError, match="links"):
        chain.append(entries(1, 2))
    (folder / "audit-00000001.jsonl").unlink()
    chain.append(entries(8, 2))
    assert [each["body"]["n"] for each in lines(folder)] == list(range(10))
    assert "rotated" not in caplog.text


def test_a_rotation_that_fails_is_told_once_and_tried_again(
    make_chain: Make,
    folder: Path,
    entries: Entries,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chain = make_chain(max_bytes=1000)

    def fails(_: int) -> None:
        raise OSError("no")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fails)
        for number in range(0, 20, 10):
            chain.append(entries(10, number))
    assert len(caplog.records) == 1
    chain.append(entries(1, 20))
    chain.append(entries(1, 21))
    report = verify(folder)
    assert (report.records, report.files, report.whole) == (22, 2, True)


def test_a_log_that_was_moved_away_begins_anew(
    chain: Chain, folder: Path, entries: Entries
) -> None:
    chain.append(entries(2))
    folder.rename(folder.with_name("old"))
    chain.append(entries(1))
    assert [each["seq"] for each in lines(folder)] == [0]
    assert verify(folder.with_name("old")).records == 2


def test_nothing_follows_a_last_line_that_is_no_record(
    chain: Chain, folder: Path, entries: Entries
) -> None:
    chain.append(entries(2))
    with (folder / "audit-00000000.jsonl").open("ab") as file:
        file.write(b"{}\n")
    with pytest.raises(BrokenLogError, match=r"last line of .* is no record"):
        chain.append(entries(1))
    assert set(verify(folder).counts) == {"edit"}


def test_a_writer_waits_for_the_lock_in_bounded_time(
    chain: Chain, folder: Path, entries: Entries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hookcore_audit._chain._LOCK_SECONDS", 0.01)
    chain.append(entries(1))
    with Lock(folder).held(0), pytest.raises(TimeoutError, match="holds the lock"):
        chain.append(entries(1, 1))
    chain.append(entries(1, 1))
    assert verify(folder).records == 2


@pytest.mark.parametrize("made", ["open", "link", "file"])
def test_a_folder_that_others_may_change_is_refused(
    made: str, chain: Chain, folder: Path, tmp_path: Path
) -> None:
    if made == "open":
        folder.mkdir()
        folder.chmod(0o777)
    elif made == "link":
        (tmp_path / "real").mkdir()
        folder.symlink_to(tmp_path / "real")
    else:
        folder.touch()
    with pytest.raises((PlaceError, FileExistsError)):
        chain.check()


def test_a_file_that_others_may_write_is_refused(
    chain: Chain, make_chain: Make, folder: Path, entries: Entries
) -> None:
    chain.append(entries(1))
    (folder / "audit-00000000.jsonl").chmod(0o666)
    with pytest.raises(PlaceError, match="only you can write"):
        make_chain().append(entries(1, 1))


def test_a_body_without_a_canonical_form_stands_in_nobody_s_way(
    chain: Chain, folder: Path, entries: Entries
) -> None:
    chain.append([Entry("decision", 1, {"n": float("nan")}), *entries(1)])
    assert [each["kind"] for each in lines(folder)] == ["unreadable", "decision"]
    assert verify(folder).whole


def test_clocks_that_jump_change_times_and_no_order(chain: Chain, folder: Path) -> None:
    for at in (5_000_000, 1, 9_000_000_000):
        chain.append([Entry("call", at, {})])
    assert [(each["seq"], each["t"]) for each in lines(folder)] == [
        (0, 5_000_000),
        (1, 1),
        (2, 9_000_000_000),
    ]
    assert verify(folder).whole
