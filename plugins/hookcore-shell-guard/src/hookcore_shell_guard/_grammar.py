"""The grammar of bash, loaded when it is first needed."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from time import thread_time
from typing import TYPE_CHECKING, Final

import tree_sitter_bash
from tree_sitter import Language, Parser

from ._scanned import RefusedError, Scanned

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_NODES: Final = 6_000
"""The most syntax nodes that are read: a bound on the time that a judgement takes."""

MAX_PIPES: Final = 1_500
MAX_FUNCTIONS: Final = 200
MAX_LOOKED_AT: Final = 1_500_000
MAX_CLAIMS: Final = 1_000
SURELY_FAST: Final = 2_000
GRACE: Final = 0.05
SECONDS_PER_BYTE: Final = 2e-6
"""The longest that the grammar may work at a byte; in an honest command it takes a tenth."""

_LANGUAGE: Final = Language(tree_sitter_bash.language())
_EXPECTED: Final = {
    "#": ("comment",),
    "'": ("raw_string", "ansi_c_string"),
    "$(": ("$(",),
    "<&": ("<&",),
    "<<<": ("<",),
    "text": ("string_content",),
    '"': ('"',),
    "9": ("file_descriptor",),
    ">": (">",),
}
_BODY_START: Final = 2
"""The offset of the string that holds a heredoc's body."""

_EVALUATES: Final = re.compile(
    r"\(\(|\[[^\]]*[A-Za-z_]|\s-(?:eq|ne|lt|le|gt|ge|v)\s|\blet\b|\b(?:declare|typeset|local)\s+-\w*i"
)
_FAR: Final = re.compile(r"[^\x00-\x7f]")


def _is_slow(text: str) -> bool:
    """Return whether the grammar would take more than linear time that is felt."""
    if text.count("|") > MAX_PIPES or text.count("()") > MAX_FUNCTIONS:
        return True
    # At each of these marks its scanner looks ahead to the end of the word.
    return len(text) ** 2 > MAX_LOOKED_AT and any(
        len(word) * (word.count("?") + word.count("@")) > MAX_LOOKED_AT for word in text.split()
    )


class _Local(threading.local):
    """A parser for each thread: one parser must not be used by two at once."""

    def __init__(self) -> None:
        self.parser = Parser(_LANGUAGE)


_local: Final = _Local()


def _parsed(data: bytes) -> Node:
    parser = _local.parser
    if len(data) < SURELY_FAST:
        return parser.parse(data).root_node
    # What is ambiguous, or no bash, can take the grammar the square of the length.
    until = thread_time() + GRACE + SECONDS_PER_BYTE * len(data)
    try:
        tree = parser.parse(
            lambda at, _point: data[at:],
            progress_callback=lambda _at, _has_error: thread_time() > until,
        )
    except ValueError:
        parser.reset()
        raise RefusedError("it takes too long to read") from None
    return tree.root_node


class Source:
    """A parsed command.

    Args:
        scanned: the command after the prescan.

    Raises:
        RefusedError: the grammar cannot parse it, or reads a place otherwise than the prescan did.
    """

    __slots__ = ("_text", "heredocs", "marks", "root", "strings")

    def __init__(self, scanned: Scanned) -> None:
        text = scanned.text
        if len(scanned.claims) > MAX_CLAIMS or _is_slow(text):
            raise RefusedError("it has too many words")
        self._text = text
        # The grammar's scanner looks characters up in a table of 256 entries, and a far one makes
        # it crash. A letter stands in for each; so an offset in bytes is one in characters too.
        plain = text if text.isascii() else _FAR.sub("x", text)
        self.heredocs = scanned.heredocs
        self.root: Node = _parsed(plain.encode("ascii"))
        if self.root.has_error:
            raise RefusedError("its syntax is not understood")
        if self.root.descendant_count > MAX_NODES:
            raise RefusedError("it has too many words")
        if self.between(0, self.root.start_byte).strip(" \t\n"):
            raise RefusedError("a part of it is not understood")
        self.marks: set[int] = set()
        self.strings: set[int] = set()
        self._check(scanned)

    def check_gaps(self, node: Node, children: Sequence[Node], blanks: str) -> None:
        """Refuse a node between whose parts more than blanks stands: the grammar skipped it.

        Args:
            node: the node.
            children: its children.
            blanks: the characters that may stand between them.
        """
        at = node.start_byte
        for child in children:
            start = child.start_byte
            if start != at and self.between(at, start).strip(blanks):
                raise RefusedError("a part of it is not understood")
            at = child.end_byte
            # The prescan left nothing of a comment but its mark.
            if child.type == "comment" and at - start > 1:
                raise RefusedError("its quoting is not understood")
        if at < node.end_byte and self.between(at, node.end_byte).strip(blanks):
            raise RefusedError("a part of it is not understood")

    @property
    def evaluates(self) -> bool:
        """True when the text holds arithmetic, which runs what a variable's text holds."""
        return bool(_EVALUATES.search(self._text))

    def text(self, node: Node) -> str:
        """Return the text of a node."""
        return self.between(node.start_byte, node.end_byte)

    def adjacent(self, end: int, node: Node) -> bool:
        """Return True when a node goes on where another ended, with no blank between."""
        return node.start_byte == end and self._text[end : end + 1] not in (" ", "\t", "\n")

    def after(self, node: Node) -> str:
        """Return the character after a node; empty at the end."""
        return self._text[node.end_byte : node.end_byte + 1]

    def between(self, start: int, end: int) -> str:
        """Return the text between two offsets."""
        return self._text[start:end]

    def _check(self, scanned: Scanned) -> None:
        """Compare the prescan's claims with the tree; note where heredocs and here-strings are."""
        for offset, kind in scanned.claims:
            node = self.root.descendant_for_byte_range(offset, offset + 1)
            if node is None or node.type not in _EXPECTED[kind]:
                raise RefusedError("its quoting is not understood")
            parent = node.parent
            nested = parent is None or parent.start_byte != _BODY_START
            if (kind == "#" and node.start_byte != offset) or (kind == "text" and nested):
                raise RefusedError("its quoting is not understood")
            if kind == "<&":
                self.marks.add(offset)
            elif kind == "<<<":
                self.strings.add(offset)
