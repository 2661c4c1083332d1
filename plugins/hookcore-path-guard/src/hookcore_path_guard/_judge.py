"""One path and what is done with it: let through or refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from ._protected import Protected
from ._readings import readings
from ._refusals import Refusal
from ._roots import Root, Roots
from ._walk import STREAMS, look_at, walk

__all__ = ["CHANGE", "LOOK", "READ", "REMOVE", "WRITE", "Access", "PathJudge"]


@dataclass(frozen=True, slots=True)
class Access:
    """The use that is made of a path.

    Args:
        write: whether it is made, changed or taken away; else it is only read.
        follow: whether the operation is about the end of a link, not about the link.
        whole: whether a folder goes with all that is in it.
        streams: devices that the operation may use.
    """

    write: bool
    follow: bool = True
    whole: bool = False
    streams: frozenset[str] = frozenset({"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"})


READ: Final = Access(write=False)
LOOK: Final = Access(write=False, follow=False)
WRITE: Final = Access(write=True)
REMOVE: Final = Access(write=True, follow=False, whole=True)
CHANGE: Final = Access(write=True, streams=STREAMS)


class PathJudge:
    """Knows the roots and the protected names.

    Args:
        read: folders that may be read.
        write: folders that may be read and changed.
        protected: names that nothing may change below the write roots.
    """

    __slots__ = ("_all", "_protected", "_write")

    def __init__(self, read: Iterable[Root], write: Iterable[Root], protected: Protected) -> None:
        writable = tuple(write)
        self._write = Roots(writable)
        self._all = Roots((*read, *writable))
        self._protected = protected

    def refresh(self) -> None:
        """Look at the roots again: one of them may have been replaced since the last call."""
        self._all.refresh()

    def folder(self, text: object, start: str) -> str:
        """Return the place of a working folder.

        Args:
            text: the folder's path.
            start: the place that a relative path begins in.

        Raises:
            Refusal: the folder is below no root, or its path is not plain.
        """
        place = self.place(text, start)
        if self._all.find(place) is None:
            raise Refusal("folder", text)
        return place

    def place(self, text: object, start: str) -> str:
        """Return the place of a folder, inside or outside.

        Args:
            text: the folder's path.
            start: the place that a relative path begins in.

        Raises:
            Refusal: the path is not plain.
        """
        places = {walk(form, start) for form in readings(text)}
        if len(places) > 1:
            raise Refusal("folder", text)
        return places.pop()

    def check(self, text: object, access: Access, start: str) -> None:
        """Check a path as a model wrote it.

        Args:
            text: the path.
            access: what is done with it.
            start: the place that a relative path begins in.

        Raises:
            Refusal: some tool would take the path for one that may not be used so.
        """
        for form in readings(text):
            self.settle(form, access, start, text)

    def settle(
        self,
        path: str,
        access: Access,
        start: str,
        text: object,
        look: Callable[[str, str], str | None] = look_at,
    ) -> str:
        """Check a path that is read in one way only, and return its place.

        Args:
            path: the path.
            access: what is done with it.
            start: the place that a relative path begins in.
            text: the path as the model wrote it, for a message.
            look: tells what stands at a place.

        Raises:
            Refusal: the path may not be used so.
        """
        try:
            place = walk(path, start, follow=access.follow, look=look)
        except Refusal as refusal:
            raise Refusal(refusal.rule, text) from None
        parts = (self._write if access.write else self._all).find(place)
        if parts is None:
            if place not in access.streams:
                raise Refusal(self._outside(place, access), text)
        elif access.write and (
            self._protected.holds(parts) or self._takes_along(place, parts, access)
        ):
            raise Refusal("protected", text)
        return place

    def is_suspect(self, name: str) -> bool:
        """Tell whether an entry of a checked folder can be protected by its name."""
        return self._protected.may_hold(name)

    def _outside(self, place: str, access: Access) -> str:
        if place.startswith(("/proc/", "/dev/")) or place in {"/proc", "/dev"}:
            return "device"
        if access.write and self._all.find(place) is not None:
            return "readonly"
        return "write" if access.write else "read"

    def _takes_along(self, place: str, parts: list[str], access: Access) -> bool:
        """Tell whether what is protected stands in a folder that goes as a whole."""
        return access.whole and any(
            os.path.lexists(f"{place}/{name}") for name in self._protected.inside(parts)
        )
