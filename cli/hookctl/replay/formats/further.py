"""Formats of other distributions, from the entry-point group ``hookcore.transcripts``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Protocol

from ...failure import BrokenError
from ...further import entries, loaded, named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from importlib_metadata import EntryPoint

    from ..model import RecordedRun
    from ..stream import Item
    from .source import TranscriptSource

__all__ = ["GROUP", "TranscriptFormat", "further_formats"]

GROUP = "hookcore.transcripts"
_KIND = "the transcript format"
_NEEDED = ("TITLE", "recognises", "read")


class TranscriptFormat(Protocol):
    """A module or object that an entry point names; the entry point's name is the format's."""

    TITLE: str
    """The format in a few words, for people who gave an input of none."""

    def recognises(self, value: object) -> bool:
        """Tell whether a JSON value, the first of an input, is of this format.

        Args:
            value: any JSON value.

        Returns:
            True only where no other format can be meant.
        """
        ...

    def read(self, items: Iterable[Item], source: TranscriptSource) -> Iterator[RecordedRun]:
        """Turn the values of one input into runs.

        Args:
            items: the values, each with its line.
            source: names places and runs, and is told of what cannot be read.

        Yields:
            The runs.
        """
        ...


@cache
def further_formats() -> dict[str, TranscriptFormat]:
    """Import the formats of other distributions, once in a process.

    Returns:
        The formats by name, sorted.

    Raises:
        BrokenError: one cannot be imported, or is no format.
    """
    return {
        entry.name: _loaded(entry) for entry in sorted(entries(GROUP), key=lambda one: one.name)
    }


def _loaded(entry: EntryPoint) -> TranscriptFormat:
    found: TranscriptFormat = loaded(entry, _KIND)
    missing = [name for name in _NEEDED if not hasattr(found, name)]
    if missing:
        raise BrokenError(
            f"{named(entry, _KIND)} has no {', '.join(missing)}: mend or uninstall it"
        )
    return found
