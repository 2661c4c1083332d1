"""The heredocs of a text: cut out, and a mark left in the place of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ._pass import Pass
from ._scanned import Heredoc, RefusedError

MAX_HEREDOCS: Final = 99
MARK: Final = "9{:02}9"
"""The number that stands in place of a heredoc's body, as a descriptor: ``<&9NN9``."""
_HEREDOC: Final = re.compile(
    r"<<(-?)[ \t]*((?:'[^'\n]*'|\"[^\"\n\\$`]*\"|\\[^\n]|[^\s;&|<>()'\"\\`$])+)"
)


@dataclass(slots=True)
class _Pending:
    number: int
    end: str
    tabs: bool
    level: int


class HeredocPass(Pass):
    """The part of a pass that cuts heredocs out."""

    __slots__ = ("pending",)

    def __init__(self, text: str, docs: list[Heredoc], depth: int) -> None:
        super().__init__(text, docs, depth)
        self.pending: list[_Pending] = []

    def heredoc(self) -> None:
        found = _HEREDOC.match(self.text, self.at)
        if found is None:
            raise RefusedError("the end word of a heredoc cannot be read")
        number = len(self.docs)
        if number > MAX_HEREDOCS:
            raise RefusedError("it has too many heredocs")
        end = re.sub(r"['\"]|\\(.)", r"\1", found[2])
        expands = not re.search(r"['\"\\]", found[2])
        self.docs.append(Heredoc("", expands))
        self.pending.append(_Pending(number, end, found[1] == "-", len(self.stack)))
        self.claims.append((self.size, "<&"))
        self.emit(f"<&{MARK.format(number)} ", found.end() - self.at)

    def newline(self, top: str) -> None:
        self.emit("\n", 1)
        self.word = False
        if not self.pending:
            return
        if top not in ("", "(", "$(") or any(doc.level != len(self.stack) for doc in self.pending):
            raise RefusedError("a heredoc begins inside a bracket and ends outside")
        for doc in self.pending:
            self.docs[doc.number].body = self.body(doc, expands=self.docs[doc.number].expands)
        self.pending = []

    def body(self, doc: _Pending, *, expands: bool) -> str:
        lines: list[str] = []
        joined = ""
        while self.at < len(self.text):
            end = self.text.find("\n", self.at)
            end = len(self.text) if end < 0 else end
            line = self.text[self.at : end]
            self.at = end + 1
            if doc.tabs and not joined:
                line = line.lstrip("\t")
            # In a body that expands, a continued line is one line, its end word included.
            if expands and (len(line) - len(line.rstrip("\\"))) % 2:
                joined += line[:-1]
                continue
            line, joined = joined + line, ""
            if line == doc.end:
                return "\n".join([*lines, ""]) if lines else ""
            lines.append(line)
        raise RefusedError("a heredoc has no end line")
