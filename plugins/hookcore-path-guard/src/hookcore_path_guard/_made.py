"""Names that a command makes out of others before it uses them."""

from __future__ import annotations

import posixpath
from typing import Final, NamedTuple

from ._refusals import Refusal
from ._walk import look_at

__all__ = ["Made"]

MAX_STEPS: Final = 1_000


class _Step(NamedTuple):
    """A new name: made of another one, a link with a target of its own, or a folder ("")."""

    new: str
    old: str
    target: str | None


class Made:
    """Shows the file system as it will be after a command's moves, copies and links so far.

    A command is judged before it runs, when a name that it makes leads nowhere yet.
    """

    __slots__ = ("_steps",)

    def __init__(self) -> None:
        self._steps: list[_Step] = []

    def __bool__(self) -> bool:
        return bool(self._steps)

    def add(self, new: str, old: str) -> None:
        """Take note of a move or a copy, whose target may be a name or a folder to put it into.

        Args:
            new: the place of the target.
            old: the place of what is moved or copied.

        Raises:
            Refusal: the command makes more than can be remembered.
        """
        self._add(_Step(new, old, None))
        self._add(_Step(posixpath.join(new, posixpath.basename(old)), old, None))

    def link(self, new: str, target: str) -> None:
        """Take note of a new symbolic link, which may be put into a folder, too.

        Args:
            new: the place of the link, or of the folder.
            target: the text of the link.

        Raises:
            Refusal: the command makes more than can be remembered.
        """
        if look_at(new, new) != "":
            self._add(_Step(new, "", target))
        name = posixpath.basename(target.rstrip("/"))
        self._add(_Step(posixpath.join(new, name), "", target))

    def folder(self, new: str) -> None:
        """Take note of a new folder, and of those above it.

        Args:
            new: the folder's place.

        Raises:
            Refusal: the command makes more than can be remembered.
        """
        self._add(_Step(new, "", ""))

    def look(self, place: str, path: str) -> str | None:
        """Return what will stand at a place, as :func:`hookcore_path_guard._walk.look_at` does."""
        for new, old, target in reversed(self._steps):
            if place == new and target is not None:
                return target
            if target == "" and new.startswith(place + "/"):
                return ""
            if target is None and (place == new or place.startswith(new + "/")):
                place = old + place[len(new) :]
        return look_at(place, path)

    def _add(self, step: _Step) -> None:
        if len(self._steps) >= MAX_STEPS:
            raise Refusal("many", posixpath.basename(step.new))
        self._steps.append(step)
