"""The result of the verification of a log."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

__all__ = ["Anchor", "Finding", "Kind", "Report"]

Kind = Literal[
    "edit", "gap", "fork", "order", "torn", "truncation", "rewritten", "signature", "unsigned"
]
_MOST_KEPT: Final = 1000


class Anchor(NamedTuple):
    """A record's number and hash, such as they are kept elsewhere."""

    seq: int
    hash: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a log.

    Args:
        kind: ``edit``, a record is not what was written; ``gap``, records are missing; ``fork``,
            two follow the same one; ``order``, one stands where another belongs; ``torn``, the
            last line is not whole; ``truncation``, the log ends before an anchor;
            ``rewritten``, a record is not the anchored one; ``signature``, a signature is not the
            key's; ``unsigned``, signatures are missing.
        file: the file's name; None for the log as a whole.
        line: the line in it, from 1.
        text: what is wrong.
    """

    kind: Kind
    file: str | None
    line: int | None
    text: str

    def __str__(self) -> str:
        where = "" if self.file is None else f"{self.file}, line {self.line}: "
        return f"{self.kind}: {where}{self.text}"


@dataclass
class Report:
    """The state of a log.

    Args:
        records: how many there are.
        files: how many files they lie in.
        first: the number of the first one; None in an empty log.
        last: the last one, to be kept as an anchor; None in an empty log.
        signed: the number of the last record that a valid signature vouches for; None without.
        anchored: how many of the given anchors are records of this log.
        repairs: the numbers of the records that tell of a line that was cut off.
        lost: how many decisions and calls the log says were never written.
        findings: what is wrong; at most 1,000 are kept.
        counts: how many there are of each kind.
    """

    records: int = 0
    files: int = 0
    first: int | None = None
    last: Anchor | None = None
    signed: int | None = None
    anchored: int = 0
    repairs: list[int] = field(default_factory=list)
    lost: int = 0
    findings: list[Finding] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def whole(self) -> bool:
        """True when nothing is wrong."""
        return not self.counts

    def add(self, kind: Kind, file: str | None, line: int | None, text: str) -> None:
        """Note that something is wrong."""
        self.counts[kind] += 1
        if len(self.findings) < _MOST_KEPT:
            self.findings.append(Finding(kind, file, line, text))
