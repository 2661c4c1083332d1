"""The publisher's files: the configuration's folder, its roots, and what is published of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ._envelope import Envelope
from ._files import put
from ._refused import RefusedError
from ._roots import Roots, read_roots, roots_json

__all__ = ["Releases"]

_ROOTS: Final = "roots.json"
_FIRST: Final = "root.json"
_DIST: Final = "dist"
_LOCK: Final = ".lock"


class Releases:
    """The files in a publisher's folder.

    Args:
        folder: the folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.dist = folder / _DIST
        self.lock = folder / _LOCK
        self.roots_file = folder / _ROOTS

    def roots(self) -> Roots:
        """Return the roots that are signed, without a last one that is not yet.

        Raises:
            RefusedError: there is none.
        """
        envelopes = self.envelopes()
        roots = Roots.trusted(envelopes[0])
        try:
            return roots.extended(envelopes[1:])
        except RefusedError:
            return roots.extended(envelopes[1:-1])

    @property
    def published(self) -> Path:
        """The file of the newest bundle that is signed, which machines pull."""
        return self.dist / f"{self.roots().latest.name}.tar"

    def file(self, revision: int) -> Path:
        """Return the file of a revision."""
        return self.dist / f"{self.roots().latest.name}-{revision}.tar"

    def newest(self) -> int:
        """Return the number of the newest revision, 0 when there is none."""
        pattern = re.compile(re.escape(self.roots().latest.name) + r"-(\d{1,16})\.tar")
        if not self.dist.is_dir():
            return 0
        found = (pattern.fullmatch(each.name) for each in self.dist.iterdir())
        return max((int(match[1]) for match in found if match), default=0)

    def envelopes(self) -> list[Envelope]:
        """Return all roots, signed or not.

        Raises:
            RefusedError: there is none.
        """
        file = self.roots_file
        if not file.is_file():
            raise RefusedError(
                "root", f"there is no {file}: begin with hookctl bundle init-root {self.folder}"
            )
        envelopes = read_roots(file.read_bytes())
        if not envelopes:
            raise RefusedError("root", f"{file} holds no root")
        return envelopes

    def put_roots(self, envelopes: Sequence[Envelope]) -> None:
        """Write all roots, and the first one by itself, which machines are given."""
        put(self.roots_file, roots_json(envelopes))
        put(self.folder / _FIRST, envelopes[0].as_json())
