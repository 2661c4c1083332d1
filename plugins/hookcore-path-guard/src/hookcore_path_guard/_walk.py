"""Where a path leads: resolved one component at a time, in the kernel's way."""

from __future__ import annotations

import os
import stat
from typing import Final

from ._refusals import Refusal

__all__ = ["MAX_LINKS", "STREAMS", "walk"]

MAX_LINKS: Final = 40
"""The most links on one path; Linux gives up at the same number (path_resolution(7))."""

STREAMS: Final = frozenset(
    {"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"}
    | {f"/dev/fd/{number}" for number in range(10)}
)
"""Names that are never followed: nothing is kept there, or a process has it open already."""


def walk(path: str, start: str = "/", *, follow: bool = True) -> str:
    """Return the place that a path leads to, without links, ``.`` and ``..``.

    What does not exist yet is taken as it is written. A folder that changes meanwhile can make
    the answer wrong: see :mod:`hookcore_path_guard.opening`.

    Args:
        path: the path; a relative one begins in ``start``.
        start: an absolute path that holds no links.
        follow: whether a link in the last place is followed, too; a trailing slash follows it
            in any case.

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
        is_link = _is_link(place, path)
        missing = is_link is None
        if not is_link or not (todo or follow):
            continue
        links += 1
        if links > MAX_LINKS:
            raise Refusal("links", path)
        todo += _target(place, path)
        place = "" if todo[-1] == "" else place[: place.rfind("/")]
    return place or "/"


def _is_link(place: str, path: str) -> bool | None:
    """Tell whether a link or a folder stands at a place; None when nothing can lie below it."""
    try:
        mode = os.lstat(place).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise Refusal("unreadable", path) from error
    if stat.S_ISLNK(mode):
        return True
    return False if stat.S_ISDIR(mode) else None


def _target(link: str, path: str) -> list[str]:
    """Return the components of a link's target, the first one last; "" begins an absolute one."""
    if link.startswith("/proc/"):
        # The kernel jumps to what the process has open; the text is only a description of it.
        raise Refusal("device", path)
    try:
        target = os.readlink(link)  # noqa: PTH115 - a string, as every path here
    except OSError as error:
        raise Refusal("unreadable", path) from error
    parts = target.split("/")
    parts.reverse()
    return parts
