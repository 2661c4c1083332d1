"""The result of a preset, and the surroundings that it judges in."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from .commands import Segment, Word


class Finding(NamedTuple):
    """A thing that a preset forbids.

    Args:
        what: the thing, as a clause about the segment.
        advice: a way that works.
    """

    what: str
    advice: str


class Place(NamedTuple):
    """The surroundings of a call.

    Args:
        cwd: the folder that it runs in, absolute.
        project: the project's folder, absolute; None when the call runs outside all projects.
        home: the user's home folder, absolute.
    """

    cwd: str
    project: str | None
    home: str


def resolve(text: str, word: Word, segment: Segment, place: Place) -> str | None:
    """Return the absolute path that a text of a word stands for; None when it is not known.

    Args:
        text: one of the word's values, or the part of it before a wildcard.
        word: the word.
        segment: the segment that it stands in, which says in which folder it runs.
        place: the surroundings of the call.
    """
    if word.home and text[:1] == "~":
        if text != "~" and text[1:2] != "/":
            return None
        return normal(place.home + text[1:])
    if text[:1] == "/":
        return normal(text)
    folder = segment.folder
    if folder is None:
        return None
    if folder[:1] == "~":
        if folder != "~" and folder[1:2] != "/":
            return None
        folder = place.home + folder[1:]
    return normal(posixpath.join(place.cwd, folder, text))


def normal(path: str) -> str:
    """Return a path without ``.``, ``..`` and doubled slashes."""
    found = posixpath.normpath(path)
    return found[1:] if found.startswith("//") else found


def below(path: str, folder: str) -> bool:
    """Return True when a path is strictly inside a folder; both are absolute and normal."""
    return path != folder and path.startswith(folder if folder == "/" else folder + "/")
