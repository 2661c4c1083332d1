"""Tracebacks of hooks that failed in a dry run, without the frames that are not their authors'."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import hookcore
import hookctl

from .output import note

if TYPE_CHECKING:
    from traceback import TracebackException

    from hookcore.tracing import Change

__all__ = ["HELP", "Failures"]

HELP = "Show the tracebacks of hooks that fail; they may quote payloads."
_OURS = tuple(str(Path(str(package.__file__)).parent) for package in (hookcore, hookctl))
_DEEPEST = 20
_FAILED = ("error", "timeout")


@dataclass(slots=True)
class Failures:
    """Keeps the first traceback of each failure, and counts the others like it."""

    _texts: dict[tuple[str, str, str], str] = field(default_factory=dict)
    _counts: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def add(self, change: Change) -> None:
        """Keep a failure.

        Args:
            change: what a hook did; what is no failure is passed over.
        """
        if change.verdict not in _FAILED:
            return
        key = (change.plugin, change.hook, str(change.reason))
        self._counts[key] = self._counts.get(key, 0) + 1
        if change.error is not None and key not in self._texts:
            self._texts[key] = _text(change.error)

    def tell(self, *, shown: bool) -> None:
        """Write what was kept to standard error.

        Args:
            shown: whether the tracebacks are wanted; else it is told how to get them.
        """
        if self._counts and not shown:
            note("--traceback shows where and why hooks failed")
        for (plugin, hook, why), count in self._counts.items() if shown else ():
            times = "" if count == 1 else f", {count} times"
            note(f"\n{plugin}: {hook} failed{times}:")
            note(self._texts.get((plugin, hook, why), why).rstrip())


def _text(error: BaseException) -> str:
    import traceback  # here, because it is seldom needed

    told = traceback.TracebackException.from_exception(error)
    _strip(told, depth=0)
    return "".join(told.format())


def _strip(told: TracebackException | None, depth: int) -> None:
    """Leave our own frames out, in what caused it too."""
    if told is None or depth > _DEEPEST:
        return
    import traceback

    theirs = [frame for frame in told.stack if not frame.filename.startswith(_OURS)]
    told.stack = traceback.StackSummary.from_list(theirs or list(told.stack))
    _strip(told.__cause__, depth + 1)
    _strip(told.__context__, depth + 1)
