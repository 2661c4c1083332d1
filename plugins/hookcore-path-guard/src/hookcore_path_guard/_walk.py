"""The place where a path leads: resolved one component at a time, in the kernel's way."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import Final

from ._refusals import Refusal

__all__ = ["MAX_LINKS", "STREAMS", "look_at", "walk"]

MAX_LINKS: Final = 40
"""The most links on one path; Linux gives up at the same number (path_resolution(7))."""

STREAMS: Final = frozenset(
    {"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"}
    | {f"/dev/fd/{number}" for number in range(10)}
)
"""Names that are never followed: nothing is kept there, or a process has it open already."""


def look_at(place: str, path: str) -> str | None:
    """Return what stands at a place.

    Args:
        place: an absolute path, without links but perhaps in the last place.
        path: the path that led there, for a message.

    Returns:
        The target of a link, "" for a folder, None where nothing can lie below.

    Raises:
        Refusal: it cannot be looked at, or belongs to a process.
    """
    try:
        mode = os.lstat(place).st_mode
        if stat.S_ISLNK(mode):
            if place.startswith("/proc/"):
                # The kernel jumps to what the process has open; the text only describes it.
                raise Refusal("device", path)
            return os.readlink(place)  # noqa: PTH115 - a string, as every path here
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise Refusal("unreadable", path) from error
    return "" if stat.S_ISDIR(mode) else None


def walk(
    path: str,
    start: str = "/",
    *,
    follow: bool = True,
    look: Callable[[str, str], str | None] = look_at,
) -> str:
    """Return the place that a path leads to, without links, ``.`` and ``..``.

    What does not exist yet is taken as it is written. A folder that changes meanwhile can make
    the answer wrong: see :func:`hookcore.hosting.open_verified`.

    Args:
        path: the path; a relative one begins in ``start``.
        start: an absolute path that holds no links.
        follow: whether a link in the last place is followed, too; a trailing slash follows it
            in any case.
        look: tells what stands at a place, as :func:`look_at` does.

    Returns:
        An absolute path.

    Raises:
        Refusal: the path has no end, cannot be looked at, or goes through another process.
    """
    place = "" if path[0] == "/" or start == "/" else start
    todo = path.split("/")
    todo.reverse()
    missing = False
    links = 0
    while todo:
        name = todo.pop()
        if not name or name == ".":
            continue
        if name == "..":
            if missing:
                raise Refusal("lost", path)
            place = place[: place.rfind("/")] if place else ""
            continue
        place = f"{place}/{name}"
        # /dev/fd is a link itself, and what it holds depends on who looks.
        if missing or (place[:4] == "/dev" and "/".join((place, *todo)) in STREAMS):
            continue
        target = look(place, path)
        missing = target is None
        if not target or not (todo or follow):
            continue
        links += 1
        if links > MAX_LINKS:
            raise Refusal("links", path)
        parts = target.split("/")
        todo += reversed(parts)
        place = "" if parts[0] == "" else place[: place.rfind("/")]
    return place or "/"
