"""The things that vouch for a log: signatures in it, anchors outside, a word on its beginning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ._chain import START
from ._record import Record
from ._report import Anchor, Report
from ._signing import PublicKey, What

__all__ = ["Seals"]


class Seals:
    """Looks at what records say of the log itself.

    Args:
        report: where findings go.
        keys: the keys that may have signed it.
        anchors: records as they were kept elsewhere.
    """

    def __init__(
        self, report: Report, keys: Sequence[PublicKey], anchors: Iterable[Anchor]
    ) -> None:
        self._report = report
        self._keys = keys
        self._wanted: dict[int, set[str]] = {}
        for anchor in anchors:
            self._wanted.setdefault(anchor.seq, set()).add(anchor.hash)
        self._seen: dict[int, set[str]] = {}
        self._start: Anchor | None = None
        self._start_is_told = False
        self._every: int | None = None
        self._since = 0
        self._too_many = False

    def look(self, record: Record, file: str, line: int) -> None:
        """Look at the next record.

        Args:
            record: the record.
            file: the name of its file.
            line: its line there.
        """
        if self._start is None:
            self._start = Anchor(record.seq - 1, record.prev)
        if record.seq in self._wanted:
            self._seen.setdefault(record.seq, set()).add(record.hash)
        if record.kind == "checkpoint":
            self._checkpoint(record, file, line)
            return
        self._since += 1
        self._count_unsigned(file, line)
        if record.kind == "pruned" and record.whole:
            self._pruned(record, file, line)
        elif record.kind == "repair":
            self._report.repairs.append(record.seq)
        elif record.kind == "lost" and type(record.body.get("count")) is int:
            self._report.lost += record.body["count"]

    def _checkpoint(self, record: Record, file: str, line: int) -> None:
        every = record.body.get("every")
        if not self._keys or not record.whole:
            return
        before = Anchor(record.seq - 1, record.prev)
        if type(every) is not int or not self._vouched("checkpoint", record, before, every):
            what = f"the checkpoint {record.seq} is not signed by a key that was given"
            self._report.add("signature", file, line, what)
            return
        if self._every is None:
            self._every = every
            self._count_unsigned(file, line)  # those before it, now that it is known how many
        self._every, self._since, self._too_many = every, 0, False
        self._report.signed = record.seq - 1

    def _vouched(self, what: What, record: Record, head: Anchor, every: int = 0) -> bool:
        signature = record.body.get("sig")
        return any(key.vouches(what, head, every, signature) for key in self._keys)

    def _count_unsigned(self, file: str, line: int) -> None:
        if self._every is None or self._since <= self._every + 1 or self._too_many:
            return
        self._too_many = True
        what = f"more than {self._every} records follow one another without a checkpoint"
        self._report.add("unsigned", file, line, what)

    def _pruned(self, record: Record, file: str, line: int) -> None:
        body = record.body
        start = self._start
        if start is None or [body.get("seq"), body.get("head")] != list(start):
            return
        if self._keys and not self._vouched("pruned", record, start):
            what = f"record {record.seq} tells of removed files and is not signed by a given key"
            self._report.add("signature", file, line, what)
            return
        self._start_is_told = True

    def finish(self) -> None:
        """Tell what is missing, now that all records were seen."""
        start = self._start
        if start is not None and start != START and not self._start_is_told:
            what = f"the log begins at record {start.seq + 1}, and nothing in it tells why"
            self._report.add("gap", None, None, what)
        if self._keys and self._every is None:
            what = "no checkpoint is signed by a key that was given"
            self._report.add("unsigned", None, None, what)
        last = -1 if self._report.last is None else self._report.last.seq
        for seq, hashes in sorted(self._wanted.items()):
            self._anchor(seq, hashes, last)

    def _anchor(self, seq: int, hashes: set[str], last: int) -> None:
        report, seen = self._report, self._seen.get(seq, set())
        report.anchored += len(hashes & seen)
        if seq > last:
            ends = "is empty" if last < 0 else f"ends at record {last}"
            report.add("truncation", None, None, f"the log {ends}, an anchor is of {seq}")
        elif hashes - seen and (seen or seq > (report.first or 0)):
            report.add("rewritten", None, None, f"record {seq} is not the one that was anchored")
