"""The presets by name."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from . import _careful, _history, _no_network, _read_only
from ._findings import Finding, Place
from .commands import Segment

__all__ = ["PRESETS", "Finding", "Place", "Preset", "PresetName"]

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


PRESETS: Final = MappingProxyType(
    {
        "read-only": Preset(_read_only.forbids, _read_only.forbids_around),
        "no-network": Preset(_no_network.forbids, _no_network.forbids_around),
        "no-history-rewriting": Preset(_history.forbids, _history.forbids_around, _history.forbids),
        "careful": Preset(_careful.forbids, _careful.forbids_around),
    }
)
"""The presets by the name that settings use."""
