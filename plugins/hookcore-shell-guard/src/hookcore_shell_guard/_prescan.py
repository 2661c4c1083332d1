"""One pass over a command before the grammar, which removes what the grammar reads wrongly.

Line continuations are spliced, heredoc bodies are cut out, backquotes become ``$(...)``, comments
are emptied. The pass keeps its own account of quotes; where the grammar later disagrees about a
place that the pass acted on, the command is refused (:attr:`Scanned.claims`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ._scanned import MAX_DEPTH, MAX_LENGTH, Heredoc, RefusedError, Scanned

MAX_HEREDOCS: Final = 99
MARK: Final = "9{:02}9"
"""The number that stands in place of a heredoc's body, as a descriptor: ``<&9NN9``."""

_CONTROL: Final = re.compile(r"[\x00\x0b\x0c\r\x1b\x7f]")
# Blanks to the eye, not to the shell: they would hide where a word begins.
_ODD_SPACE: Final = re.compile(r"[^\S \t\n]|[\x1c-\x1f\x85\u200b-\u200f\u2028-\u202e\u2060\ufeff]")
_UNQUOTED_STOP: Final = re.compile(r"[^\\'\"`$(){}#<>\n]+")
_DOUBLE_STOP: Final = re.compile(r"[^\\\"`$]+")
_SINGLE: Final = re.compile(r"[^']*")
_ANSI: Final = re.compile(r"(?:[^'\\]|\\.)*", re.DOTALL)
_BACKQUOTED: Final = re.compile(r"(?:[^`\\]|\\.)*", re.DOTALL)
_HEREDOC: Final = re.compile(
    r"<<(-?)[ \t]*((?:'[^'\n]*'|\"[^\"\n\\$`]*\"|\\[^\n]|[^\s;&|<>()'\"\\`$])+)"
)
_NUMBERED: Final = re.compile(r"\{[A-Za-z_]\w*\}(?=[<>])")
_QUOTES: Final = ("'", '"', "doc")


def prescan(text: str) -> Scanned:
    """Return the command as the grammar can read it.

    Args:
        text: a command for bash.

    Raises:
        RefusedError: the text is too long, nested too deep, or holds a control character, a blank
            that only looks like one, an unclosed quote or a heredoc without its end line.
    """
    return _Scanner(text, [], 0).scan("")


def prescan_body(body: str) -> Scanned:
    """Return a command that expands an unquoted heredoc's body as the shell would.

    Args:
        body: the text of the heredoc.

    Raises:
        RefusedError: as for :func:`prescan`.
    """
    scanned = _Scanner(body, [], 0).scan("doc")
    claims = [(offset + 3, kind) for offset, kind in scanned.claims]
    return Scanned(f': "{scanned.text}"', scanned.heredocs, claims)


@dataclass(slots=True)
class _Pending:
    number: int
    end: str
    tabs: bool
    level: int


class _Scanner:
    """The pass over one text; backquoted parts get a scanner of their own."""

    __slots__ = ("at", "claims", "depth", "docs", "out", "pending", "size", "stack", "text", "word")

    def __init__(self, text: str, docs: list[Heredoc], depth: int) -> None:
        if len(text) > MAX_LENGTH:
            raise RefusedError(f"it is longer than {MAX_LENGTH:,} characters")
        if depth > MAX_DEPTH:
            raise RefusedError("it is nested too deep")
        if _CONTROL.search(text):
            raise RefusedError("it holds a control character")
        self.text = text
        self.docs = docs
        self.depth = depth
        self.at = 0
        self.size = 0
        self.out: list[str] = []
        self.stack: list[str] = []
        self.pending: list[_Pending] = []
        self.claims: list[tuple[int, str]] = []
        self.word = False

    def scan(self, context: str) -> Scanned:
        self.stack.append(context)
        text, end = self.text, len(self.text)
        while self.at < end:
            top = self.stack[-1]
            if top in ('"', "doc"):
                self.double(text[self.at], top)
            else:
                self.unquoted(text[self.at], top)
        if self.pending:
            raise RefusedError("a heredoc has no body")
        if self.stack[-1] != context or any(entry in _QUOTES for entry in self.stack[1:]):
            raise RefusedError("a quote or a bracket is not closed")
        return Scanned("".join(self.out), self.docs, self.claims)

    def emit(self, text: str, taken: int) -> None:
        self.out.append(text)
        self.size += len(text)
        self.at += taken

    def push(self, context: str, text: str, taken: int) -> None:
        if len(self.stack) > 4 * MAX_DEPTH:
            raise RefusedError("it is nested too deep")
        self.stack.append(context)
        self.emit(text, taken)
        self.word = False

    def escape(self) -> None:
        """Take a backslash and what it protects; a protected newline is nothing at all."""
        pair = self.text[self.at : self.at + 2]
        if pair == "\\\n":
            self.at += 2
            return
        if not pair[1:]:
            raise RefusedError("it ends with a backslash")
        if _ODD_SPACE.search(pair):
            raise RefusedError("it holds a character that only looks like a blank")
        self.emit(pair, 2)
        self.word = True

    def past_continuations(self, at: int) -> int:
        """Return the first place from ``at`` on that no line continuation takes away."""
        while self.text.startswith("\\\n", at):
            at += 2
        return at

    def double(self, char: str, top: str) -> None:
        """Take one step inside double quotes or an expanding heredoc body."""
        if char == "\\":
            pair = self.text[self.at : self.at + 2]
            if top == "doc" and pair == '\\"':
                self.claims.append((self.size + 2, "text"))
                self.emit('\\\\\\"', 2)
            elif top == "doc" and len(pair) == 1:
                self.emit("\\\\", 1)
            else:
                self.escape_in_double(pair)
        elif char == '"' and top == "doc":
            self.claims.append((self.size, "text"))
            self.emit('\\"', 1)
        elif char == '"':
            self.stack.pop()
            self.emit(char, 1)
            self.word = True
        elif char == "`":
            self.backquote(quoted=True)
        elif char == "$":
            self.dollar()
        else:
            run = _run(_DOUBLE_STOP, self.text, self.at)
            self.emit(run, len(run))

    def escape_in_double(self, pair: str) -> None:
        if pair == "\\\n":
            self.at += 2
        elif len(pair) == 1:
            raise RefusedError("it ends with a backslash")
        else:
            self.emit(pair, 2)

    def dollar(self) -> None:
        """Take a ``$`` and the bracket after it, if there is one."""
        bracket = self.past_continuations(self.at + 1)
        if self.text.startswith("(", bracket):
            second = self.past_continuations(bracket + 1)
            if self.text.startswith("(", second):
                self.push("((", "$((", second + 1 - self.at)
            else:
                self.push("$(", "$(", bracket + 1 - self.at)
        elif self.text.startswith("{", bracket):
            quoted = self.stack[-1] in ('"', "doc")
            self.push("{q" if quoted else "{", "${", bracket + 1 - self.at)
        elif self.stack[-1] not in ('"', "doc") and self.text.startswith('"', bracket):
            # A text to translate; nothing is translated here.
            self.claims.append((self.size, '"'))
            self.at = bracket
        else:
            self.emit("$", 1)
            self.word = True

    def backquote(self, *, quoted: bool) -> None:
        """Turn a backquoted part into ``$(...)``, its escapes undone."""
        found = _BACKQUOTED.match(self.text, self.at + 1)
        if found is None or found.end() >= len(self.text):
            raise RefusedError("a backquote is not closed")
        special = r"\\([$`\\\"])" if quoted else r"\\([$`\\])"
        inner = re.sub(special, r"\1", found[0])
        scanned = _Scanner(inner, self.docs, self.depth + 1).scan("")
        self.claims.append((self.size, "$("))
        self.claims += [(self.size + 2 + offset, kind) for offset, kind in scanned.claims]
        # The newline ends a comment that would swallow the bracket.
        self.emit(f"$({scanned.text}\n)", found.end() + 1 - self.at)
        self.word = True

    def unquoted(self, char: str, top: str) -> None:
        """Take one step where characters have their meaning."""
        if char == "\\":
            self.escape()
        elif char == "'":
            self.single(top)
        elif char == '"':
            self.push('"', '"', 1)
        elif char == "`":
            self.backquote(quoted=False)
        elif char == "$":
            self.dollar()
        elif char in "(){}":
            self.bracket(char, top)
        elif char == "\n":
            self.newline(top)
        elif char == "#":
            self.hash(top)
        elif char in "<>":
            self.redirection(char, top)
        else:
            self.plain()

    def plain(self) -> None:
        text = _run(_UNQUOTED_STOP, self.text, self.at)
        if not text.isascii() or "\x1c" <= min(text) <= "\x1f":
            odd = _ODD_SPACE.search(text)
            if odd is not None:
                raise RefusedError("it holds a character that only looks like a blank")
        self.emit(text, len(text))
        self.word = text[-1] not in " \t;&|"

    def single(self, top: str) -> None:
        if top == "{q":
            # Its meaning depends on the operator; no reading of ours would be certain.
            raise RefusedError("a single quote stands inside an expansion inside double quotes")
        ansi = bool(self.out) and self.out[-1] == "$"
        found = (_ANSI if ansi else _SINGLE).match(self.text, self.at + 1)
        if found is None or found.end() >= len(self.text):
            raise RefusedError("a quote is not closed")
        if "\\\n" in found[0]:
            self.claims.append((self.size + 1, "'"))
        self.emit(self.text[self.at : found.end() + 1], found.end() + 1 - self.at)
        self.word = True

    def bracket(self, char: str, top: str) -> None:
        if char == "(":
            arithmetic = self.text.startswith("((", self.at)
            # After an array's values, as after "$(...)", the word goes on.
            values = bool(self.out) and self.out[-1][-1:] == "="
            context = "((" if arithmetic else "$(" if values else "("
            self.push(context, "((" if arithmetic else "(", 1 + arithmetic)
        elif char == ")" and top == "((":
            self.stack.pop()
            if self.text.startswith("))", self.at):
                self.emit("))", 2)
            else:
                # Not arithmetic after all, but a subshell inside another.
                self.stack.append("(")
                self.emit(")", 1)
            self.word = False
        elif char == ")":
            if top in ("(", "$("):
                self.stack.pop()
            self.emit(char, 1)
            self.word = top == "$("
        elif char == "}" and top in ("{", "{q"):
            self.stack.pop()
            self.emit(char, 1)
            self.word = True
        elif char == "{" and not self.word and (name := _NUMBERED.match(self.text, self.at)):
            self.claims.append((self.size, "9"))
            self.emit("9", len(name[0]))
            self.word = True
        else:
            self.emit(char, 1)
            self.word = True

    def hash(self, top: str) -> None:
        if self.word or top in ("{", "{q", "(("):
            self.emit("#", 1)
            self.word = True
            return
        end = self.text.find("\n", self.at)
        self.claims.append((self.size, "#"))
        self.emit("#", (len(self.text) if end < 0 else end) - self.at)

    def redirection(self, char: str, top: str) -> None:
        if top in ("{", "{q", "(("):
            self.emit(char, 1)
        elif self.text.startswith("<<<", self.at):
            # The grammar knows it after simple commands only.
            self.claims.append((self.size, "<<<"))
            self.emit("<", 3)
        elif self.text.startswith("<<", self.at):
            self.heredoc()
        elif self.text.startswith("<>", self.at):
            before = self.out[-1][-1:] if self.out else ""
            if before in ("<", ">", "&", "|") or self.text[self.at + 2 : self.at + 3] in tuple(
                "(&<>|"
            ):
                raise RefusedError("a redirection is not understood")
            self.claims.append((self.size, ">"))
            self.emit(">", 2)
        else:
            self.emit(char, 1)
        self.word = False

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


def _run(pattern: re.Pattern[str], text: str, at: int) -> str:
    """Return the characters from a place on that a pattern takes, one at the least."""
    found = pattern.match(text, at)
    return found[0] if found is not None else text[at]
