"""The links between records, and what it means when they are broken."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from ._record import GENESIS, Record
from ._report import Report

__all__ = ["Links"]

_REMEMBERED: Final = 65_536
"""Records among which a second one that follows the same is told as a fork."""


@dataclass
class _Gap:
    """Numbers that were passed over: from ``first`` to before ``after``; some may come later."""

    first: int
    after: int
    file: str
    line: int
    found: int = 0


class Links:
    """Follows the chain from record to record.

    Args:
        report: where findings go.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._due = 0
        self._prev = GENESIS
        self._unread = 0
        self._started = False
        self._followers: OrderedDict[str, str] = OrderedDict()
        self._branches: dict[str, int] = {}
        self._gaps: list[_Gap] = []

    def unreadable(self) -> None:
        """Pass over a line that is no record: a number may stand for it, and a hash."""
        self._unread += 1

    def follow(self, record: Record, file: str, line: int) -> None:
        """Look at the next record.

        Args:
            record: the record.
            file: the name of its file.
            line: its line there.
        """
        if not record.whole:
            self._report.add("edit", file, line, f"record {record.seq} is not what was written")
        if not self._started or (record.seq == self._due and record.prev == self._prev):
            self._started = True
            self._go_on(record)
        elif self._is_of_a_branch(record):
            self._branches[record.hash] = record.seq + 1
        elif self._is_a_fork(record):
            self._branches[record.hash] = record.seq + 1
            self._report.add(
                "fork", file, line, f"record {record.seq}: two records follow the same one"
            )
        elif record.seq >= self._due:
            self._jump(record, file, line)
        else:
            self._step_back(record, file, line)

    def _go_on(self, record: Record) -> None:
        self._followers[record.prev] = record.hash
        if len(self._followers) > _REMEMBERED:
            self._followers.popitem(last=False)
        self._due, self._prev, self._unread = record.seq + 1, record.hash, 0

    def _is_of_a_branch(self, record: Record) -> bool:
        return self._branches.pop(record.prev, None) == record.seq

    def _is_a_fork(self, record: Record) -> bool:
        other = self._followers.get(record.prev)
        return other is not None and other != record.hash and record.seq < self._due

    def _jump(self, record: Record, file: str, line: int) -> None:
        """Go on at a record that does not follow the last one."""
        missing = record.seq - self._due - self._unread
        if missing > 0:
            first = self._due + self._unread
            self._gaps.append(_Gap(first, record.seq, file, line))
        elif not self._unread:
            what = f"record {record.seq} follows another one than stands before it: that was edited"
            self._report.add("edit", file, line, what)
        self._go_on(record)

    def _step_back(self, record: Record, file: str, line: int) -> None:
        for gap in self._gaps:
            if gap.first <= record.seq < gap.after:
                gap.found += 1
        what = f"record {record.seq} stands where {self._due} was due"
        self._report.add("order", file, line, what)

    def finish(self) -> None:
        """Tell which records are missing, now that all that come later have been seen."""
        for gap in self._gaps:
            missing = gap.after - gap.first - gap.found
            if missing > 0:
                records = "record is" if missing == 1 else "records are"
                what = f"{missing} {records} missing before record {gap.after}"
                self._report.add("gap", gap.file, gap.line, what)
