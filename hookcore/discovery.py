"""Which plugins the installed distributions offer, found without importing any of them."""
# Paths stay strings here: a scan of 500 distributions has no time for objects.
# ruff: noqa: PTH113, PTH118, PTH119, PTH123, PTH208

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import PluginLoadError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from importlib_metadata import Distribution

__all__ = ["GROUP", "Catalog", "PluginSource", "discover", "editable_project"]

GROUP = "hookcore.plugins"
_INSTALLED_IN = frozenset({"site-packages", "dist-packages"})
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")


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
    """Why the plugin cannot be told from another one, and what to uninstall."""

    def load(self) -> object:
        """Import what the entry point names.

        Returns:
            The class, instance or module.

        Raises:
            PluginLoadError: Something else offers the same plugin.
            Exception: Whatever the plugin's code raises while it is imported.
        """
        if self.conflict is not None:
            raise PluginLoadError(self.conflict, (self.conflict,))
        from importlib_metadata import EntryPoint

        loaded: object = EntryPoint(name=self.name, value=self.value, group=GROUP).load()
        return loaded


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
            name: The distribution; ``-``, ``_`` and ``.`` are one, as in pip.

        Returns:
            Its plugins, sorted by name.
        """
        key = _normalised(name)
        return tuple(s for s in self._sources.values() if _normalised(s.distribution) == key)


_lock = threading.Lock()
_cached: Catalog | None = None


def discover(*, refresh: bool = False, path: Sequence[str] | None = None) -> Catalog:
    """List the plugins of every installed distribution.

    Args:
        refresh: Look again, instead of answering what the process found first.
        path: The folders and archives to look in; None for ``sys.path``. The answer for a path is
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
    distribution: Distribution | None = None  # None: read it from the location when needed


def _scan(path: Iterable[str]) -> Catalog:
    copies: dict[str, list[_Metadata]] = {}
    for metadata in (*_in_folders(path), *_elsewhere(path)):
        copies.setdefault(metadata.key, []).append(metadata)
    offers: dict[str, list[PluginSource]] = {}
    problems: list[str] = []
    for same in copies.values():
        if any(metadata.offers for metadata in same):
            kept = _without_build_leftovers(same)
            for source in _sources(kept, problems):
                offers.setdefault(source.name, []).append(source)
    return Catalog((_only(sources) for sources in offers.values()), problems)


def _in_folders(path: Iterable[str]) -> Iterator[_Metadata]:
    """Read folders directly: building an object per distribution takes five times as long."""
    seen: set[str] = set()
    for entry in path:
        root = os.path.realpath(entry)
        if root in seen:
            continue
        seen.add(root)
        try:
            names = sorted(os.listdir(root))
        except OSError:
            continue  # not a folder, or not ours to read: an import would find nothing either
        for name in names:
            if _is_metadata(name, root):
                location = os.path.join(root, name)
                yield _Metadata(_key(name, root), location, _offers(location))


def _is_metadata(name: str, root: str) -> bool:
    if name.startswith("~"):
        return False  # what an interrupted pip leaves behind; pip ignores it too
    lowered = name.lower()
    return lowered.endswith((".dist-info", ".egg-info")) or (
        lowered == "egg-info" and root.lower().endswith(".egg")
    )


def _key(name: str, root: str) -> str:
    if name.lower() == "egg-info":
        name = os.path.basename(root)
    stem = name.rpartition(".")[0]
    return _normalised(stem.partition("-")[0])


def _offers(location: str) -> bool:
    try:
        with open(os.path.join(location, "entry_points.txt"), "rb") as file:
            return GROUP.encode() in file.read()
    except OSError:
        return False


def _elsewhere(path: Iterable[str]) -> Iterator[_Metadata]:
    """Ask importlib_metadata about archives, and finders of other people's about everything."""
    archives = [entry for entry in path if os.path.isfile(entry or ".")]
    foreign: list[Any] = [finder for finder in sys.meta_path if _is_foreign(finder)]
    if not archives and not foreign:
        return
    from importlib_metadata import DistributionFinder, distributions

    found: list[Any] = list(distributions(path=archives)) if archives else []
    context: Any = DistributionFinder.Context
    for finder in foreign:
        found += finder.find_distributions(context(path=list(path)))
    for distribution in found:
        name, location = distribution.name or "", str(distribution.locate_file(""))
        text = distribution.read_text("entry_points.txt") or ""
        yield _Metadata(_normalised(name), location, GROUP in text, distribution)


def _is_foreign(finder: object) -> bool:
    home = getattr(finder, "__module__", None) or type(finder).__module__
    ours = home == "_frozen_importlib_external" or "importlib_metadata" in home.split(".")
    return hasattr(finder, "find_distributions") and not ours


def _without_build_leftovers(same: list[_Metadata]) -> list[_Metadata]:
    """Leave out the egg-info that building an editable install left in its source folder."""
    if len(same) == 1:
        return same
    projects = [project for metadata in same if (project := editable_project(metadata.location))]
    return [
        metadata
        for metadata in same
        if not any(_is_left_in(project, metadata.location) for project in projects)
    ]


def _is_left_in(project: str, location: str) -> bool:
    """Tell a build's leftover from an installation, which no forged direct_url.json may hide."""
    place = Path(location)
    return (
        location.endswith(".egg-info")
        and place.is_relative_to(project)
        and not _INSTALLED_IN.intersection(place.parts)
        and any(os.path.isfile(os.path.join(project, name)) for name in _PROJECT_FILES)
    )


def editable_project(location: str) -> str | None:
    """Return the source folder of an editable install; None when it is no such install.

    Args:
        location: The path of the distribution's metadata.
    """
    import json
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        text = Path(location, "direct_url.json").read_text(encoding="utf-8")
        record = json.loads(text)
        if not record["dir_info"]["editable"]:
            return None
        return os.path.realpath(url2pathname(urlsplit(record["url"]).path))
    except (OSError, ValueError, KeyError, TypeError):
        return None


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
            problems.append(
                f"the entry points of {name} {version} ({metadata.location}) cannot be read "
                f"({type(error).__name__}: {error}): reinstall it"
            )
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


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
