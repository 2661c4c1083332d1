"""The walk over a syntax tree: statements, branches, loops, functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ._builtins import move
from ._chains import ASSIGNMENTS, CHAINS, COMMANDS, ChainWalk
from ._redirections import REDIRECT
from ._scanned import RefusedError
from ._simple import Inputs
from ._state import MAX_VALUES, State
from ._words import UNKNOWN
from .commands import Redirection, Segment, Word

if TYPE_CHECKING:
    from tree_sitter import Node

_GROUPS: Final = frozenset({"program", "compound_statement", "do_group"})
_CASE_ENDS: Final = frozenset({";;", ";&", ";;&"})
_LEAVES: Final = frozenset(
    {
        "word", "number", "variable_name", "string", "raw_string", "ansi_c_string",
        "simple_expansion", "expansion", "concatenation", "command_substitution",
        "extglob_pattern", "translated_string",
    }
)  # fmt: skip


class Walk(ChainWalk):
    """The walk over one text's tree."""

    def all(self) -> None:
        """Walk the whole text."""
        self.statements(self._source.root)
        if self.state.loaded and self._source.evaluates:
            raise RefusedError("it may run the text of a variable")
        if self._open:
            raise RefusedError("a group is not closed")

    def statements(
        self, node: Node, outer: Sequence[Redirection] = (), inputs: Inputs = ()
    ) -> None:
        """Walk the statements below a node; one that ``&`` follows changes nothing after it."""
        children = node.children
        self._source.check_gaps(node, children, " \t\n")
        for index, child in enumerate(children):
            if not child.is_named:
                ends = self._source.after(child)
                if child.type in _CASE_ENDS or (child.type == ";" and ends in (";", "&")):
                    raise RefusedError("a branch ends outside of a case")
                continue
            if index + 1 < len(children) and children[index + 1].type == "&":
                self._apart(child, outer, inputs)
            else:
                self.statement(child, outer, inputs)

    def statement(self, node: Node, outer: Sequence[Redirection] = (), inputs: Inputs = ()) -> None:
        """Walk one statement.

        Args:
            node: the statement.
            outer: the redirections of the groups around it.
            inputs: what is piped into it, or the text that it reads.
        """
        kind = node.type
        if kind in COMMANDS:
            self._command(node, outer, inputs)
        elif kind in CHAINS or kind == "redirected_statement":
            self._chain(node, outer, inputs)
        elif kind in _GROUPS:
            self.statements(node, outer, inputs)
        elif kind == "subshell":
            self._isolated(node, outer, inputs)
        elif kind in ASSIGNMENTS:
            self._assignment(node, outer)
        elif kind in ("if_statement", "case_statement", "case_item", "elif_clause", "else_clause"):
            self._branches(node, outer, inputs)
        elif kind in ("for_statement", "while_statement", "c_style_for_statement"):
            self._loop(node, outer, inputs)
        elif kind == "function_definition":
            self._function(node, outer)
        elif kind not in ("comment", REDIRECT):
            self._reader.visit(node)

    def substitution(self, node: Node) -> None:
        """Walk what ``$(...)``, ``<(...)`` or ``>(...)`` runs."""
        state = self.state
        self.state = state.copy()
        redirections: list[Redirection] = []
        for child in node.children:
            if child.type == REDIRECT:
                self._redirection(child, redirections, [])
        self.statements(node)
        if redirections:
            self._add(Segment(":", redirections=redirections, folder=state.folder, via=self._via))
        self.state = state

    def _apart(self, node: Node, outer: Sequence[Redirection], inputs: Inputs) -> None:
        state = self.state
        self.state = state.copy()
        self.statement(node, outer, inputs)
        self.state = state

    def _isolated(self, node: Node, outer: Sequence[Redirection], inputs: Inputs) -> None:
        state = self.state
        self.state = state.copy()
        self.statements(node, outer, inputs)
        self.state = state

    def _branches(self, node: Node, outer: Sequence[Redirection], inputs: Inputs) -> None:
        """Walk parts of which any may run or not; the condition of an ``if`` does run."""
        before = self.state.copy()
        self._source.check_gaps(node, node.children, " \t\n")
        for child in node.children:
            if not child.is_named:
                if child.type == "then":
                    before = self.state.copy()
                continue
            if node.type == "case_statement" and child.type == "case_item":
                self.state = before.copy()
                self._branches(child, outer, inputs)
                before.merge(self.state)
            elif child.type in ("elif_clause", "else_clause"):
                ended = self.state
                self.state = before.copy()
                self._branches(child, outer, inputs)
                self.state.merge(ended)
            elif child.type in _LEAVES:
                self._reader.words(child)
            else:
                self.statement(child, outer, inputs)
        self.state.merge(before)

    def _loop(self, node: Node, outer: Sequence[Redirection], inputs: Inputs) -> None:
        """Walk a loop: what its body assigns is unknown where the body begins."""
        for name in self._assigned(node):
            self.state.forget(name)
        before = self.state.copy()
        self._source.check_gaps(node, node.children, " \t\n")
        if node.type == "for_statement":
            self._loop_variable(node)
        body = node.child_by_field_name("body")
        for child in node.children:
            if not child.is_named or child.type in _LEAVES:
                continue
            if child == body or node.type == "while_statement":
                self.statement(child, outer, inputs)
            else:
                self._reader.visit(child)
        self.state.merge(before)

    def _loop_variable(self, node: Node) -> None:
        variable = node.child_by_field_name("variable")
        if variable is None or not self._source.text(variable).isascii():
            raise RefusedError("a loop has no variable")
        words = [
            word
            for value in node.children_by_field_name("value")
            for word in self._reader.words(value)
        ]
        if len(self._groups(node.children_by_field_name("value"))) != len(
            node.children_by_field_name("value")
        ):
            words.append(UNKNOWN)
        texts = tuple(dict.fromkeys(text for word in words for text in word.values))
        known = all(word.values and "PWD" not in word.raw for word in words)
        known = known and len({word.home for word in words}) == 1
        glob = any(word.glob for word in words)
        value = (
            Word("", texts, glob, words[0].home) if known and len(texts) <= MAX_VALUES else UNKNOWN
        )
        name = self._source.text(variable)
        self.state.set(name, value)
        if name.isupper():
            # A variable of the environment keeps its value for what the loop runs.
            environment = {name: value}
            self._add(Segment(":", environment=environment, folder=self.state.folder))

    def _assigned(self, node: Node) -> set[str]:
        """Return the variables that are assigned below a node."""
        names: set[str] = set()
        pending = [node]
        while pending:
            current = pending.pop()
            if current.type == "variable_assignment":
                left = current.child_by_field_name("name")
                if left is not None:
                    names.add(self._source.text(left).split("[", 1)[0])
            pending.extend(child for child in current.children if child.child_count)
        return names

    def _function(self, node: Node, outer: Sequence[Redirection]) -> None:
        """Walk a function's body as if it ran here; its calls run it again where they stand."""
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        redirections = list(outer)
        for child in node.children:
            if child.type == REDIRECT:
                self._redirection(child, redirections, [])
        start = len(self._reading.found)
        for assigned in self._assigned(node):
            self.state.forget(assigned)
        state = self.state
        self.state = State(
            folder=state.folder, previous=state.previous, blind=state.blind, loaded=state.loaded
        )
        if body is not None:
            if body.type == "test_command" and self._source.text(body)[:2] != "[[":
                raise RefusedError("a function has no body")
            self.statement(body, redirections, ())
        moved = self.state.folder
        self.state = state
        if name is not None:
            run = tuple(self._reading.found[start:])
            state.functions[self._source.text(name)] = (state.folder, run)
        if moved != state.folder:
            move(state, None)
