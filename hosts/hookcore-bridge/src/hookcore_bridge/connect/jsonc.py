"""JSON as people keep it, with comments and trailing commas, read with the place of every value."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["JsonError", "Member", "Node", "comments", "parse"]

Kind = Literal["object", "array", "string", "number", "word"]

_SKIP = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)+", re.DOTALL)
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}
_DEEPEST = 200


class JsonError(ValueError):
    """The text is no JSON; ``line`` and ``column`` count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


@dataclass(slots=True)
class Member:
    """One member of an object, or one item of an array."""

    key: str
    start: int
    value: Node
    comma: int | None = None
    """The offset of the comma after it."""

    @property
    def end(self) -> int:
        """The offset after its value."""
        return self.value.end


@dataclass(slots=True)
class Node:
    """A value, and where it stands in the text."""

    kind: Kind
    start: int
    end: int = 0
    plain: Any = None
    """The value of a string, a number or a word."""
    members: list[Member] = field(default_factory=list)

    def get(self, key: str) -> Node | None:
        """Return the value that programs take for a key: the last one that has it."""
        if self.kind != "object":
            return None
        found = [member.value for member in self.members if member.key == key]
        return found[-1] if found else None

    @property
    def value(self) -> Any:
        """The value in Python's own types."""
        if self.kind == "object":
            return {member.key: member.value.value for member in self.members}
        if self.kind == "array":
            return [member.value.value for member in self.members]
        return self.plain


def parse(text: str) -> Node:
    """Read a text.

    Args:
        text: JSON; comments and commas before a closing bracket are accepted.

    Returns:
        The outermost value.

    Raises:
        JsonError: it is something else.
    """
    reader = _Reader(text)
    node = reader.value(0)
    reader.skip()
    if reader.at < len(text):
        raise reader.error("something stands after the end of the value")
    return node


def comments(text: str) -> list[str]:
    """Return the comments of a text that :func:`parse` accepts, in their order."""
    found: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == '"':
            string = _STRING.match(text, at)
            at = string.end() if string else at + 1
        elif comment := _COMMENT.match(text, at):
            found.append(comment[0])
            at = comment.end()
        else:
            at += 1
    return found


def _number(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # Python reads no number of thousands of digits
        return text


class _Reader:
    """Reads one text from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def error(self, message: str) -> JsonError:
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - (self.text.rfind("\n", 0, self.at) + 1) + 1
        return JsonError(message, line, column)

    def skip(self) -> None:
        found = _SKIP.match(self.text, self.at)
        if found:
            self.at = found.end()

    def value(self, depth: int) -> Node:
        self.skip()
        char = self.text[self.at : self.at + 1]
        if char in ("{", "["):
            if depth > _DEEPEST:
                raise self.error(f"values are nested more than {_DEEPEST} deep")
            return self.container("object" if char == "{" else "array", depth)
        if char == '"':
            start = self.at
            return Node("string", start, plain=self.string(), end=self.at)
        number = _NUMBER.match(self.text, self.at)
        if number:
            start, self.at = self.at, number.end()
            return Node("number", start, self.at, _number(number[0]))
        for word, plain in _WORDS.items():
            if self.text.startswith(word, self.at):
                start, self.at = self.at, self.at + len(word)
                return Node("word", start, self.at, plain)
        raise self.error(
            "a value is missing" if char in ("", "}", "]", ",", ":") else "this is no value"
        )

    def string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if not found:
            raise self.error("this text has no end, or holds what JSON does not know")
        self.at = found.end()
        plain: str = json.loads(found[0])
        return plain

    def container(self, kind: Kind, depth: int) -> Node:
        node = Node(kind, self.at)
        close = "}" if kind == "object" else "]"
        self.at += 1
        self.skip()
        while not self.text.startswith(close, self.at):
            node.members.append(self.member(kind, depth))
            self.skip()
            if self.text.startswith(",", self.at):
                node.members[-1].comma = self.at
                self.at += 1
                self.skip()
            elif not self.text.startswith(close, self.at):
                raise self.error(f"a comma or {close} is missing")
        self.at += 1
        node.end = self.at
        return node

    def member(self, kind: Kind, depth: int) -> Member:
        start, key = self.at, ""
        if kind == "object":
            if not self.text.startswith('"', self.at):
                raise self.error("the name of a member is missing")
            key = self.string()
            self.skip()
            if not self.text.startswith(":", self.at):
                raise self.error("a colon is missing")
            self.at += 1
        return Member(key, start, self.value(depth + 1))
