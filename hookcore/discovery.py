"""The plugins that the installed distributions offer, found without importing any of them."""
# Paths stay strings here: a scan of 500 distributions has no time for objects.
# ruff: noqa: PTH113, PTH119

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import PluginLoadError
from .metadata import (
    GROUP,
    editable_project,
    metadata_folders,
    normalised,
    offers,
    without_build_leftovers,
)
from .naming.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from importlib_metadata import Distribution

__all__ = [
    "GROUP",
    "Catalog",
    "PluginSource",
    "discover",
    "editable_project",
]


@dataclass(frozen=True, slots=True)
class PluginSource:
    """One plugin that an installed distribution offers, not yet imported."""

    name: str
    value: str
    """The entry point's ``package.module:attribute``."""
    distribution: str
    version: str
    location: str
    """The path of the distribution's metadata."""
    conflict: str | None = None
    """The reason why the plugin cannot be told from another one, and what to uninstall."""

    def load(self) -> object:
        """Import what the entry point names.

        Returns:
            The class, instance or module.

        Raises:
            PluginLoadError: something else offers the same plugin, or its module has nothing of the
                name that the entry point says.
            Exception: whatever the plugin's code raises while it is imported.
        """
        if self.conflict is not None:
            raise PluginLoadError(self.conflict, (self.conflict,))
        from importlib import import_module

        module, _, path = self.value.partition("[")[0].partition(":")
        found: Any = import_module(module.strip())
        for name in filter(None, path.strip().split(".")):
            if not hasattr(found, name):
                raise PluginLoadError(_nameless(self, module.strip(), name, found))
            found = getattr(found, name)
        return found


def _nameless(source: PluginSource, module: str, name: str, found: object) -> str:
    here = [known for known in dir(found) if not known.startswith("_")]
    return (
        f"its entry point {source.name} = {source.value!r} names {name}, and {module} has no such "
        f"thing{did_you_mean(name, here)}"
    )


class Catalog(Mapping[str, PluginSource]):
    """The plugins on a path by name, sorted by name."""

    __slots__ = ("_sources", "problems")

    def __init__(self, sources: Iterable[PluginSource], problems: Iterable[str] = ()) -> None:
        self._sources = {source.name: source for source in sorted(sources, key=lambda s: s.name)}
        self.problems = tuple(problems)
        """Distributions whose entry points cannot be read, one sentence each."""

    def __getitem__(self, name: str) -> PluginSource:
        return self._sources[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)

    def __repr__(self) -> str:
        return f"Catalog({list(self._sources)})"

    def of_distribution(self, name: str) -> tuple[PluginSource, ...]:
        """List the plugins of one distribution.

        Args:
            name: the distribution; ``-``, ``_`` and ``.`` are one, as in pip.

        Returns:
            Its plugins, sorted by name.
        """
        key = normalised(name)
        return tuple(s for s in self._sources.values() if normalised(s.distribution) == key)


_lock = threading.Lock()
_cached: Catalog | None = None


def discover(*, refresh: bool = False, path: Sequence[str] | None = None) -> Catalog:
    """List the plugins of every installed distribution.

    Args:
        refresh: look again, instead of answering what the process found first.
        path: the folders and archives to look in; None for ``sys.path``. The answer for a path is
            not kept.

    Returns:
        The plugins. One that is offered twice carries a ``conflict``.
    """
    if path is not None:
        return _scan(path)
    global _cached  # noqa: PLW0603 - one answer per process is the contract
    with _lock:
        if _cached is None or refresh:
            _cached = _scan(sys.path)
        return _cached


@dataclass(frozen=True, slots=True)
class _Metadata:
    """The metadata of one distribution, and whether its entry points speak of our group."""

    key: str
    location: str
    offers: bool
    problem: str | None = None
    """The reason why nobody can read the entry points, ours or others'."""
    distribution: Distribution | None = None  # None: read it from the location when needed


def _scan(path: Iterable[str]) -> Catalog:
    copies: dict[str, list[_Metadata]] = {}
    problems: list[str] = []
    for metadata in (*_in_folders(path), *_elsewhere(path, problems)):
        copies.setdefault(metadata.key, []).append(metadata)
        if metadata.problem is not None:
            name = " ".join(os.path.basename(metadata.location).rpartition(".")[0].split("-")[:2])
            problems.append(_unreadable(name or metadata.key, metadata.location, metadata.problem))
    found: dict[str, list[PluginSource]] = {}
    for same in copies.values():
        if any(metadata.offers for metadata in same):
            kept = set(without_build_leftovers([metadata.location for metadata in same]))
            for source in _sources([m for m in same if m.location in kept], problems):
                found.setdefault(source.name, []).append(source)
    return Catalog((_only(sources) for sources in found.values()), problems)


def _in_folders(path: Iterable[str]) -> Iterator[_Metadata]:
    """Read folders directly: building an object per distribution takes five times as long."""
    return (_Metadata(key, place, *offers(place)) for key, place in metadata_folders(path))


def _unreadable(name: str, location: str, why: str) -> str:
    text = f"the entry points of {name} ({location}) cannot be read ({why}): reinstall it"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")  # a path may be no text


def _elsewhere(path: Iterable[str], problems: list[str]) -> Iterator[_Metadata]:
    """Ask importlib_metadata about archives, and finders of other people's about everything."""
    archives = [entry for entry in path if os.path.isfile(entry or ".")]
    foreign: list[Any] = [finder for finder in sys.meta_path if _is_foreign(finder)]
    if not archives and not foreign:
        return
    from importlib_metadata import DistributionFinder, distributions

    context: Any = DistributionFinder.Context
    asked = [(archive, partial(distributions, path=[archive])) for archive in archives]
    asked += [
        (repr(finder), partial(finder.find_distributions, context(path=list(path))))
        for finder in foreign
    ]
    for place, ask in asked:
        try:
            yield from [_of(distribution) for distribution in ask()]
        except Exception as error:  # noqa: BLE001 - anybody's archive or finder may be broken
            problems.append(_unreadable("what is there", place, f"{type(error).__name__}: {error}"))


def _of(distribution: Any) -> _Metadata:
    name, location = distribution.name or "", str(distribution.locate_file(""))
    text = distribution.read_text("entry_points.txt") or ""
    return _Metadata(normalised(name), location, GROUP in text, distribution=distribution)


def _is_foreign(finder: object) -> bool:
    home = getattr(finder, "__module__", None) or type(finder).__module__
    ours = home == "_frozen_importlib_external" or "importlib_metadata" in home.split(".")
    return hasattr(finder, "find_distributions") and not ours


def _sources(same: Sequence[_Metadata], problems: list[str]) -> Iterator[PluginSource]:
    """Name the plugins of one distribution, which may be there in several copies."""
    from importlib_metadata import PathDistribution

    places = []
    found: list[PluginSource] = []
    for metadata in same:
        distribution = metadata.distribution or PathDistribution(Path(metadata.location))
        name, version = _identity(distribution, metadata)
        places.append(f"{version} ({metadata.location})")
        try:
            entries = [(e.name, e.value) for e in distribution.entry_points.select(group=GROUP)]
        except Exception as error:  # noqa: BLE001 - anybody's metadata may be broken in any way
            if metadata.problem is None:
                why = f"{type(error).__name__}: {error}"
                problems.append(_unreadable(name, metadata.location, why))
            continue
        found += (PluginSource(*e, name, version, metadata.location) for e in entries)
    if len(places) > 1 and found:
        conflict = (
            f"distribution {found[0].distribution} is on the path {len(places)} times: "
            f"{' and '.join(places)}: remove all but one of them "
            f"(pip uninstall {found[0].distribution}, or delete the folder)"
        )
        found = [_with_conflict(source, conflict) for source in found]
    yield from found


def _identity(distribution: Distribution, metadata: _Metadata) -> tuple[str, str]:
    """Read name and version by hand, since loading an e-mail parser takes longer than the scan."""
    fields: dict[str, str] = {}
    try:
        text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
    except ValueError:
        text = ""  # not UTF-8: what it offers is still worth listing
    for line in text.partition("\n\n")[0].splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip().lower(), value.strip())
    return fields.get("name") or metadata.key, fields.get("version") or "unknown"


def _only(sources: Sequence[PluginSource]) -> PluginSource:
    """Answer the one source of a plugin; several are a conflict, and the first one tells it."""
    first = sources[0]
    if len(sources) == 1 or first.conflict is not None:
        return first
    offers = [f"{s.distribution} {s.version} ({s.location})" for s in sources]
    others = sorted({s.distribution for s in sources} - {first.distribution})
    remedy = f"uninstall one of them (pip uninstall {others[0]})" if others else "mend its metadata"
    return _with_conflict(
        first, f"plugin {first.name} is offered by {' and by '.join(offers)}: {remedy}"
    )


def _with_conflict(source: PluginSource, conflict: str) -> PluginSource:
    return PluginSource(
        source.name, source.value, source.distribution, source.version, source.location, conflict
    )
