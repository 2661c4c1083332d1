"""The presets by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Final, Literal, NamedTuple

from ._findings import Finding, Place
from .commands import Segment

__all__ = ["Finding", "Place", "Preset", "PresetName", "preset_named"]

Judge = Callable[[Segment, Place], "Finding | None"]
PresetName = Literal["read-only", "no-network", "no-history-rewriting", "careful"]


class Preset(NamedTuple):
    """A ready-made policy.

    Args:
        program: judges what a segment runs.
        around: judges its redirections and the variables set for it, which no allow rule lifts.
        unknown_program: judges a segment of which only the program is unknown; None where such a
            segment is opaque like any other.
    """

    program: Judge
    around: Judge
    unknown_program: Judge | None = None


_HOMES: Final[dict[PresetName, str]] = {
    "read-only": "._read_only",
    "no-network": "._no_network",
    "no-history-rewriting": "._history",
    "careful": "._careful",
}


@cache
def preset_named(name: PresetName) -> Preset:
    """Return a preset; each is imported when it is first asked for.

    Args:
        name: the name that settings use.
    """
    home = import_module(_HOMES[name], __package__)
    unknown: Judge | None = home.forbids if name == "no-history-rewriting" else None
    return Preset(home.forbids, home.forbids_around, unknown)
