"""The difference that a change makes to a file, as it may be shown: without the secrets in it."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from hookctl.masking import MASK, masked
from hookctl.output import one_line

from . import tomledit
from .jsonc import JsonError, Node, parse
from .plan import Change
from .tomledit import TomlError

__all__ = ["difference"]


def difference(change: Change) -> str:
    """Write a change as a unified diff.

    Args:
        change: the change.

    Returns:
        The diff, safe for a terminal; empty when the file stays as it is.
    """
    before, after = (_lines(change, data) for data in (change.before, change.after))
    old, new = (
        "/dev/null" if data is None else str(change.file) for data in (change.before, change.after)
    )
    lines = difflib.unified_diff(before, after, old, new, lineterm="")
    return "\n".join(one_line(line) for line in lines)


def _lines(change: Change, data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8-sig", errors="replace")
    if change.file.suffix in (".json", ".jsonc"):
        text = _without_secrets(text)
    elif change.file.suffix == ".toml":
        text = _toml_without_secrets(text)
    # What the JSON in the lines does not tell is hidden by its form.
    return [str(masked(("settings", "line"), line, None)) for line in text.splitlines()]


def _without_secrets(text: str) -> str:
    try:
        root = parse(text)
    except JsonError:
        return text
    pieces, at = [], 0
    for node, shown in _hidden(root, masked(("settings", "file"), root.value, None)):
        pieces += [text[at : node.start], json.dumps(shown, ensure_ascii=False)]
        at = node.end
    return "".join([*pieces, text[at:]])


def _toml_without_secrets(text: str) -> str:
    try:
        data = tomledit.parse(text)
    except TomlError:
        return text
    shown = dict(_changed(data, masked(("settings", "file"), data, None)))
    return tomledit.each_text(text, lambda value: shown.get(value, value))


def _changed(value: Any, shown: Any) -> Iterator[tuple[str, str]]:
    """Yield the texts that may not be shown as they are, and what is shown instead."""
    if isinstance(value, dict) and isinstance(shown, dict):
        for key, item in value.items():
            yield from _changed(item, shown.get(key, MASK))
    elif isinstance(value, list) and isinstance(shown, list):
        for item, other in zip(value, _filled(shown, len(value)), strict=True):
            yield from _changed(item, other)
    elif isinstance(value, str) and value != shown:
        yield value, str(shown)


def _hidden(node: Node, shown: Any) -> Iterator[tuple[Node, Any]]:
    """Yield the values that may not be shown as they are, and what is shown instead."""
    if node.kind == "object" and isinstance(shown, dict):
        for member in node.members:
            yield from _hidden(member.value, shown.get(member.key, MASK))
    elif node.kind == "array" and isinstance(shown, list):
        for member, item in zip(node.members, _filled(shown, len(node.members)), strict=True):
            yield from _hidden(member.value, item)
    elif node.value != shown:
        yield node, shown


def _filled(shown: Sequence[Any], number: int) -> list[Any]:
    return [*shown, *[MASK] * (number - len(shown))][:number]
