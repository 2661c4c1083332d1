"""Findings, and the ledger that counts them and keeps them out of memory."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field, fields
from typing import IO, TYPE_CHECKING, Any

from .formats.source import Names
from .stats import PluginStats
from .tracks import Tracks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import TracebackType

    from typing_extensions import Self

_IN_MEMORY = 8 * 1024 * 1024
"""Characters of findings that are kept in memory; more go to a temporary file."""
_COUNTS = ("runs", "events", "modified", "aborted", "errors", "observed", "repeated", "malformed")
_MOST_NAMED = 1000
"""Malformed lines that are named; all are counted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a policy did, or would have done, to a recorded run."""

    run: str
    step: int
    point: str
    tool: str | None
    plugin: str | None
    """None where no plugin is involved: arguments that do not parse."""
    verdict: str
    """`modify`, `deny`, `error` or `timeout`."""
    effect: str
    """`applied`, `observed` (monitor mode) or `ignored` (a failure that is let pass)."""
    reason: str | None
    diff: str | None
    where: str
    """File, line and message."""
    call_id: str | None = None
    stops: bool = False
    """True where the operation does not happen because of it, or would not in enforce mode."""
    rule: str | None = None
    """The rule that denied, where the policy names it."""


_FIELDS = tuple(each.name for each in fields(Finding))


@dataclass(slots=True)
class Partial:
    """The result of one partition: numbers that add up, and findings."""

    numbers: dict[str, Any]
    """As JSON has them; `merge` knows what they are."""
    findings: Iterable[str]
    """A line of JSON for each, without its end; to be gone through once."""

    def read(self) -> Partial:
        """Read all findings into memory, so that the partial can be pickled.

        Returns:
            A partial whose findings are a list.
        """
        return Partial(self.numbers, list(self.findings))


@dataclass(slots=True)
class Ledger:
    """Everything that a replay found out."""

    runs: int = 0
    events: int = 0
    modified: int = 0
    aborted: int = 0
    errors: int = 0
    observed: int = 0
    repeated: int = 0
    malformed: int = 0
    malformed_lines: list[dict[str, str]] = field(default_factory=list)
    unreadable: list[dict[str, str]] = field(default_factory=list)
    plugins: dict[str, PluginStats] = field(default_factory=dict)
    names: Names = field(default_factory=Names)
    """Makes the names of runs unique."""
    tracks: Tracks | None = None
    """The moments of runs, where somebody wants to see them."""
    _spool: IO[str] = field(
        default_factory=lambda: tempfile.SpooledTemporaryFile(  # noqa: SIM115 - `close` does
            max_size=_IN_MEMORY, mode="w+", encoding="utf-8"
        )
    )

    def __enter__(self) -> Self:
        """Use the ledger as long as it is needed."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Drop the temporary file."""
        self.close()

    def __del__(self) -> None:
        # A partial whose findings nobody reads leaves nothing open.
        self.close()

    def close(self) -> None:
        """Drop the temporary file."""
        self._spool.close()

    def add(self, finding: Finding) -> None:
        """Count and keep a finding.

        Args:
            finding: the finding.
        """
        stops = finding.stops
        failed = finding.verdict in ("error", "timeout")
        self.modified += finding.verdict == "modify"
        self.aborted += stops
        self.errors += failed
        self.observed += finding.effect == "observed"
        if finding.plugin is not None:
            stats = self.stats(finding.plugin)
            stats.modified += finding.verdict == "modify"
            stats.aborted += stops
            stats.errors += failed
        self._spool.write(json.dumps({name: getattr(finding, name) for name in _FIELDS}) + "\n")

    def stats(self, plugin: str) -> PluginStats:
        """Give the numbers of one plugin.

        Args:
            plugin: its name.

        Returns:
            The same object each time.
        """
        known = self.plugins.get(plugin)
        return known or self.plugins.setdefault(plugin, PluginStats())

    def complain(self, where: str, reason: str) -> None:
        """Count a line or message that cannot be read.

        Args:
            where: file, line and position.
            reason: why.
        """
        self.malformed += 1
        if len(self.malformed_lines) < _MOST_NAMED:
            self.malformed_lines.append({"where": where, "reason": reason})

    def refuse(self, where: str, reason: str) -> None:
        """Note an input, or a part of one, that could not be replayed.

        Args:
            where: which.
            reason: why.
        """
        self.unreadable.append({"where": where, "reason": reason})

    def numbers(self) -> dict[str, Any]:
        """Give all numbers, to be added to those of another ledger.

        Returns:
            A value that JSON can hold.
        """
        tracks = {} if self.tracks is None else {"tracks": self.tracks.to_data()}
        return {
            **{name: getattr(self, name) for name in _COUNTS},
            **tracks,
            "malformed_lines": self.malformed_lines,
            "unreadable": self.unreadable,
            "plugins": {name: stats.to_data() for name, stats in self.plugins.items()},
            "names": [list(asked) for asked in self.names.asked or ()],
        }

    def take(self, partial: Partial) -> None:
        """Add what a part of the inputs came to; the parts come in the order of the inputs.

        Args:
            partial: the part; its findings are gone through.
        """
        numbers = partial.numbers
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + numbers[name])
        self.malformed_lines += numbers["malformed_lines"][
            : _MOST_NAMED - len(self.malformed_lines)
        ]
        self.unreadable += numbers["unreadable"]
        for plugin, data in numbers["plugins"].items():
            self.stats(plugin).merge(PluginStats.from_data(data))
        renamed = self.names.renamed((parent, wanted) for parent, wanted in numbers["names"])
        if self.tracks is not None:
            self.tracks.take(numbers.get("tracks", ()), renamed)
        for line in partial.findings:
            written = line
            if renamed:
                finding = json.loads(line)
                if finding["run"] in renamed:
                    written = json.dumps({**finding, "run": renamed[finding["run"]]})
            self._spool.write(written + "\n")

    def lines(self) -> Iterator[str]:
        """Go through the findings kept so far as text.

        Yields:
            A line of JSON for each finding, without its end.
        """
        self._spool.seek(0)
        for line in self._spool:
            yield line.removesuffix("\n")
        self._spool.seek(0, 2)

    def findings(self) -> Iterator[dict[str, object]]:
        """Go through the findings kept so far.

        Yields:
            Each finding as JSON has it.
        """
        yield from map(json.loads, self.lines())

    def summary(self) -> dict[str, object]:
        """Give the numbers for JSON.

        Returns:
            Counts of runs, of events (dispatches), of findings by kind, of malformed lines, and
            the plugins with their hook times.
        """
        return {
            "runs": self.runs,
            "events": self.events,
            "modified": self.modified,
            "aborted": self.aborted,
            "errors": self.errors,
            "observed": self.observed,
            "repeated": self.repeated,
            "malformed": self.malformed,
            "malformed_lines": self.malformed_lines,
            "unreadable": self.unreadable,
            "plugins": {name: stats.as_json() for name, stats in sorted(self.plugins.items())},
        }


def is_complete(numbers: Mapping[str, Any]) -> bool:
    """Tell whether a mapping has all that the numbers of a ledger have.

    Args:
        numbers: read from somewhere.

    Returns:
        False where `Ledger.take` would miss something.
    """
    with Ledger() as empty:
        return numbers.keys() >= empty.numbers().keys()


def merge(partials: Iterable[Partial], ledger: Ledger | None = None) -> Ledger:
    """Put together what partitions came to, as if one replay had gone through all of them.

    Args:
        partials: in the order of the partitions.
        ledger: where they are added; None for a new one.

    Returns:
        The ledger, which its user closes.
    """
    total = Ledger() if ledger is None else ledger
    for partial in partials:
        total.take(partial)
    return total
