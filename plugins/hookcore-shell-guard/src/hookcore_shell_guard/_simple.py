"""Simple commands: assignments, words, the program."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
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

_EXPRESSIONS: Final = names("binary_expression unary_expression parenthesized_expression")


class CommandWalk(RedirectionWalk):
    """Reads simple commands."""

    @abstractmethod
    def statement(self, node: Node, outer: Sequence[Redirection] = (), inputs: Inputs = ()) -> None:
        """Walk one statement."""

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
                words.extend(self._tested(first, words[0].raw))
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

    def _tested(self, node: Node, bracket: str) -> list[Word]:
        """Return the words between the brackets of a test."""
        groups: list[list[Node]] = []
        for leaf in _leaves(node):
            before = groups[-1][-1] if groups else None
            # The grammar cuts some words in two, and takes a tilde for an operator.
            joins = before is not None and leaf.is_named and (before.is_named or before.type == "~")
            if before is not None and joins and self._source.adjacent(before.end_byte, leaf):
                groups[-1].append(leaf)
            else:
                groups.append([leaf])
        words = [word for group in groups for word in self._tested_words(group)]
        # Between two brackets no file names are put in.
        return words if bracket == "[" else [word._replace(glob=False) for word in words]

    def _tested_words(self, group: Sequence[Node]) -> list[Word]:
        kind = group[0].type
        if group[0].is_named:
            return self._reader.grouped(group)
        if len(group) == 1:
            return [Word(kind, (kind,), home=kind == "~")]
        rest = self._reader.word(*group[1:])
        values = tuple(kind + text for text in rest.values)
        return [Word(kind + rest.raw, values, rest.glob, home=True, head=kind + rest.head)]

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
        name, value = self._named_value(group[0], braces=declared)
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


def _leaves(node: Node) -> Iterator[Node]:
    """Yield the operators and operands of a test."""
    if node.type in _EXPRESSIONS:
        for child in node.children:
            yield from _leaves(child)
    else:
        yield node


def _check_subscripts(words: Sequence[Word]) -> None:
    """Refuse a quoted subscript that holds a substitution: the command runs it."""
    program = words[0].text
    if program in ("printf", "test") and words[1:2] and words[1].text != "-v":
        return
    if program == "[" and all(word.text != "-v" for word in words):
        return
    for word in words:
        if any(_SUBSCRIPT.search(text) for text in word.values):
            raise RefusedError("a subscript runs a command")


def assignments(node: Node | None) -> list[Node]:
    if node is None:
        return []
    return node.named_children if node.type == "variable_assignments" else [node]
