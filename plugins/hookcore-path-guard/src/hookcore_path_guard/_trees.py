"""Programs that follow the links that they find in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from hookcore_shell_guard import Segment

from ._arguments import lead
from ._names import names
from ._refusals import Refusal

__all__ = ["check_tree", "follows_links"]

MAX_ENTRIES: Final = 50_000
MAX_LINKS: Final = 1_000

# For each program: one of these options makes it follow links, if one of those is given, too.
_FOLLOWERS: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "grep": (names("R dereference-recursive"), frozenset()),
    "egrep": (names("R dereference-recursive"), frozenset()),
    "fgrep": (names("R dereference-recursive"), frozenset()),
    "rg": (names("L follow"), frozenset()),
    "ag": (names("f follow"), frozenset()),
    "fd": (names("L follow"), frozenset()),
    "fdfind": (names("L follow"), frozenset()),
    "cp": (names("L dereference"), names("r R a recursive archive")),
    "rsync": (names("L copy-links copy-unsafe-links copy-dirlinks k"), frozenset()),
    "tree": (names("l"), frozenset()),
    "ls": (names("L dereference"), names("R recursive")),
    "du": (names("L dereference"), frozenset()),
    "zip": (names("r recurse-paths R"), frozenset()),
    "scp": (names("r"), frozenset()),
    "diff": (names("r recursive"), frozenset()),
}
_UNLESS: Final[Mapping[str, frozenset[str]]] = {
    "zip": names("y symlinks"),
    "diff": names("no-dereference"),
}
_TAR: Final = names("tar gtar bsdtar")


def follows_links(segment: Segment, given: AbstractSet[str]) -> bool:
    """Tell whether a segment's program follows links below the folders that it reads.

    Args:
        segment: the segment.
        given: the names of its options.
    """
    program = segment.program or ""
    texts = [lead(word) for word in segment.words]
    if program in {"find", "gfind"}:
        return "-L" in texts or "-follow" in texts
    if program in _TAR:
        clusters = [text for text in texts[:1] if "-" not in text]
        clusters += [text for text in texts if text[:1] == "-" and text[:2] != "--"]
        return "--dereference" in texts or any("h" in text for text in clusters)
    if program not in _FOLLOWERS or not given.isdisjoint(_UNLESS.get(program, frozenset())):
        return False
    one_of, and_one_of = _FOLLOWERS[program]
    return not given.isdisjoint(one_of) and not (and_one_of and given.isdisjoint(and_one_of))


def check_tree(place: str, check: Callable[[str], str], text: str) -> None:
    """Check every link below a folder, and below the folders that they lead to.

    Args:
        place: the folder, which was checked itself.
        check: checks a link and returns the place that it leads to; raises Refusal.
        text: the folder as it was written, for a message.

    Raises:
        Refusal: a link may not be followed, or the folder holds too much to check.
    """
    entries = links = 0
    seen = {place}
    todo = [place]
    while todo:
        for path, is_link in _entries(todo.pop()):
            entries += 1
            links += is_link
            if entries > MAX_ENTRIES or links > MAX_LINKS:
                raise Refusal("many", text)
            inner = check(path) if is_link else path
            if inner not in seen:
                seen.add(inner)
                todo.append(inner)


def _entries(folder: str) -> list[tuple[str, bool]]:
    """Return the links and folders in a folder; none when it is no folder."""
    try:
        with os.scandir(folder) as entries:
            return [
                (entry.path, entry.is_symlink())
                for entry in entries
                if entry.is_symlink() or entry.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return []
