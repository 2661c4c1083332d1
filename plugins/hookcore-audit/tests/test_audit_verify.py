"""Attacks on a log, each told apart from the others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookcore_audit import Anchor, Report, verify
from hookcore_audit._chain import Chain
from hookcore_audit._record import GENESIS, Entry, seal
from hookcore_audit._signing import SigningKey

Make = Callable[..., Chain]
Entries = Callable[..., list[Entry]]
Lines = list[bytes]


@pytest.fixture
def log(make_chain: Make, folder: Path, entries: Entries, key: SigningKey) -> Log:
    chain = make_chain(max_bytes=4000, key=key, every=10)
    for number in range(0, 60, 3):
        chain.append(entries(3, number))
    made = Log(folder, key)
    assert made.check() == {}
    assert made.files > 3
    return made


class Log:
    """A log to be attacked, and its last record as it was kept elsewhere."""

    def __init__(self, folder: Path, key: SigningKey) -> None:
        self.folder = folder
        self.key = key
        report = verify(folder)
        assert report.last is not None
        self.files = report.files
        self.head = report.last

    def path(self, number: int) -> Path:
        return sorted(self.folder.iterdir())[number]

    def lines(self, number: int) -> Lines:
        return self.path(number).read_bytes().splitlines(keepends=True)

    def put(self, number: int, lines: Lines) -> None:
        self.path(number).write_bytes(b"".join(lines))

    def edit(self, number: int, line: int, change: Callable[[bytes], list[bytes]]) -> None:
        lines = self.lines(number)
        at = line % len(lines)
        lines[at : at + 1] = change(lines[at])
        self.put(number, lines)

    def report(self, *, anchored: bool = True, signed: bool = True) -> Report:
        keys = [self.key.public] if signed else []
        return verify(self.folder, public_keys=keys, anchors=[self.head] if anchored else [])

    def check(self, **options: bool) -> dict[str, int]:
        return dict(self.report(**options).counts)

    def make_anew(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        prev, seq = GENESIS, 0
        for number in range(self.files):
            lines = []
            for line in self.lines(number):
                fields = change(json.loads(line))
                sealed = seal(seq, prev, Entry(fields["kind"], fields["t"], fields["body"]))
                lines.append(sealed.line)
                prev, seq = sealed.hash, seq + 1
            self.put(number, lines)


def allowing(line: bytes) -> bytes:
    return line.replace(b'"deny"', b'"allow"')


def resealed(line: bytes, **body: Any) -> bytes:
    fields = json.loads(line)
    entry = Entry(fields["kind"], fields["t"], {**fields["body"], **body})
    return seal(fields["seq"], fields["prev"], entry).line


def test_a_record_that_was_edited(log: Log) -> None:
    log.edit(1, 4, lambda line: [allowing(line)])
    assert log.check() == {"edit": 1}


def test_a_record_that_was_edited_and_hashed_anew_is_told_at_the_next_one(log: Log) -> None:
    log.edit(1, 3, lambda line: [resealed(line, verdict="allow")])
    report = log.report()
    assert dict(report.counts) == {"edit": 1}
    assert report.findings[0].line == 5


def test_a_line_that_is_no_record_any_more(log: Log) -> None:
    log.edit(1, 3, lambda line: [line[:20] + b"\n"])
    assert log.check() == {"edit": 1}


def test_records_that_were_removed_are_counted(log: Log) -> None:
    lines = log.lines(1)
    log.put(1, lines[:3] + lines[6:])
    report = log.report()
    assert dict(report.counts) == {"gap": 1}
    assert "3 records are missing" in report.findings[0].text


def test_a_file_that_was_removed(log: Log) -> None:
    log.path(2).unlink()
    assert log.check() == {"gap": 1}


def test_a_second_record_after_the_same_one(log: Log) -> None:
    log.edit(1, 3, lambda line: [line, resealed(line, verdict="allow")])
    assert log.check() == {"fork": 1}


def test_a_second_chain_beside_the_first_is_one_fork(log: Log) -> None:
    lines = log.lines(1)
    other = resealed(lines[3], verdict="allow")
    fields = json.loads(other)
    more = seal(fields["seq"] + 1, fields["hash"], Entry("decision", 1, {})).line
    log.put(1, [*lines[:4], other, lines[4], more, *lines[5:]])
    assert log.check() == {"fork": 1}


def test_two_records_that_changed_places(log: Log) -> None:
    lines = log.lines(1)
    lines[3], lines[4] = lines[4], lines[3]
    log.put(1, lines)
    assert log.check() == {"order": 1}


def test_a_record_that_stands_twice(log: Log) -> None:
    log.edit(1, 3, lambda line: [line, line])
    assert log.check() == {"order": 1}


def test_a_last_line_that_is_not_whole(log: Log) -> None:
    log.edit(-1, -1, lambda line: [line, b'{"body":'])
    assert log.check() == {"torn": 1}


def test_a_line_without_its_end_before_the_last_file(log: Log) -> None:
    log.edit(1, -1, lambda line: [line.rstrip(b"\n")])
    assert log.check() == {"edit": 1}


def test_an_end_that_was_cut_off_is_told_by_an_anchor_alone(log: Log) -> None:
    log.put(-1, log.lines(-1)[:-1])
    assert log.check(anchored=False) == {}
    assert log.check() == {"truncation": 1}


def test_a_log_that_was_emptied_is_told_by_an_anchor(log: Log) -> None:
    for file in log.folder.iterdir():
        file.unlink()
    assert log.check(signed=False) == {"truncation": 1}


def test_a_log_that_was_made_anew_is_told_by_its_signatures_or_an_anchor(log: Log) -> None:
    def change(fields: dict[str, Any]) -> dict[str, Any]:
        if fields["body"].get("n") == 20:
            fields["body"]["verdict"] = "allow"
        return fields

    log.make_anew(change)
    assert log.check(anchored=False, signed=False) == {}
    assert log.check(signed=False) == {"rewritten": 1}
    assert set(log.check(anchored=False)) == {"signature", "unsigned"}


def test_a_log_that_was_made_anew_without_checkpoints_is_unsigned(log: Log) -> None:
    def change(fields: dict[str, Any]) -> dict[str, Any]:
        return {**fields, "kind": "decision"} if fields["kind"] == "checkpoint" else fields

    log.make_anew(change)
    assert log.check(anchored=False) == {"unsigned": 1}


def test_a_promise_of_fewer_signatures_is_itself_signed(log: Log) -> None:
    def change(fields: dict[str, Any]) -> dict[str, Any]:
        if fields["kind"] == "checkpoint":
            fields["body"]["every"] = 1_000_000
        return fields

    log.make_anew(change)
    assert set(log.check(anchored=False)) == {"signature", "unsigned"}


def test_signatures_of_another_key_vouch_for_nothing(log: Log) -> None:
    report = verify(log.folder, public_keys=[SigningKey().public])
    assert set(report.counts) == {"signature", "unsigned"}
    assert report.signed is None


def test_keys_that_follow_one_another_are_given_together(log: Log, make_chain: Make) -> None:
    second = SigningKey()
    make_chain(key=second, every=10).append([Entry("call", n, {}) for n in range(20)])
    assert verify(log.folder, public_keys=[log.key.public, second.public]).whole
    assert not verify(log.folder, public_keys=[second.public]).whole


def test_an_anchor_in_the_middle_is_counted(log: Log) -> None:
    first = json.loads(log.lines(1)[0])
    report = verify(log.folder, anchors=[Anchor(first["seq"], first["hash"]), log.head])
    assert (report.whole, report.anchored) == (True, 2)


def test_a_log_can_be_verified_while_its_oldest_file_goes(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    real = Path.open

    def goes(path: Path, *arguments: Any) -> Any:
        if not opened and path.parent == log.folder:
            path.unlink()
        opened.append(path)
        return real(path, *arguments)

    monkeypatch.setattr(Path, "open", goes)
    assert log.check() == {"gap": 1}  # told, since no record says that it was to go


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        verify(tmp_path / "none")


def test_findings_beyond_a_thousand_are_counted_and_not_kept(folder: Path) -> None:
    folder.mkdir()
    (folder / "audit-00000000.jsonl").write_bytes(b"x\n" * 5000)
    report = verify(folder)
    assert (report.counts["edit"], len(report.findings)) == (5000, 1000)
