"""Changes as a short text for people, without the values that a policy took out."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from .changes import MISSING, LeafChange
from .safetext import printable, shorten
from .wording import Hunk, common_length, text_hunks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST_CHANGES = 10
_MOST_HUNKS = 5
_CONTEXT = 30
_VALUE = 200
_SHORTEST_SECRET = 4
# What redactors leave behind: [EMAIL_1], <CARD>, {{KEY:ab12}}, ****, REDACTED.
_PLACEHOLDER = re.compile(
    r"[\[<{(]{1,2}[A-Z][A-Z_]{2,}[^\s\]>})]{0,80}[\]>})]{1,2}"
    r"|[*•█■]{3,}|[xX#]{4,}|(?i:redacted|masked|removed)"
)


def removed_values(changes: Iterable[LeafChange], *, secret: bool = False) -> set[str]:
    """Collect the texts that were replaced by a placeholder, or taken out altogether.

    Args:
        changes: the changes of one plugin.
        secret: whether all that the plugin replaced counts, whatever it put there.

    Returns:
        The texts, to be hidden wherever else they would be shown.
    """
    return {
        value
        for change in changes
        if isinstance(change.before, str) and isinstance(change.after, str)
        for hunk in text_hunks(change.before, change.after)
        if _hides(hunk, secret=secret) and len(value := _split(hunk)[1]) >= _SHORTEST_SECRET
    }


def render(
    root: str,
    changes: Sequence[LeafChange],
    hidden: Iterable[str] = (),
    *,
    secret: bool = False,
) -> str:
    """Write changes as a diff.

    A text that a placeholder replaced, or that was taken out, is shown by its length only, so
    that a replay's findings can be kept where the transcript may not be.

    Args:
        root: what the payload is called, for example `messages`.
        changes: the changes.
        hidden: further texts that are not shown, from `removed_values`.
        secret: whether no replaced value is shown, whatever came in its place.

    Returns:
        For each change a line `@@ place`, then lines that begin with `-` and `+`; every line is
        safe to print.
    """
    secrets = sorted(hidden, key=len, reverse=True)
    lines: list[str] = []
    for change in changes[:_MOST_CHANGES]:
        lines.append(f"@@ {printable(place(root, change.path))}")
        lines += map(printable, _change_lines(_without(change, secrets), secret=secret))
    if len(changes) > _MOST_CHANGES:
        lines.append(f"… {len(changes) - _MOST_CHANGES} more changes")
    return "\n".join(lines)


def place(root: str, path: Iterable[object]) -> str:
    """Write where a value stands.

    Args:
        root: what the payload is called.
        path: keys and list positions.

    Returns:
        For example `messages[3].content`.
    """
    steps = (
        f"[{step}]" if isinstance(step, int) else f".{shorten(str(step), 60)}" for step in path
    )
    return root + "".join(steps)


def _without(change: LeafChange, secrets: list[str]) -> LeafChange:
    return LeafChange(
        change.path, _hide_in(change.before, secrets), _hide_in(change.after, secrets)
    )


def _hide_in(value: object, secrets: list[str]) -> object:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, _hidden(secret))
        return value
    if isinstance(value, list):
        return [_hide_in(item, secrets) for item in value]
    if isinstance(value, dict):
        return {key: _hide_in(item, secrets) for key, item in value.items()}
    return value


def _change_lines(change: LeafChange, *, secret: bool) -> list[str]:
    before, after = change.before, change.after
    if isinstance(before, str) and isinstance(after, str):
        return _text_lines(before, after, secret=secret)
    lines = [] if before is MISSING else [f"- {_old_value(before, after, secret=secret)}"]
    return lines + ([] if after is MISSING else [f"+ {_shown(after)}"])


def _text_lines(before: str, after: str, *, secret: bool) -> list[str]:
    lines: list[str] = []
    hunks = text_hunks(before, after)
    for hunk in hunks[:_MOST_HUNKS]:
        head, tail = _around(after, hunk)
        removed = hunk.removed
        if _hides(hunk, secret=secret):
            start, value, end = _split(hunk)
            removed = f"{start}{_hidden(value)}{end}"
        lines.append(f"- {head}{shorten(removed, _VALUE)}{tail}")
        lines.append(f"+ {head}{shorten(hunk.inserted, _VALUE)}{tail}")
    if len(hunks) > _MOST_HUNKS:
        lines.append(f"… {len(hunks) - _MOST_HUNKS} more places")
    return lines


def _around(after: str, hunk: Hunk) -> tuple[str, str]:
    """Take the words around a hunk from the new text: the old one may hold what was removed."""
    end = hunk.start + len(hunk.inserted)
    head = after[max(0, hunk.start - _CONTEXT) : hunk.start]
    tail = after[end : end + _CONTEXT]
    cut_head = "…" if hunk.start > _CONTEXT else ""
    cut_tail = "…" if end + _CONTEXT < len(after) else ""
    return cut_head + head, tail + cut_tail


def _hides(hunk: Hunk, *, secret: bool) -> bool:
    inserted = hunk.inserted.strip()
    if not hunk.removed.strip():
        return False
    return secret or not inserted or bool(_PLACEHOLDER.search(inserted))


def _split(hunk: Hunk) -> tuple[str, str, str]:
    """Split what was removed: `key=`, `abc` and `,` where `key=abc,` became `key=[KEY_1],`."""
    removed, inserted = hunk.removed, hunk.inserted
    head = common_length(removed, inserted)
    tail = common_length(removed[head:][::-1], inserted[head:][::-1])
    end = len(removed) - tail
    return removed[:head], removed[head:end], removed[end:]


def _old_value(before: object, after: object, *, secret: bool) -> str:
    """Show what was there, unless it went without anything but a placeholder in its place."""
    placeholder = isinstance(after, str) and _PLACEHOLDER.search(after)
    if before is None or isinstance(before, bool):
        return _shown(before)
    if not (secret or placeholder or after is MISSING):
        return _shown(before)
    if isinstance(before, dict) and isinstance(before.get("role"), str):
        return f"{before['role']} message {_hidden(_shown(before))}"
    return _hidden(before if isinstance(before, str) else _shown(before))


def _shown(value: object) -> str:
    if isinstance(value, str):
        return json.dumps(shorten(value, _VALUE), ensure_ascii=False)
    try:
        text = json.dumps(value, ensure_ascii=False, default=lambda item: type(item).__name__)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return shorten(text, _VALUE)


def _hidden(text: str) -> str:
    count = len(text)
    return f"[{count} {'character' if count == 1 else 'characters'} hidden]"
