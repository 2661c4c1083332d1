"""The changes that a hook made in a payload, leaf by leaf, each reported once."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_ALIGNED = 10_000
"""Items between the first and the last that differ; more are paired by position."""
Path = tuple[object, ...]


class _Missing:
    """Stands for a value that is not there."""

    def __repr__(self) -> str:
        return "(nothing)"


MISSING: Final = _Missing()


@dataclass(slots=True)
class LeafChange:
    """One value that became another; `MISSING` where it was added or removed."""

    path: Path
    before: object
    after: object
    _key: bytes | None = field(default=None, compare=False, repr=False)

    @property
    def key(self) -> bytes:
        """Its old and its new value, by which it is known wherever it stands."""
        if self._key is None:
            self._key = _key([_keyed(self.before), _keyed(self.after)])
        return self._key


def leaf_changes(before: object, after: object, path: Path = ()) -> list[LeafChange]:
    """Compare two payloads.

    Args:
        before: the payload as a hook got it.
        after: the payload as the hook left it.
        path: where the two stand.

    Returns:
        The smallest values that differ, in order; list items that were added or removed are
        found even when the others moved.
    """
    if equal(before, after):
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        return [
            change
            for key in [*before, *(key for key in after if key not in before)]
            for change in leaf_changes(
                before.get(key, MISSING), after.get(key, MISSING), (*path, key)
            )
        ]
    if isinstance(before, list) and isinstance(after, list):
        return _list_changes(before, after, path)
    return [LeafChange(path, before, after)]


def _list_changes(before: list[object], after: list[object], path: Path) -> list[LeafChange]:
    pairs = (
        [(index, index) for index in range(len(before))]
        if len(before) == len(after)
        else _aligned(before, after)
    )
    changes: list[LeafChange] = []
    for old, new in pairs:
        if old is not None and new is not None and equal(before[old], after[new]):
            continue
        was = MISSING if old is None else before[old]
        now = MISSING if new is None else after[new]
        changes += leaf_changes(was, now, (*path, new if old is None else old))
    return changes


def _aligned(before: list[object], after: list[object]) -> list[tuple[int | None, int | None]]:
    """Pair the items of two lists of different length; None stands for an item not there."""
    old, new = [*map(_key, before)], [*map(_key, after)]
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    pairs: list[tuple[int | None, int | None]] = []
    for i, i_end, j, j_end in _blocks(old_middle, new_middle):
        for offset in range(max(i_end - i, j_end - j)):
            left = head + i + offset if i + offset < i_end else None
            right = head + j + offset if j + offset < j_end else None
            pairs.append((left, right))
    return pairs


def _blocks(old: list[bytes], new: list[bytes]) -> list[tuple[int, int, int, int]]:
    if len(old) + len(new) > _MOST_ALIGNED:
        return [(0, len(old), 0, len(new))]
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [code[1:] for code in codes if code[0] != "equal"]


def _common(old: list[bytes], new: list[bytes]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


@dataclass(slots=True)
class Reported:
    """The changes reported in a run so far, so that a history that comes again adds nothing.

    A change is known by its old and new value and counted, so that the same words said twice are
    two changes, wherever the messages around them went.
    """

    _counts: dict[tuple[str, str], Counter[bytes]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    _most: dict[str, Counter[bytes]] = field(default_factory=lambda: defaultdict(Counter))
    """For each plugin, the highest count of each change among all points."""

    def add(self, plugin: str, point: str, changes: list[LeafChange]) -> None:
        """Remember changes of something that is judged once.

        Args:
            plugin: the plugin that made them.
            point: the point.
            changes: the changes.
        """
        counts = self._counts[plugin, point]
        counts.update(change.key for change in changes)
        self._raise(plugin, counts, (change.key for change in changes))

    def new(self, plugin: str, point: str, changes: list[LeafChange]) -> list[LeafChange]:
        """Pick the changes of a whole history that were not reported yet, and remember them.

        Args:
            plugin: the plugin that made them.
            point: the point.
            changes: all that it changed in the history this time.

        Returns:
            Those beyond what was reported, at this point or another.
        """
        known, counts = self._most[plugin], self._counts[plugin, point]
        seen = Counter[bytes]()
        fresh = []
        for change in changes:
            seen[change.key] += 1
            if seen[change.key] > known[change.key]:
                fresh.append(change)
        for key, count in seen.items():
            counts[key] = max(counts[key], count)
        self._raise(plugin, counts, seen)
        return fresh

    def _raise(self, plugin: str, counts: Counter[bytes], keys: Iterable[bytes]) -> None:
        most = self._most[plugin]
        for key in keys:
            most[key] = max(most[key], counts[key])


def _keyed(value: object) -> object:
    return ["missing"] if value is MISSING else ["value", value]


def _key(value: object) -> bytes:
    try:
        text = json.dumps(value, sort_keys=True, default=_name_of)
    except (TypeError, ValueError, RecursionError):
        text = _name_of(value)
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _name_of(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - a policy's own object may raise anything
        return type(value).__name__


def equal(before: object, after: object) -> bool:
    """Tell whether two values are of one type and equal.

    Args:
        before: a value.
        after: another.

    Returns:
        False also where comparing them fails.
    """
    if type(before) is not type(after):
        return False
    try:
        return bool(before == after)
    except Exception:  # noqa: BLE001 - a policy's own object may raise anything
        return False
