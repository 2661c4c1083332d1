"""The modules that a distribution needs: its own, and those of what it requires."""
# Paths stay strings where whole installations are walked.
# ruff: noqa: PTH118, PTH119, PTH120, PTH123

from __future__ import annotations

import os
import re
import site
import sys
import sysconfig
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import all_suffixes
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ..metadata import editable_project, metadata_folders, normalised, without_build_leftovers
from .installed import recorded_paths

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

__all__ = ["Needed", "installations", "needed_distributions", "outermost_modules"]

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[([^\]]*)\])?")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
# What some distributions install beside what they are about, and nobody imports.
_IDLE = frozenset(("benchmarks", "conftest", "docs", "examples", "setup", "test", "tests"))


@dataclass(frozen=True, slots=True)
class Needed:
    """An installed distribution that is needed, and its modules."""

    name: str
    version: str
    location: str
    modules: Mapping[str, frozenset[str]]
    """The outermost modules with code of their own, and the files that each may come from."""


def needed_distributions(location: str, path: Sequence[str] | None = None) -> Iterator[Needed]:
    """Find a distribution and all that it requires, as far as that is installed.

    Markers of the environment are not evaluated: what is installed may be imported.

    Args:
        location: the path of the distribution's metadata.
        path: where to look; None for ``sys.path``.
    """
    places: dict[str, list[str]] = {}
    for name, place in metadata_folders(sys.path if path is None else path):
        places.setdefault(name, []).append(place)
    waiting = [(location, frozenset[str]())]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        at, extras = waiting.pop()
        if (at, extras) in seen:
            continue
        if not any(at == place for place, _ in seen):
            yield _needed(at)
        seen.add((at, extras))
        for name, wanted in _requirements(at, extras):
            if name in places:
                waiting.append((_chosen(places[name], location), wanted))


def _chosen(copies: Sequence[str], location: str) -> str:
    """Choose the copy that counts: an installed one, whatever lies earlier on the path."""
    copies = without_build_leftovers(copies)
    trusted = {*installations(), os.path.dirname(location)}
    return next((copy for copy in copies if os.path.dirname(copy) in trusted), copies[0])


@lru_cache(1)
def installations() -> frozenset[str]:
    """Return the folders that installers install into, links resolved."""
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    folders.update(site.getsitepackages(), [site.getusersitepackages()])
    return frozenset(os.path.realpath(folder) for folder in folders)


def _fields(location: str) -> list[tuple[str, str]]:
    for name in ("METADATA", "PKG-INFO"):
        try:
            with open(os.path.join(location, name), encoding="utf-8", errors="replace") as file:
                head = file.read().replace("\r\n", "\n").partition("\n\n")[0]
        except OSError:
            continue
        pairs = (line.partition(":") for line in head.split("\n"))
        return [(key.strip().lower(), value.strip()) for key, _, value in pairs]
    return []


def _requirements(location: str, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for key, value in _fields(location):
        if key != "requires-dist":
            continue
        requirement, _, marker = value.partition(";")
        optional = {normalised(name) for name in _EXTRA.findall(marker)}
        found = _REQUIREMENT.match(requirement)
        if found is None or (optional and not optional & extras):
            continue
        wanted = (normalised(name.strip()) for name in (found[2] or "").split(","))
        yield normalised(found[1]), frozenset(filter(None, wanted))


def _needed(location: str) -> Needed:
    fields = dict(reversed(_fields(location)))  # the first of a key counts
    name, version = fields.get("name", ""), fields.get("version", "unknown")
    modules = _modules(location) if editable_project(location) is None else {}
    return Needed(name or os.path.basename(location), version, location, modules)


def _modules(location: str) -> dict[str, frozenset[str]]:
    folder = os.path.realpath(os.path.dirname(location))
    recorded = recorded_paths(location)
    paths = set(recorded) if recorded is not None else set(_top_level(location, folder))
    return {
        module: frozenset(os.path.realpath(os.path.join(folder, path)) for path in files)
        for module, files in outermost_modules(paths).items()
        if module.partition(".")[0] not in _IDLE
    }


def outermost_modules(paths: Collection[str]) -> dict[str, set[str]]:
    """Find the outermost modules with code that files make.

    Args:
        paths: the files, relative to a folder on the path.

    Returns:
        The files of each module; of a package the ``__init__`` alone.
    """
    packages = {path.rpartition("/")[0] for path in paths if path.endswith("/__init__.py")}
    found: dict[str, set[str]] = {}
    for path in paths:
        module = _module(path, packages)
        if module is not None:
            found.setdefault(module, set()).add(path)
    return found


def _module(path: str, packages: set[str]) -> str | None:
    """Return the outermost module with code that a file makes; None when it makes none."""
    parts = PurePosixPath(path).parts
    suffix = next((s for s in _SUFFIXES if path.endswith(s)), None)
    if suffix is None or path.startswith("/") or ".." in parts or "__pycache__" in parts:
        return None
    names = [*parts[:-1], parts[-1].removesuffix(suffix)]
    if not all(name.isidentifier() for name in names):
        return None
    for depth in range(1, len(parts)):
        if "/".join(parts[:depth]) in packages:
            # Only the __init__ is what an import finds first.
            return ".".join(names[:depth]) if names[depth:] == ["__init__"] else None
    return ".".join(names)


_SUFFIXES = sorted(all_suffixes(), key=len, reverse=True)


def _top_level(location: str, folder: str) -> Iterator[str]:
    """Guess the files of a distribution without RECORD from the names that it tells."""
    try:
        with open(os.path.join(location, "top_level.txt"), encoding="utf-8") as file:
            names = file.read().split()
    except (OSError, ValueError):
        return
    for name in names:
        for suffix in _SUFFIXES:
            for path in (f"{name}/__init__{suffix}", f"{name}{suffix}"):
                if os.path.isfile(os.path.join(folder, path)):  # noqa: PTH113 - a string, as above
                    yield path
