"""The folders that a call may work in."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ._refusals import Refusal
from ._walk import walk

__all__ = ["Root", "RootError", "Roots"]


class RootError(ValueError):
    """A folder in the settings that cannot be a root."""


class Root:
    """One folder, resolved; again whenever another folder stands in its place.

    Args:
        path: the folder's path, absolute.
        key: the setting that names it.

    Raises:
        RootError: there is no such folder.
    """

    __slots__ = ("_identity", "path", "place", "prefix")

    def __init__(self, path: str, key: str) -> None:
        self.path = path
        self._identity: tuple[int, int] | None = None
        self.place = self.prefix = ""
        self.refresh()
        if not self.place:
            raise RootError(f"{key}: there is no folder {path}: make it, or take it out")

    def check_width(self, key: str) -> None:
        """Refuse a folder that holds far more than a project.

        Args:
            key: the setting that names it.

        Raises:
            RootError: it is the top folder, or the home folder lies in it.
        """
        home = os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111 - a string, as all here
        if self.place == "/" or home.startswith(self.prefix):
            problem = f"{key}: {self.path} holds every home folder: name the folders to work in"
            raise RootError(problem)

    def refresh(self) -> None:
        """Resolve the folder again, if it is no longer the one that was resolved last."""
        identity = _identity(self.path)
        if identity is not None and identity == self._identity == _identity(self.place, link=True):
            return
        self._identity, self.place, self.prefix = None, "", ""
        if identity is None:
            return
        try:
            place = walk(self.path)
        except Refusal:
            return
        self._identity, self.place, self.prefix = identity, place, place.rstrip("/") + "/"

    def holds(self, place: str) -> bool:
        """Tell whether a resolved place is this folder or below it."""
        return bool(self.place) and (place.startswith(self.prefix) or place == self.place)

    def below(self, place: str) -> list[str] | None:
        """Return the components of a place below this folder; None when it is elsewhere."""
        if not self.holds(place):
            return None
        rest = place[len(self.prefix) :]
        return rest.split("/") if rest else []

    def is_folder(self, identity: tuple[int, int]) -> bool:
        """Tell whether this is the folder with that device and inode number."""
        return identity == self._identity


class Roots:
    """A set of folders; of nested ones the innermost counts.

    Args:
        roots: the folders.
    """

    __slots__ = ("_roots",)

    def __init__(self, roots: Iterable[Root]) -> None:
        self._roots = tuple(roots)

    def refresh(self) -> None:
        """Resolve again what was replaced meanwhile."""
        for root in self._roots:
            root.refresh()

    def find(self, place: str) -> list[str] | None:
        """Return the components of a place below the innermost root that holds it, or None."""
        found: Root | None = None
        for root in self._roots:
            if root.holds(place) and (found is None or len(root.place) > len(found.place)):
                found = root
        return found.below(place) if found is not None else self._find_by_identity(place)

    def _find_by_identity(self, place: str) -> list[str] | None:
        """Look for a root that the place names in a way only the file system understands.

        A file system that ignores case or Unicode form resolves other spellings of a root.
        """
        parts: list[str] = []
        head = place
        while len(head) > 1:
            identity = _identity(head, link=True)
            if identity and any(root.is_folder(identity) for root in self._roots):
                return parts
            head, _, name = head.rpartition("/")
            parts.insert(0, name)
        return None


def _identity(path: str, *, link: bool = False) -> tuple[int, int] | None:
    """Return a file's device and inode number; None when it cannot be looked at."""
    try:
        found = os.lstat(path) if link else os.stat(path)  # noqa: PTH116 - a string, as all here
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
