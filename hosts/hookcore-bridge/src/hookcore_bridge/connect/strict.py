"""Files that are more than JSON, which some clients read and most skip in silence."""

from __future__ import annotations

from typing import Literal

from .jsonc import Node, comments, parse

__all__ = ["Leniency", "complaint"]

Leniency = Literal["comments", "trailing commas", "byte order mark", "repeated names"]

_MARK = "\ufeff"


def complaint(accepted: frozenset[Leniency], data: bytes) -> tuple[int, str] | None:
    """Find what a client does not accept in a file.

    Args:
        accepted: what the client accepts.
        data: the file's content, which :func:`~.jsonc.parse` accepts.

    Returns:
        The line and what stands there; None when the client reads the file.
    """
    text = data.decode("utf-8")
    if text.startswith(_MARK):
        if "byte order mark" not in accepted:
            return 1, "a byte order mark"
        text = text.removeprefix(_MARK)
    if not text.strip():
        return None
    found = comments(text)
    if found and "comments" not in accepted:
        return _line(text, text.find(found[0])), "a comment"
    for node in _inside(parse(text)):
        last = node.members[-1]
        if last.comma is not None and "trailing commas" not in accepted:
            return _line(text, last.comma), "a comma before a closing bracket"
        names: set[str] = set()
        for member in node.members if node.kind == "object" else ():
            if member.key in names and "repeated names" not in accepted:
                return _line(text, member.start), f"the name {member.key} for the second time"
            names.add(member.key)
    return None


def _inside(node: Node) -> list[Node]:
    """Return the containers that are not empty, the outer before the inner."""
    found, waiting = [], [node]
    while waiting:
        node = waiting.pop()
        found += [node] if node.members else []
        waiting += [member.value for member in node.members]
    return found


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
