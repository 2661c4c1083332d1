"""Chains of commands: ``a && b | c || d``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ._operands import known
from ._redirections import REDIRECT
from ._scanned import RefusedError
from ._simple import CommandWalk, Inputs, assignments
from .commands import Redirection, Segment, Word

if TYPE_CHECKING:
    from tree_sitter import Node

COMMANDS: Final = frozenset({"command", "declaration_command", "unset_command", "test_command"})
CHAINS: Final = frozenset({"list", "pipeline", "negated_command"})
ASSIGNMENTS: Final = frozenset({"variable_assignment", "variable_assignments"})


class Link:
    """One command of a chain.

    Args:
        node: its syntax; None for a redirection without a command.
        joint: the operator before it.
    """

    __slots__ = ("joint", "node", "redirections", "stdin", "words")

    def __init__(self, node: Node | None, joint: str) -> None:
        self.node = node
        self.joint = joint
        self.redirections: list[Redirection] = []
        self.words: list[Word] = []
        self.stdin: Word | None = None


class ChainWalk(CommandWalk):
    """Walks chains; the grammar nests them, and the redirections, its own way."""

    def _chain(self, node: Node, outer: Sequence[Redirection], inputs: Inputs) -> None:
        """Walk ``a && b | c || d``: the grammar nests these, and the redirection, its own way."""
        flat: list[Link] = []
        self._flatten(node, flat)
        if len(flat) == 1:
            self._pipeline(flat, outer, inputs)
            return
        before = after_first = self.state.copy()
        worked = self.state.folder
        index = 0
        while index < len(flat):
            end = index + 1
            while end < len(flat) and flat[end].joint in ("|", "|&"):
                end += 1
            if flat[index].joint == "||":
                worked = self.state.folder
                self.state.merge(before)
                if index == 1 and (flat[0].node is None or flat[0].node.type in COMMANDS):
                    # It runs when the first failed, so when a "cd" there did not work. A group
                    # may have failed later.
                    self.state.folder = before.folder
            self._pipeline(flat[index:end], outer, inputs)
            if index == 0:
                after_first = self.state.copy()
            elif self.state.folder not in (None, before.folder):
                worked = self.state.folder
            index = end
        self.state.merge(after_first)
        self.state.folder = worked if worked != before.folder else self.state.folder

    def _pipeline(self, links: list[Link], outer: Sequence[Redirection], inputs: Inputs) -> None:
        start = len(self._reading.found)
        for link in links:
            redirections = [*outer, *link.redirections] if link.redirections else outer
            given = link.stdin or inputs
            if len(links) == 1:
                self._leaf(link, redirections, given)
                return
            state = self.state
            self.state = state.copy()
            self._leaf(link, redirections, given)
            self.state = state
            inputs = tuple(self._reading.found[start:])

    def _leaf(self, link: Link, outer: Sequence[Redirection], inputs: Inputs) -> None:
        if link.node is None or link.node.type in ASSIGNMENTS:
            self._bare(link, outer, inputs)
        elif link.node.type in COMMANDS:
            self._command(link.node, outer, inputs, link.words)
        elif link.words:
            raise RefusedError("words stand after a group")
        else:
            self.statement(link.node, outer, inputs)

    def _bare(self, link: Link, outer: Sequence[Redirection], inputs: Inputs) -> None:
        """Walk assignments or a redirection; the words after a redirection are the command."""
        if not link.words:
            if link.node is not None:
                self._assignment(link.node, outer)
            else:
                self._add(Segment(":", redirections=list(outer), folder=self.state.folder))
            return
        segment = Segment(None, redirections=list(outer), folder=self.state.folder, via=self._via)
        for node in assignments(link.node):
            name, value = self._named_value(node)
            segment.environment[name] = value
        if isinstance(inputs, Word):
            segment.stdin = inputs
        else:
            segment.inputs = inputs
        self._finish(segment, link.words, link.words[0].raw)

    def _flatten(self, node: Node, flat: list[Link], joint: str = "") -> None:
        if node.type in CHAINS:
            self._flatten_chain(node, flat, joint)
        elif node.type == "redirected_statement":
            body = node.child_by_field_name("body")
            if body is None:
                flat.append(Link(None, joint))
            else:
                self._flatten(body, flat, joint)
            link = flat[-1]
            link.words.extend(known("-") for _ in range(self._dashes(node)))
            for child in node.children:
                if child.type == REDIRECT:
                    stdin = self._redirection(child, link.redirections, link.words)
                    link.stdin = stdin or link.stdin
        else:
            flat.append(Link(node, joint))

    def _flatten_chain(self, node: Node, flat: list[Link], joint: str) -> None:
        if node.type == "negated_command" and joint in ("|", "|&"):
            raise RefusedError("a negation stands inside a pipe")
        children = node.children
        self._source.check_gaps(node, children, " \t\n")
        for child in children:
            if child.type == "!":
                if self._source.after(child) not in (" ", "\t", "\n", "("):
                    raise RefusedError("a negation is not understood")
            elif not child.is_named:
                joint = child.type
            elif child.type != "comment":
                self._flatten(child, flat, joint)
                joint = ""
