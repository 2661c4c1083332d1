"""Names that nothing may change below, however a file system lets them be spelled."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

__all__ = ["Protected", "folded"]

# What HFS+ drops from a name before it compares it, and other characters that nobody sees.
_UNSEEN: Final = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
_NOT_SHORT: Final = re.compile(r"[^a-z0-9_-]")
_PLAIN: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


def folded(name: str) -> str:
    """Return what every spelling of a file's name that some file system takes has in common."""
    if _PLAIN.fullmatch(name):
        return name
    return _folded(name)


@lru_cache(4096)
def _folded(name: str) -> str:
    seen = _UNSEEN.sub("", unicodedata.normalize("NFC", name))
    seen = unicodedata.normalize("NFC", seen.casefold())
    # NTFS: what follows a colon is a stream of the file; dots and spaces at the end are dropped.
    return seen.split(":", 1)[0].rstrip(". ") or seen


def _short(name: str) -> str:
    """Return the beginning of the 8.3 name that Windows gives to this one."""
    return _NOT_SHORT.sub("", name)[:6] + "~"


class Protected:
    """A set of protected names.

    Args:
        names: file or folder names; ``a/b`` protects a ``b`` in an ``a`` only.
    """

    __slots__ = ("_firsts", "_names", "_runs", "_shorts")

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(name.strip("/") for name in names)
        self._runs = tuple(tuple(map(folded, name.split("/"))) for name in self._names)
        self._firsts = frozenset(run[0] for run in self._runs)
        self._shorts = tuple(_short(run[0]) for run in self._runs if len(run) == 1)

    def holds(self, parts: list[str]) -> bool:
        """Tell whether a path of these components is protected or lies below what is."""
        names = [folded(part) for part in parts]
        if any("~" in name and self._is_short(name) for name in names):
            return True
        return not self._firsts.isdisjoint(names) and any(
            tuple(names[i : i + len(run)]) == run
            for run in self._runs
            for i in range(len(names) - len(run) + 1)
        )

    def may_hold(self, name: str) -> bool:
        """Tell whether a component of this name can make a path protected."""
        plain = folded(name)
        return any(plain in run for run in self._runs) or ("~" in plain and self._is_short(plain))

    def inside(self, parts: list[str]) -> Iterator[str]:
        """Name what would be protected directly in a folder of these components.

        Yields:
            Paths relative to the folder.
        """
        names = [folded(part) for part in parts]
        for name, run in zip(self._names, self._runs, strict=True):
            pieces = name.split("/")
            for cut in range(len(run)):
                if tuple(names[len(names) - cut :]) == run[:cut]:
                    yield "/".join(pieces[cut:])

    def _is_short(self, name: str) -> bool:
        return any(
            name.startswith(short) and name[len(short) :].isdigit() for short in self._shorts
        )
