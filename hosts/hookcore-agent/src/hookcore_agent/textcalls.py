r"""Tool calls in a text: blocks of JSON between two tags, written and read.

>>> written("add", {"a": 1})
'<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from hookcore_specs import ToolCall

from .messages import MalformedArguments
from .models import parsed_arguments

__all__ = ["CallReader", "as_json", "read", "written"]

OPEN: Final = "<tool_call>"
CLOSE: Final = "</tool_call>"
UNNAMED: Final = "tool_call"
"""The name of a call whose block does not say one."""

_NAME = re.compile(r'"name"\s*:\s*("(?:[^"\\]|\\.)*")')


def as_json(value: Any) -> str:
    """Return a value as JSON in which no tag can begin, whatever the value's texts say."""
    # In JSON this character stands in texts only, where an escape means the same.
    return json.dumps(value, ensure_ascii=False, default=str).replace("<", "\\u003c")


def written(name: str, arguments: Any) -> str:
    """Return the block of a call.

    Args:
        name: the tool.
        arguments: a dict, or the text of arguments that are none.
    """
    return f"{OPEN}\n{as_json({'name': name, 'arguments': arguments})}\n{CLOSE}"


def read(text: str) -> tuple[str, list[ToolCall]]:
    """Return the text outside the blocks of a whole answer, and its calls."""
    reader = CallReader()
    outside = reader.feed(text) + reader.end()
    return outside, reader.calls


class CallReader:
    """Reads an answer in pieces, cut anywhere, and tells text and calls apart.

    A block ends at the first closing tag that is in no JSON string, or with the answer.
    """

    def __init__(self) -> None:
        #: The calls so far.
        self.calls: list[ToolCall] = []
        self._rest = ""  # what may be the beginning of a tag
        self._block: list[str] | None = None
        self._in_string = False

    def feed(self, piece: str) -> str:
        """Take a piece and return the text in it that is in no block.

        Args:
            piece: the next piece of the answer.
        """
        buffer, begin = self._rest + piece, 0
        texts: list[str] = []
        while True:
            outside = self._block is None
            find = self._opening if outside else self._closing
            end, found = find(buffer, begin)
            (texts if self._block is None else self._block).append(buffer[begin:end])
            if not found:
                break
            begin = end + len(OPEN if outside else CLOSE)
            if outside:
                self._block = []
            else:
                self._finish()
        self._rest = buffer[end:]
        return "".join(texts)

    def end(self) -> str:
        """End the answer, and a block that is open; return the text that was held back."""
        rest, self._rest = self._rest, ""
        if self._block is None:
            return rest
        self._block.append(rest)
        self._finish()
        return ""

    def _finish(self) -> None:
        block, self._block = self._block, None
        self.calls.append(_call("".join(block or ())))

    @staticmethod
    def _opening(buffer: str, begin: int) -> tuple[int, bool]:
        """Return where an opening tag is, or up to where there is none, and which of both."""
        found = buffer.find(OPEN, begin)
        if found >= 0:
            return found, True
        for length in range(min(len(OPEN) - 1, len(buffer) - begin), 0, -1):
            if buffer.endswith(OPEN[:length]):
                return len(buffer) - length, False
        return len(buffer), False

    def _closing(self, buffer: str, begin: int) -> tuple[int, bool]:
        """Return the same for a closing tag outside of JSON strings."""
        at = begin
        while at < len(buffer):
            character = buffer[at]
            if character == '"':
                self._in_string = not self._in_string
            elif self._in_string and character == "\\":
                if at + 1 == len(buffer):
                    return at, False
                at += 1
            elif not self._in_string and character == "<":
                if buffer.startswith(CLOSE, at):
                    return at, True
                if len(buffer) - at < len(CLOSE) and CLOSE.startswith(buffer[at:]):
                    return at, False
            at += 1
        return len(buffer), False


def _call(block: str) -> ToolCall:
    """Return the call that a block stands for; what is no call has malformed arguments."""
    value = parsed_arguments(block)
    if isinstance(value, MalformedArguments):
        return ToolCall(_name_in(block), _malformed(block))
    name, arguments = value.get("name"), value.get("arguments")
    if not isinstance(name, str):
        return ToolCall(UNNAMED, _malformed(block))
    if isinstance(arguments, dict):
        return ToolCall(name, arguments)
    return ToolCall(name, _malformed(block if arguments is None else as_json(arguments)))


def _malformed(text: str) -> Any:
    return MalformedArguments(text.strip())


def _name_in(block: str) -> str:
    """Return the name that a block tells although it is no JSON."""
    found = _NAME.search(block)
    try:
        return str(json.loads(found[1])) if found else UNNAMED
    except ValueError:
        return UNNAMED
