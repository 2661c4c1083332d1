"""From syntax nodes to words: quotes removed, known variables put in, braces expanded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from ._braces import expand_braces, has_braces, is_pattern
from ._grammar import Source
from ._names import names
from ._parts import TEXTS, Flags, Part, known_part, values_of
from ._scanned import RefusedError
from ._state import MAX_VALUES
from .commands import Word

if TYPE_CHECKING:
    from tree_sitter import Node

UNKNOWN: Final = Word("", ())

_BARE_BLANK: Final = re.compile(r"(?<!\\)(?:\\\\)*[ \t\n]")
_PROMPT: Final = re.compile(r"@P\s*\}")
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_LITERALS: Final = frozenset(
    {"word", "number", "variable_name", "extglob_pattern", "test_operator", "regex"}
)
_BLANKS: Final = " \t\n"
_QUOTED: Final = frozenset({"string", "raw_string", "ansi_c_string", "expansion"})
_STATEMENTS: Final = names(
    "command subshell compound_statement list pipeline redirected_statement negated_command "
    "if_statement while_statement for_statement case_statement function_definition "
    "declaration_command unset_command"
)
_SUBSTITUTIONS: Final = frozenset({"command_substitution", "process_substitution"})


class WordReader:
    """Reads the words of one command's text.

    Args:
        source: the parsed text.
        run: called with each substitution that a word holds, which runs whatever the word is for.
        value: returns what a variable holds, or None when that is not known.
        forget: called with the name of a variable that a word sets.
    """

    __slots__ = ("_forget", "_run", "_source", "_value")

    def __init__(
        self,
        source: Source,
        run: Callable[[Node], None],
        value: Callable[[str], Word | None],
        forget: Callable[[str], None],
    ) -> None:
        self._source = source
        self._run = run
        self._value = value
        self._forget = forget

    def words(self, node: Node) -> list[Word]:
        """Return the words that one word of the text becomes."""
        kind = node.type
        if kind == "command_name" and node.child_count == 1:
            only = node.child(0)
            if only is not None:
                return self.words(only)
        raw = self._source.text(node).lstrip(_BLANKS)
        if kind in _LITERALS:
            if "\\" not in raw and "{" not in raw and " " not in raw:
                home = raw[:1] == "~"
                glob = ("*" in raw or "?" in raw or "[" in raw) and is_pattern(raw)
                return [Word(raw, (raw,), glob, home)]
        elif kind in ("simple_expansion", "expansion"):
            split = self._split(node, raw)
            if split is not None:
                return split
        if kind not in _QUOTED and "{" in raw and has_braces(self._skeleton(node, raw)):
            return self._braced(node, raw)
        return [self._join((node,), raw)]

    def grouped(self, nodes: Sequence[Node]) -> list[Word]:
        """Return the words that adjacent nodes become; the grammar splits some words in two."""
        if len(nodes) == 1:
            return self.words(nodes[0])
        return [self.word(*nodes)]

    def word(self, *nodes: Node) -> Word:
        """Return a word that the shell does not split: an assignment's value, a target."""
        raw = self._source.between(nodes[0].start_byte, nodes[-1].end_byte).lstrip(_BLANKS)
        if any(node.type == "array" for node in nodes):
            for node in nodes:
                self.visit(node)
            return Word(raw, ())
        word = self._join(nodes, raw)
        return Word(raw, ()) if len(nodes) > 1 and "{" in raw else word

    def declared(self, node: Node) -> Word:
        """Return the value that ``export`` and its like give; with braces, each in turn."""
        raw = self._source.text(node).lstrip(_BLANKS)
        if node.type not in _QUOTED and "{" in raw and has_braces(self._skeleton(node, raw)):
            words = self._braced(node, raw)
            values = tuple(dict.fromkeys(text for word in words for text in word.values))
            if len({word.home for word in words}) > 1:
                return Word(raw, ())
            return Word(raw, values, any(word.glob for word in words), words[0].home)
        return self.word(node)

    def visit(self, node: Node) -> None:
        """Run the substitutions below a node that is no word, such as an arithmetic expression."""
        if node.type in _SUBSTITUTIONS:
            self._run(node)
            return
        if node.type in _STATEMENTS:
            raise RefusedError("a command stands where a word should")
        for child in node.children:
            if child.child_count:
                self.visit(child)

    def _skeleton(self, node: Node, raw: str) -> str:
        """Return the word with a letter in place of each part in which braces stay as they are."""
        if node.type not in ("concatenation", "command_name"):
            return raw
        bare = (*_LITERALS, "concatenation", "brace_expression")
        children = ((child, self._source.text(child)) for child in node.children)
        return "".join(text if child.type in bare else "Q" for child, text in children)

    def _braced(self, node: Node, raw: str) -> list[Word]:
        expanded = expand_braces(raw, MAX_VALUES)
        if expanded is None:
            self.visit(node)
            return [Word(raw, ())]
        return [Word(raw, (text,), is_pattern(text), text[:1] == "~") for text in expanded]

    def _split(self, node: Node, raw: str) -> list[Word] | None:
        """Return the words that an unquoted variable becomes, or None when it is not known."""
        known = self._plain_variable(node)
        if known is None or not known.values:
            return None
        if len(known.values) > 1:
            spaced = any(len(text.split()) != 1 for text in known.values)
            glob = any(map(is_pattern, known.values))
            return [Word(raw, ())] if spaced else [known._replace(raw=raw, glob=glob)]
        pieces = known.values[0].split()
        return [Word(raw, (text,), is_pattern(text), known.home) for text in pieces]

    def _plain_variable(self, node: Node) -> Word | None:
        """Return what ``$X`` or ``${X}`` holds; None for every other expansion."""
        named = node.named_children
        if len(named) != 1 or named[0].type != "variable_name":
            return None
        name = self._source.text(named[0])
        if not name.isascii():
            raise RefusedError("a part of it is not understood")
        if self._source.text(node).lstrip(_BLANKS) not in (f"${name}", f"${{{name}}}"):
            return None
        return self._value(name)

    def _join(self, nodes: Sequence[Node], raw: str) -> Word:
        parts: list[Part] = []
        flags = Flags()
        for node in nodes:
            self._collect(node, parts, flags, quoted=False)
        if all(isinstance(part, str) for part in parts):
            text = "".join(part for part in parts if isinstance(part, str))
            home = flags.home or raw[:1] == "~"
            return Word(raw, (text,), flags.glob, home)
        home = flags.home or raw[:1] == "~"
        if None not in parts:
            values = values_of([part for part in parts if part is not None])
            if values is not None:
                return Word(raw, values, flags.glob, home)
        head = known_part(parts)
        tail = known_part(parts[::-1], backwards=True)
        return Word(raw, (), flags.glob, home, head, tail)

    def _collect(self, node: Node, parts: list[Part], flags: Flags, *, quoted: bool) -> None:
        kind = node.type
        if kind in TEXTS:
            parts.append(TEXTS[kind](self._source.text(node)))
        elif kind in _LITERALS:
            parts.append(self._literal(node, flags, quoted=quoted))
        elif kind == "string":
            self._collect_string(node, parts, flags)
        elif kind in ("concatenation", "command_name", "translated_string"):
            self._collect_children(node, parts, flags)
        elif kind in ("simple_expansion", "expansion"):
            self._collect_variable(node, parts, flags, quoted=quoted)
        else:
            self.visit(node)
            parts.append(None)

    def _literal(self, node: Node, flags: Flags, *, quoted: bool) -> str:
        raw = self._source.text(node)
        if node.type == "word" and _BARE_BLANK.search(raw):
            raise RefusedError("a part of it is not understood")
        if not quoted and is_pattern(raw):
            flags.glob = True
        return _ESCAPED.sub(r"\1", raw) if "\\" in raw else raw

    def _collect_string(self, node: Node, parts: list[Part], flags: Flags) -> None:
        """Take what stands between double quotes; the grammar leaves out blanks between parts."""
        children = node.children
        if parts and children[0].start_byte != node.start_byte:
            raise RefusedError("a part of it is not understood")
        at = children[0].end_byte
        for child in children[1:-1]:
            if child.start_byte > at:
                parts.append(self._source.between(at, child.start_byte))
            self._collect(child, parts, flags, quoted=True)
            at = child.end_byte
        if at < node.end_byte - 1:
            parts.append(self._source.between(at, node.end_byte - 1))

    def _collect_children(self, node: Node, parts: list[Part], flags: Flags) -> None:
        at = node.start_byte
        translated = node.type == "translated_string"
        for child in node.children:
            if child.start_byte != at:
                parts.append(None)
            at = child.end_byte
            if translated and child.type == "$":
                continue
            if child.type == "$" and child.end_byte != node.end_byte:
                parts.append(None)
                continue
            self._collect(child, parts, flags, quoted=False)
        raw = self._source.text(node)
        if not flags.glob and "[" in raw and not translated and is_pattern(raw):
            flags.glob = True

    def _collect_variable(
        self, node: Node, parts: list[Part], flags: Flags, *, quoted: bool
    ) -> None:
        known = self._plain_variable(node)
        if node.type == "simple_expansion":
            self._check_name(node, parts, quoted=quoted)
        if known is None or not known.values:
            if node.type == "expansion":
                self._check_prompt(node)
                self.visit(node)
                self._assigned_in(node)
            parts.append(None)
            return
        if not quoted and any(text.split() not in ([text], []) for text in known.values):
            parts.append(None)
            return
        if known.home and not parts:
            flags.home = True
        if not quoted and any(is_pattern(text) for text in known.values):
            flags.glob = True
        parts.append(known.values[0] if len(known.values) == 1 else known.values)

    def _check_name(self, node: Node, parts: list[Part], *, quoted: bool) -> None:
        """Take the blanks before a ``$``, and refuse one that is joined with a later word."""
        mark = node.children[0]
        lead = self._source.between(node.start_byte, mark.start_byte)
        if mark.end_byte != node.children[-1].start_byte or (lead and parts and not quoted):
            raise RefusedError("a part of it is not understood")
        if lead and quoted:
            parts.append(lead)

    def _check_prompt(self, node: Node) -> None:
        """Refuse ``${X@P}``, which runs the substitutions in a variable's text."""
        if _PROMPT.search(self._source.text(node)):
            raise RefusedError("it runs the text of a variable")

    def _assigned_in(self, node: Node) -> None:
        """Forget the variable that ``${X=word}`` sets."""
        if any(child.type in ("=", ":=") for child in node.children):
            for child in node.named_children[:1]:
                self._forget(self._source.text(child))
