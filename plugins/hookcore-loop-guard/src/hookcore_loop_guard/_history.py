"""The calls of one run, and the repetitions in them."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from ._digests import Digests
from ._growth import Growth
from .settings import LoopGuardSettings

__all__ = ["Entry", "History", "Seen"]

_TH: Final = {1: "st", 2: "nd", 3: "rd"}


@dataclass(slots=True)
class Entry:
    """A call.

    Args:
        key: the digest of its tool and arguments.
        call_id: its id.
        result: the digest of its result; None while it has none.
        struck: whether it was noticed to be a repetition.
    """

    key: int
    call_id: str | None
    result: int | None = None
    struck: bool = False

    @property
    def outcome(self) -> int:
        """The digest of the result; the same for all calls that had none, being denied."""
        return self.result or 0


@dataclass(frozen=True, slots=True)
class Seen:
    """A repetition.

    Args:
        what: it, in words.
        like: the call that is made again; None where each one differs.
        rule: the setting that says so.
    """

    what: str
    like: Entry | None
    rule: str


class History:
    """Remembers as many calls as it takes to tell a repetition.

    Args:
        settings: the numbers.
        digests: makes digests of values.
    """

    def __init__(self, settings: LoopGuardSettings, digests: Digests) -> None:
        self._settings = settings
        longest = max(settings.same, settings.poll_limit, settings.cycle * settings.max_period)
        self._calls: deque[Entry] = deque(maxlen=longest)
        self._growth = Growth(digests)
        self.strikes = 0
        self.stopped = ""
        #: The setting by which it was stopped.
        self.stopped_by = ""

    def add(self, entry: Entry) -> None:
        """Remember a call that is about to be made."""
        self._calls.append(entry)

    def take_back(self, call_id: str | None) -> None:
        """Forget the last call when it is judged again, since a wrap has changed it.

        Args:
            call_id: the id of the call that is judged.
        """
        last = self._calls[-1] if self._calls else None
        if call_id is None or last is None or last.call_id != call_id or last.result is not None:
            return
        self._calls.pop()
        self._growth.take_back()
        self.strikes -= last.struck

    def ended(self, call_id: str | None, result: int) -> None:
        """Remember the result of a call."""
        for entry in reversed(self._calls):
            if entry.result is None and entry.call_id == call_id:
                entry.result = result
                return

    def repetition(
        self, key: int, tool: str, arguments: Mapping[str, Any], *, polls: bool
    ) -> Seen | None:
        """Return what a call repeats, before it is remembered.

        Args:
            key: the digest of its tool and arguments.
            tool: its tool.
            arguments: its arguments.
            polls: whether the tool is there to be called again and again.
        """
        settings = self._settings
        grown = self._growth.times(tool, arguments) if settings.grow else 0
        least = settings.poll_limit if polls else settings.same
        same = self._same(key) + 1 if least else 0
        if same and same >= least:
            how = " with the same result" if settings.results else ""
            return Seen(
                f"the same call for the {_th(same)} time{how}",
                self._calls[-1],
                "poll_limit" if polls else "same",
            )
        if polls:
            return None
        for period in range(2, settings.max_period + 1 if settings.cycle else 0):
            if self._cycles(key, period):
                what = f"a cycle of {period} calls for the {_th(settings.cycle)} time"
                return Seen(what, self._calls[-period], "cycle")
        if settings.grow and grown >= settings.grow - 1:
            return Seen(f"arguments that grew in {grown + 1} calls in a row", None, "grow")
        return None

    def _same(self, key: int) -> int:
        """Return how many calls at the end are the same, with the same result."""
        count, outcome = 0, 0
        for entry in reversed(self._calls):
            if entry.key != key or (count and self._settings.results and entry.outcome != outcome):
                break
            count, outcome = count + 1, entry.outcome
        return count

    def _cycles(self, key: int, period: int) -> bool:
        """Tell whether this call ends a cycle of so many calls."""
        calls, results = self._calls, self._settings.results
        needed = period * self._settings.cycle - 1
        if len(calls) < needed or calls[-period].key != key:
            return False
        tail = list(islice(calls, len(calls) - needed, None))
        keys = [entry.key for entry in tail] + [key]
        if len(set(keys[:period])) == 1:
            return False  # one call, again and again: that is no cycle
        return all(
            keys[at] == keys[at - period]
            and (not results or at == needed or tail[at].outcome == tail[at - period].outcome)
            for at in range(period, needed + 1)
        )


def _th(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else _TH.get(number % 10, "th")
    return f"{number}{ending}"
