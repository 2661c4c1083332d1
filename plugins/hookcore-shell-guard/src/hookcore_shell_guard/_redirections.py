"""The words and redirections of one text: the part of the walk that goes no deeper."""

from __future__ import annotations

import itertools
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol

from ._call import Reads
from ._grammar import Source
from ._scanned import RefusedError
from ._state import State
from ._words import UNKNOWN, WordReader
from .commands import Redirection, Segment, Word

if TYPE_CHECKING:
    from tree_sitter import Node

_DESCRIPTOR: Final = re.compile(r"\d+-?|-")
_WORD_ENDS: Final = ("", " ", "\t", "\n", ";", "&", "|", ")")
REDIRECT: Final = "file_redirect"
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[|$)")


class Readings(Reads, Protocol):
    """The reading that a walk adds segments to."""

    def read_body(self, text: str, state: State, via: tuple[str, ...], depth: int) -> None:
        """Add the segments of the substitutions in a heredoc's body."""


class RedirectionWalk(ABC):
    """Reads words, assignments and redirections.

    Args:
        reading: where segments go.
        source: the parsed text.
        state: what is known where the text begins.
        via: the wrappers around it.
        depth: how deep it is nested.
    """

    def __init__(
        self, reading: Readings, source: Source, state: State, via: tuple[str, ...], depth: int
    ) -> None:
        self._reading = reading
        self._source = source
        self._via = via
        self._depth = depth
        self._open = 0
        self.state = state
        self._reader = WordReader(source, self.substitution, self._value, self._forget)

    def _value(self, name: str) -> Word | None:
        return self.state.get(name)

    def _forget(self, name: str) -> None:
        self.state.forget(name)

    @abstractmethod
    def substitution(self, node: Node) -> None:
        """Walk what a substitution runs."""

    def _add(self, segment: Segment) -> None:
        segment.via = self._via
        self._reading.found.append(segment)

    def _redirection(
        self, node: Node, redirections: list[Redirection], words: list[Word]
    ) -> Word | None:
        """Read one redirection; return the text that it gives as standard input, if it does.

        The grammar takes the words after the target for targets too: they are arguments.
        """
        operator, named = self._operator(node)
        groups = self._groups(named)
        closes = operator.type.endswith("-")
        if not closes:
            self._check_target(operator, named)
        for extra in groups if closes else groups[1:]:
            words.extend(self._reader.grouped(extra))
        if closes:
            return None
        if operator.start_byte in self._source.marks:
            return self._heredoc(int(self._source.text(named[0])[1:3]))
        if operator.start_byte in self._source.strings:
            return self._reader.word(*groups[0])
        target = self._reader.grouped(groups[0])
        first = target[0] if len(target) == 1 else Word(self._source.text(named[0]), ())
        if operator.type in (">&", "<&") and _DESCRIPTOR.fullmatch(first.text or ""):
            return None
        redirections.append(Redirection("<" if operator.type == "<&" else operator.type, first))
        return None

    def _operator(self, node: Node) -> tuple[Node, list[Node]]:
        """Return a redirection's operator and the words after it."""
        self._source.check_gaps(node, node.children, " \t\n")
        named: list[Node] = []
        operator: Node | None = None
        for child in node.children:
            if not child.is_named:
                operator = operator or child
            elif child.type != "file_descriptor":
                named.append(child)
            elif not self._source.text(child).isdigit():
                raise RefusedError("a redirection is not understood")
        if operator is None or any(child.type == "comment" for child in named):
            raise RefusedError("a redirection is not understood")
        if operator.type.endswith("-") and self._source.after(operator) not in _WORD_ENDS:
            raise RefusedError("a redirection is not understood")
        return operator, named

    def _check_target(self, operator: Node, named: Sequence[Node]) -> None:
        """Refuse a target on another line, and a number that is the next redirection's."""
        if not named:
            raise RefusedError("a redirection has no target")
        between = self._source.between(operator.end_byte, named[0].start_byte)
        number = self._source.text(named[0]).isdigit()
        if "\n" in between or (number and self._source.after(named[0]) in ("<", ">")):
            raise RefusedError("a redirection has no target")

    def _heredoc(self, number: int) -> Word:
        doc = self._source.heredocs[number]
        computed = doc.expands and any(mark in doc.body for mark in ("$", "`"))
        if not computed:
            return Word("", (doc.body,))
        self._reading.read_body(doc.body, self.state.copy(), self._via, self._depth + 1)
        return Word("", ())

    def _dashes(self, node: Node) -> int:
        """Count the words ``-`` before a redirection: the grammar leaves them out."""
        found = 0
        children = node.children
        for child, following in itertools.pairwise(children):
            skipped = self._source.between(child.end_byte, following.start_byte).split()
            if any(text != "-" for text in skipped):
                raise RefusedError("a part of it is not understood")
            found += len(skipped)
        return found

    def _groups(self, children: Sequence[Node]) -> list[list[Node]]:
        """Put together the nodes between which no blank stands: they are one word."""
        groups: list[list[Node]] = []
        end = -1
        for child in children:
            kind = child.type
            if kind == REDIRECT:
                groups.append([child])
                end = -1
            elif end >= 0 and child.is_named and self._source.adjacent(end, child):
                if not groups[-1][0].is_named or kind == "variable_assignment":
                    raise RefusedError("words run together")
                groups[-1].append(child)
                end = child.end_byte
            else:
                groups.append([child])
                end = child.end_byte
        return groups

    def _named_value(self, node: Node, *, braces: bool = False) -> tuple[str, Word]:
        """Return an assignment's variable and value; after ``export`` braces are expanded."""
        left = node.child_by_field_name("name")
        right = node.child_by_field_name("value")
        name = self._source.text(left) if left is not None else ""
        read = self._reader.declared if braces else self._reader.word
        value = read(right) if right is not None else Word("", ("",))
        if not _NAME.match(name):
            raise RefusedError("an assignment is not understood")
        if left is not None and left.type != "variable_name":
            self._reader.visit(left)
            return name.split("[", 1)[0], UNKNOWN
        if any(child.type == "+=" for child in node.children):
            return name, UNKNOWN
        return name, value
