"""The metadata of installed distributions, as it lies in folders; nothing is imported."""
# Paths stay strings here: a scan of 500 distributions has no time for objects.
# ruff: noqa: PTH113, PTH118, PTH119, PTH123, PTH208

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "GROUP",
    "editable_project",
    "metadata_folders",
    "normalised",
    "offers",
    "without_build_leftovers",
]

GROUP = "hookcore.plugins"
_INSTALLED_IN = frozenset({"site-packages", "dist-packages"})
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
_ENTRY = re.compile(r"\s*(?:#.*|\[.*\]\s*|[^=]+=.*)?$")


def normalised(name: str) -> str:
    """Return a distribution's name as pip compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def metadata_folders(path: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Find the metadata of all distributions in folders, without reading any.

    Args:
        path: the folders; what is none is skipped.

    Yields:
        The distribution's name, normalised, and the metadata's path, in the order of the path.
    """
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
                yield _key(name, root), os.path.join(root, name)


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
    return normalised(stem.partition("-")[0])


def offers(location: str) -> tuple[bool, str | None]:
    """Tell whether a distribution's entry points speak of our group, and why they are broken.

    One that is broken for others, too: whoever reads all entry points, as pydantic does, fails.
    """
    try:
        with open(os.path.join(location, "entry_points.txt"), "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return False, None
    except OSError as error:
        return False, error.strerror or str(error)
    problem = None
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        problem = f"{type(error).__name__}: {error}"
    else:
        if not all(map(_ENTRY.match, lines)):
            problem = "a line is neither a section nor an entry"
    return GROUP.encode() in data, problem


def without_build_leftovers(places: Sequence[str]) -> list[str]:
    """Leave out the egg-info that building an editable install left in its source folder.

    Args:
        places: the paths of one distribution's metadata.
    """
    if len(places) == 1:
        return list(places)
    projects = [project for place in places if (project := editable_project(place))]
    return [
        place for place in places if not any(_is_left_in(project, place) for project in projects)
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
        location: the path of the distribution's metadata.
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
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
