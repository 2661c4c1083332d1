"""Simple commands: assignments, words, the program."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ._builtins import DECLARERS, apply_builtin
from ._names import names
from ._operands import tail_of
from ._redirections import REDIRECT, RedirectionWalk
from ._scanned import RefusedError
from .commands import Redirection, Segment, Word

if TYPE_CHECKING:
    from tree_sitter import Node

Inputs = tuple[Segment, ...] | Word
"""The segments whose output a command reads, or the text that it reads."""

_RESERVED: Final = names(
    "! case coproc do done elif else esac fi for function if in select then until while [[ ]]"
)
_SUBSCRIPT: Final = re.compile(r"\[[^\]]*(?:\$\(|`)")
_SUBSCRIPTED: Final = names(
    "test [ [[ printf read unset let declare typeset local export readonly mapfile getopts wait"
)


class CommandWalk(RedirectionWalk):
    """Reads simple commands."""

    def statement(self, node: Node, outer: Sequence[Redirection] = (), inputs: Inputs = ()) -> None:
        """Walk one statement."""
        raise NotImplementedError

    def _command(
        self,
        node: Node,
        outer: Sequence[Redirection],
        inputs: Inputs,
        extra: Sequence[Word] = (),
    ) -> None:
        segment = Segment(None, redirections=list(outer), folder=self.state.folder, via=self._via)
        words: list[Word] = []
        kind = node.type
        name: Node | None = None
        children = node.children
        self._source.check_gaps(node, children, " \t\n")
        for group in self._groups(children):
            first = group[0]
            first_kind = first.type
            if first_kind == REDIRECT:
                stdin = self._redirection(first, segment.redirections, words)
                segment.stdin = stdin or segment.stdin
            elif first_kind == "variable_assignment" and kind != "unset_command":
                declared = kind == "declaration_command"
                self._assign(group, segment, words, declared=declared)
                if not declared and self._ends_line(first, children):
                    self._flush(segment)
            elif not first.is_named:
                words.append(Word(first.type, (first.type,)))
            elif first_kind == "subshell" and name is not None and words[0].text == "time":
                self.statement(first, segment.redirections, inputs)
            elif first_kind == "comment":
                pass
            elif kind == "test_command":
                self._reader.visit(first)
            else:
                name = name or first
                words.extend(self._reader.grouped(group))
        words.extend(extra)
        if isinstance(inputs, Word):
            segment.stdin = segment.stdin or inputs
        else:
            segment.inputs = inputs
        named = name is not None and kind == "command"
        self._finish(segment, words, self._source.text(name) if name and named else "")

    def _ends_line(self, node: Node, children: Sequence[Node]) -> bool:
        """Tell that a line ends after an assignment, which the grammar joins with the next one."""
        following = next((child for child in children if child.start_byte >= node.end_byte), None)
        return following is not None and "\n" in self._source.between(
            node.end_byte, following.start_byte
        )

    def _flush(self, segment: Segment) -> None:
        """Make assignments of their own of those that do not belong to the command."""
        for name, value in segment.environment.items():
            self.state.set(name, value)
        self._add(Segment(":", environment=segment.environment, folder=self.state.folder))
        segment.environment = {}

    def _finish(self, segment: Segment, words: list[Word], name: str) -> None:
        if name in _RESERVED:
            raise RefusedError("a reserved word stands where a program should")
        if name == "time" and any(word.raw == "{" for word in words[1:3]):
            self._open += 1
        if name == "{" and len(words) > 1:
            # After "!" or "time" the grammar does not see that a group begins.
            words = words[1:]
            self._open += 1
        elif name == "}" and len(words) == 1 and self._open:
            words = []
            self._open -= 1
        elif name in ("{", "}"):
            raise RefusedError("a group is not understood")
        if words and words[0].text in _SUBSCRIPTED:
            _check_subscripts(words)
        if words and words[0].text in DECLARERS:
            self._declare(words[1:], segment)
        segment.word = words[0] if words else None
        segment.words = words[1:]
        self._reading.add(segment, self.state, self._depth)
        if segment.program is not None:
            apply_builtin(segment, self.state)
        if self._reading.full:
            raise RefusedError("it runs too many commands")

    def _declare(self, words: Sequence[Word], segment: Segment) -> None:
        """Take the assignments that ``export`` is given in quotes or in part."""
        for word in words:
            text = word.text if word.text is not None else word.head
            name, equals, _ = text.partition("=")
            if equals and name not in segment.environment:
                value = tail_of(word, len(name) + 1)
                segment.environment[name] = value
                self.state.set(name, value)

    def _assign(
        self, group: Sequence[Node], segment: Segment, words: list[Word], *, declared: bool
    ) -> None:
        """Take an assignment before a command or after ``export`` and its like."""
        name, value = self._named_value(group[0])
        if len(group) > 1:
            if self._source.text(group[0]).endswith(")"):
                raise RefusedError("words run together")
            # The grammar cut the value in two.
            value = self._reader.word(*group[1:])._replace(values=())
        segment.environment[name] = value
        if declared:
            self.state.set(name, value)
            words.append(Word(f"{name}=", tuple(f"{name}={text}" for text in value.values)))

    def _assignment(self, node: Node, outer: Sequence[Redirection]) -> None:
        nodes = assignments(node)
        self._groups(nodes)
        segment = Segment(":", redirections=list(outer), folder=self.state.folder, via=self._via)
        for child in nodes:
            name, value = self._named_value(child)
            self.state.set(name, value)
            segment.environment[name] = value
        self._add(segment)


def _check_subscripts(words: Sequence[Word]) -> None:
    """Refuse a quoted subscript that holds a substitution: the command runs it."""
    if words[0].text in ("printf", "test") and words[1:2] and words[1].text != "-v":
        return
    for word in words:
        if any(_SUBSCRIPT.search(text) for text in word.values):
            raise RefusedError("a subscript runs a command")


def assignments(node: Node | None) -> list[Node]:
    if node is None:
        return []
    return node.named_children if node.type == "variable_assignments" else [node]
