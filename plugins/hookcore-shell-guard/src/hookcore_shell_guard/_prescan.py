"""One pass over a command before the grammar, which removes what the grammar reads wrongly.

Line continuations are spliced, heredoc bodies are cut out, backquotes become ``$(...)``, comments
are emptied. The pass keeps its own account of quotes; where the grammar later disagrees about a
place that the pass acted on, the command is refused (:attr:`Scanned.claims`).
"""

from __future__ import annotations

import re
from typing import Final

from ._heredocs import HeredocPass
from ._pass import ODD_SPACE, taken_by
from ._scanned import RefusedError, Scanned

_UNQUOTED_STOP: Final = re.compile(r"[^\\'\"`$(){}#<>\n]+")
_DOUBLE_STOP: Final = re.compile(r"[^\\\"`$]+")
_SINGLE: Final = re.compile(r"[^']*")
_ANSI: Final = re.compile(r"(?:[^'\\]|\\.)*", re.DOTALL)
_BACKQUOTED: Final = re.compile(r"(?:[^`\\]|\\.)*", re.DOTALL)
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


class _Scanner(HeredocPass):
    """The pass over one text; backquoted parts get a scanner of their own."""

    __slots__ = ()

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
            run = taken_by(_DOUBLE_STOP, self.text, self.at)
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
        text = taken_by(_UNQUOTED_STOP, self.text, self.at)
        if not text.isascii() or "\x1c" <= min(text) <= "\x1f":
            odd = ODD_SPACE.search(text)
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
