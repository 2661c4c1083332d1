"""The moments of runs, with the time that hooks took at each, for time-lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .safetext import printable, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .model import RecordedRun

__all__ = ["Track", "Tracks"]

_MOST_MOMENTS = 200_000
"""The moments that are kept, of all runs together: a page has to hold them."""
_MOST_RUNS = 20_000
_LONGEST = 200
"""Characters of a name, which a model may have written."""
_Moment = tuple[int, str, str | None, float | None]
"""The step, the point, the tool, and the milliseconds of hooks: None where no hook stands."""


@dataclass(slots=True)
class Track:
    """One run, and its moments in order."""

    run: str
    where: str
    moments: list[_Moment] | None = None
    """None where there were too many to be kept."""

    def places(self) -> dict[tuple[int, str], int]:
        """Say where the moments are.

        Returns:
            The place of each among all, by its step and point.
        """
        return {(one[0], one[1]): at for at, one in enumerate(self.moments or ())}


@dataclass(slots=True)
class Tracks:
    """The tracks of all runs of a replay, bounded however many there are."""

    runs: list[Track] = field(default_factory=list)
    _left: int = _MOST_MOMENTS

    def begin(self, run: RecordedRun) -> None:
        """Begin the track of a run.

        Args:
            run: the run.
        """
        self._append(Track(run.id, shorten(run.where, _LONGEST), []))

    def add(self, step: int, point: str, tool: str | None, milliseconds: float | None) -> None:
        """Add a moment to the track that was begun last.

        Args:
            step: the number of the operation in the run.
            point: the point that was dispatched.
            tool: the tool that it was about.
            milliseconds: what hooks took; None where no hook stands.
        """
        if not self.runs or self.runs[-1].moments is None:
            return
        if not self._left:
            self.runs[-1].moments = None
            return
        self._left -= 1
        name = None if tool is None else printable(shorten(tool, _LONGEST))
        self.runs[-1].moments.append((step, point, name, milliseconds))

    def to_data(self) -> list[list[Any]]:
        """Give the tracks as JSON can hold them.

        Returns:
            What `take` reads.
        """
        return [[track.run, track.where, track.moments] for track in self.runs]

    def take(self, data: Iterable[list[Any]], renamed: Mapping[str, str]) -> None:
        """Add the tracks of a part of the inputs.

        Args:
            data: from `to_data`, perhaps by way of JSON.
            renamed: the new names of runs whose names others had already.
        """
        for run, where, moments in data:
            kept = None if moments is None or len(moments) > self._left else moments
            self._left -= len(kept or ())
            self._append(Track(renamed.get(run, run), where, kept and [*map(tuple, kept)]))

    def _append(self, track: Track) -> None:
        if len(self.runs) < _MOST_RUNS:
            self.runs.append(track)
