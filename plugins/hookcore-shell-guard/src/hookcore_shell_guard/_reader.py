"""From a command's text to its segments: the walk over the syntax tree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ._builtins import apply_builtin, move
from ._grammar import Source
from ._prescan import MAX_DEPTH, MAX_LENGTH, RefusedError, prescan, prescan_body
from ._state import State
from ._unwrap import Unwrapper
from ._words import UNKNOWN, WordReader
from .commands import Redirection, Segment, Word

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SEGMENTS: Final = 400
"""The most segments of one command, and of all the commands inside it."""

_RESERVED: Final = frozenset(
    "! case coproc do done elif else esac fi for function if in select then until while [[ ]]".split()
)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[|$)")
_COMMANDS: Final = frozenset(
    {"command", "declaration_command", "unset_command", "test_command"}
)
_GROUPS: Final = frozenset({"program", "compound_statement", "do_group"})
_CHAINS: Final = frozenset({"list", "pipeline", "negated_command"})
_REDIRECTS: Final = frozenset({"file_redirect"})
_CASE_ENDS: Final = frozenset({";;", ";&", ";;&"})
_ASSIGNMENTS: Final = frozenset({"variable_assignment", "variable_assignments"})


def read(command: str) -> list[Segment]:
    """Return the segments of a command; see :func:`hookcore_shell_guard.commands.segments`."""
    reading = Reading()
    reading.read(command, State(), via=(), depth=0)
    return reading.found or [Segment(":")]


class Reading:
    """One reading of a command and of all commands inside it, with a common budget."""

    def __init__(self) -> None:
        self.found: list[Segment] = []
        self._left = 4 * MAX_LENGTH
        self.unwrapper = Unwrapper(self)

    def read(self, text: str, state: State, *, via: tuple[str, ...], depth: int) -> None:
        """Add the segments of a text.

        Args:
            text: a command for bash.
            state: what is known where it begins; it is changed to what is known at its end.
            via: the wrappers around it.
            depth: how many texts it is nested in.
        """
        self._parse(text, state, via, depth, body=False)

    def read_body(self, text: str, state: State, via: tuple[str, ...], depth: int) -> None:
        """Add the segments of the substitutions in a heredoc's body."""
        self._parse(text, state, (*via, "heredoc"), depth, body=True)

    def refuse(self, why: str, via: tuple[str, ...]) -> None:
        """Add a segment that says why a text cannot be read."""
        self.found.append(Segment(None, opaque=why, unreadable=True, via=via))

    def _parse(
        self, text: str, state: State, via: tuple[str, ...], depth: int, *, body: bool
    ) -> None:
        self._left -= len(text)
        start = len(self.found)
        try:
            if depth > MAX_DEPTH or self._left < 0:
                raise RefusedError("it is nested too deep")  # noqa: TRY301 - one way to refuse
            source = Source(prescan_body(text) if body else prescan(text))
            _Walk(self, source, state, via, depth).all()
        except RefusedError as error:
            del self.found[start + MAX_SEGMENTS :]
            self.refuse(str(error), via)
        except RecursionError:
            self.refuse("it is nested too deep", via)


class _Walk:
    """The walk over one text's tree."""

    def __init__(
        self, reading: Reading, source: Source, state: State, via: tuple[str, ...], depth: int
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

    def all(self) -> None:
        """Walk the whole text."""
        self.statements(self._source.root)
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

    def statement(
        self, node: Node, outer: Sequence[Redirection] = (), inputs: Inputs = ()
    ) -> None:
        """Walk one statement.

        Args:
            node: the statement.
            outer: the redirections of the groups around it.
            inputs: what is piped into it, or the text that it reads.
        """
        kind = node.type
        if kind in _COMMANDS:
            self._command(node, outer, inputs)
        elif kind in _CHAINS or kind == "redirected_statement":
            self._chain(node, outer, inputs)
        elif kind in _GROUPS:
            self.statements(node, outer, inputs)
        elif kind == "subshell":
            self._isolated(node, outer, inputs)
        elif kind in _ASSIGNMENTS:
            self._assignment(node, outer)
        elif kind in ("if_statement", "case_statement", "case_item", "elif_clause", "else_clause"):
            self._branches(node, outer, inputs)
        elif kind in ("for_statement", "while_statement", "c_style_for_statement"):
            self._loop(node, outer, inputs)
        elif kind == "function_definition":
            self._function(node, outer)
        elif kind != "comment" and kind not in _REDIRECTS:
            self._reader.visit(node)

    def substitution(self, node: Node) -> None:
        """Walk what ``$(...)``, ``<(...)`` or ``>(...)`` runs."""
        state = self.state
        self.state = state.copy()
        redirections: list[Redirection] = []
        for child in node.children:
            if child.type in _REDIRECTS:
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

    def _chain(self, node: Node, outer: Sequence[Redirection], inputs: Inputs) -> None:
        """Walk ``a && b | c || d``: the grammar nests these, and the redirection, its own way."""
        flat: list[_Link] = []
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
                if index == 1:
                    # It runs when the first failed, so when a "cd" there did not work.
                    self.state.folder = before.folder
            self._pipeline(flat[index:end], outer, inputs)
            if index == 0:
                after_first = self.state.copy()
            elif self.state.folder not in (None, before.folder):
                worked = self.state.folder
            index = end
        self.state.merge(after_first)
        self.state.folder = worked if worked != before.folder else self.state.folder

    def _pipeline(
        self, links: list[_Link], outer: Sequence[Redirection], inputs: Inputs
    ) -> None:
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

    def _leaf(self, link: _Link, outer: Sequence[Redirection], inputs: Inputs) -> None:
        if link.node is None or link.node.type in _ASSIGNMENTS:
            self._bare(link, outer, inputs)
        elif link.node.type in _COMMANDS:
            self._command(link.node, outer, inputs, link.words)
        elif link.words:
            raise RefusedError("words stand after a group")
        else:
            self.statement(link.node, outer, inputs)

    def _bare(self, link: _Link, outer: Sequence[Redirection], inputs: Inputs) -> None:
        """Walk assignments or a redirection; the words after a redirection are the command."""
        if not link.words:
            if link.node is not None:
                self._assignment(link.node, outer)
            else:
                self._add(Segment(":", redirections=list(outer), folder=self.state.folder))
            return
        segment = Segment(None, redirections=list(outer), folder=self.state.folder, via=self._via)
        for node in _assignments(link.node):
            name, value = self._named_value(node)
            segment.environment[name] = value
        if isinstance(inputs, Word):
            segment.stdin = inputs
        else:
            segment.inputs = inputs
        self._finish(segment, link.words, link.words[0].raw)

    def _flatten(self, node: Node, flat: list[_Link], joint: str = "") -> None:
        kind = node.type
        if kind in _CHAINS:
            if kind == "negated_command" and joint in ("|", "|&"):
                raise RefusedError("a negation stands inside a pipe")
            self._source.check_gaps(node, node.children, " \t\n")
            for child in node.children:
                if child.is_named and child.type != "comment":
                    self._flatten(child, flat, joint)
                    joint = ""
                elif child.type != "!":
                    joint = child.type
                elif self._source.after(child) not in (" ", "\t", "\n", "("):
                    raise RefusedError("a negation is not understood")
        elif kind == "redirected_statement":
            self._source.check_gaps(node, node.children, " \t")
            body = node.child_by_field_name("body")
            if body is None:
                flat.append(_Link(None, joint))
            else:
                self._flatten(body, flat, joint)
            link = flat[-1]
            for child in node.children:
                if child.type in _REDIRECTS:
                    stdin = self._redirection(child, link.redirections, link.words)
                    link.stdin = stdin or link.stdin
        else:
            flat.append(_Link(node, joint))

    def _redirection(
        self, node: Node, redirections: list[Redirection], words: list[Word]
    ) -> Word | None:
        """Read one redirection; return the text that it gives as standard input, if it does.

        The grammar takes the words after the target for targets too: they are arguments.
        """
        named: list[Node] = []
        for child in node.named_children:
            if child.type != "file_descriptor":
                named.append(child)
            elif not self._source.text(child).isdigit():
                raise RefusedError("a redirection is not understood")
        self._source.check_gaps(node, node.children, " \t\n")
        operator = next((child for child in node.children if not child.is_named), None)
        if operator is None or any(child.type == "comment" for child in named):
            raise RefusedError("a redirection is not understood")
        if operator.type.endswith("-"):
            after = self._source.after(operator)
            if after not in ("", " ", "\t", "\n", ";", "&", "|", ")"):
                raise RefusedError("a redirection is not understood")
            for extra in named:
                words.extend(self._reader.words(extra))
            return None
        if not named:
            raise RefusedError("a redirection is not understood")
        self._check_target(operator, named[0])
        for extra in named[1:]:
            words.extend(self._reader.words(extra))
        if operator.start_byte in self._source.marks:
            return self._heredoc(int(self._source.text(named[0])[1:3]))
        if operator.start_byte in self._source.strings:
            return self._reader.word(named[0])
        target = self._reader.words(named[0])
        first = target[0] if len(target) == 1 else Word(self._source.text(named[0]), ())
        if operator.type in (">&", "<&") and (first.text or "-").rstrip("-").isdigit():
            return None
        if operator.type in (">&", "<&") and first.text == "-":
            return None
        redirections.append(Redirection("<" if operator.type == "<&" else operator.type, first))
        return None

    def _check_target(self, operator: Node, target: Node) -> None:
        """Refuse a target on another line, and a number that is the next redirection's."""
        between = self._source.between(operator.end_byte, target.start_byte)
        after = self._source.after(target)
        if "\n" in between or (after in ("<", ">") and self._source.text(target).isdigit()):
            raise RefusedError("a redirection has no target")

    def _heredoc(self, number: int) -> Word:
        doc = self._source.heredocs[number]
        computed = doc.expands and any(mark in doc.body for mark in ("$", "`"))
        if not computed:
            return Word("", (doc.body,))
        self._reading.read_body(doc.body, self.state.copy(), self._via, self._depth + 1)
        return Word("", ())

    def _command(
        self,
        node: Node,
        outer: Sequence[Redirection],
        inputs: Inputs,
        extra: Sequence[Word] = (),
    ) -> None:
        segment = Segment(
            None, redirections=list(outer), folder=self.state.folder, via=self._via
        )
        words: list[Word] = []
        kind = node.type
        end = -1
        name: Node | None = None
        children = node.children
        self._source.check_gaps(node, children, " \t" if kind == "command" else " \t\n")
        for child in children:
            child_kind = child.type
            if child_kind in _REDIRECTS:
                stdin = self._redirection(child, segment.redirections, words)
                segment.stdin = stdin or segment.stdin
                end = -1
                continue
            if child.start_byte == end and kind != "test_command":
                raise RefusedError("words run together")
            end = child.end_byte
            if child_kind == "variable_assignment" and kind != "unset_command":
                self._assign(child, segment, words, declared=kind == "declaration_command")
            elif not child.is_named:
                words.append(Word(child.type, (child.type,)))
            elif kind == "test_command":
                self._reader.visit(child)
            else:
                name = name or child
                words.extend(self._reader.words(child))
        words.extend(extra)
        if isinstance(inputs, Word):
            segment.stdin = segment.stdin or inputs
        else:
            segment.inputs = inputs
        named = name is not None and kind == "command"
        self._finish(segment, words, self._source.text(name) if name and named else "")

    def _finish(self, segment: Segment, words: list[Word], name: str) -> None:
        if name in _RESERVED:
            raise RefusedError("a reserved word stands where a program should")
        if name == "{" and len(words) > 1:
            # After "!" or "time" the grammar does not see that a group begins.
            words = words[1:]
            self._open += 1
        elif name == "}" and len(words) == 1 and self._open:
            words = []
            self._open -= 1
        elif name in ("{", "}"):
            raise RefusedError("a group is not understood")
        segment.word = words[0] if words else None
        segment.words = words[1:]
        self._reading.unwrapper.add(segment, self.state, self._depth)
        if segment.program is not None:
            apply_builtin(segment, self.state)
        if len(self._reading.found) > MAX_SEGMENTS:
            raise RefusedError("it runs too many commands")

    def _add(self, segment: Segment) -> None:
        segment.via = self._via
        self._reading.found.append(segment)

    def _assign(
        self, node: Node, segment: Segment, words: list[Word], *, declared: bool
    ) -> None:
        """Take an assignment before a command or after ``export`` and its like."""
        name, value = self._named_value(node)
        segment.environment[name] = value
        if declared:
            self.state.set(name, value)
            words.append(Word(f"{name}=", tuple(f"{name}={text}" for text in value.values)))

    def _named_value(self, node: Node) -> tuple[str, Word]:
        left = node.child_by_field_name("name")
        right = node.child_by_field_name("value")
        name = self._source.text(left) if left is not None else ""
        value = self._reader.word(right) if right is not None else Word("", ("",))
        if not _NAME.match(name):
            raise RefusedError("an assignment is not understood")
        if left is not None and left.type != "variable_name":
            self._reader.visit(left)
            return name.split("[", 1)[0], UNKNOWN
        if any(child.type == "+=" for child in node.children):
            return name, UNKNOWN
        return name, value

    def _assignment(self, node: Node, outer: Sequence[Redirection]) -> None:
        nodes = _assignments(node)
        segment = Segment(
            ":", redirections=list(outer), folder=self.state.folder, via=self._via
        )
        for child in nodes:
            name, value = self._named_value(child)
            self.state.set(name, value)
            segment.environment[name] = value
        self._add(segment)

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
        if variable is None:
            return
        words = [
            word
            for value in node.children_by_field_name("value")
            for word in self._reader.words(value)
        ]
        texts = tuple(dict.fromkeys(text for word in words for text in word.values))
        known = all(word.values and "PWD" not in word.raw for word in words)
        known = known and len({word.home for word in words}) == 1
        glob = any(word.glob for word in words)
        value = Word("", texts, glob, words[0].home) if known and len(texts) <= 64 else UNKNOWN  # noqa: PLR2004 - a bound on the time
        self.state.set(self._source.text(variable), value)

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
            if child.type in _REDIRECTS:
                self._redirection(child, redirections, [])
        start = len(self._reading.found)
        for assigned in self._assigned(node):
            self.state.forget(assigned)
        state = self.state
        self.state = State(folder=state.folder, previous=state.previous, blind=state.blind)
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


def _assignments(node: Node | None) -> list[Node]:
    if node is None:
        return []
    return node.named_children if node.type == "variable_assignments" else [node]


class _Link:
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


Inputs = tuple[Segment, ...] | Word
_LEAVES: Final = frozenset(
    {
        "word", "number", "variable_name", "string", "raw_string", "ansi_c_string",
        "simple_expansion", "expansion", "concatenation", "command_substitution",
        "extglob_pattern", "translated_string",
    }
)  # fmt: skip
