"""The chain of roots: each version signed by the one before it and by itself."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ._documents import Root
from ._envelope import Envelope
from ._refused import RefusedError

__all__ = ["MOST_ROOTS", "Roots", "envelopes_of", "read_roots", "roots_json"]

MOST_ROOTS: Final = 1000


@dataclass(frozen=True)
class Roots:
    """All versions that are known, of which each next one was accepted by the one before."""

    envelopes: tuple[Envelope, ...]
    documents: tuple[Root, ...]

    @property
    def latest(self) -> Root:
        """The version in force."""
        return self.documents[-1]

    @classmethod
    def trusted(cls, envelope: Envelope) -> Roots:
        """Begin with a version that was brought here by hand.

        Raises:
            RefusedError: it is no root, or not signed by its own keys.
        """
        root = Root.of(envelope)
        root.check("root", envelope)
        return cls((envelope,), (root,))

    def extended(self, carried: Iterable[Envelope]) -> Roots:
        """Follow the versions that something carries, from the one in force on.

        A machine that has slept over several rotations finds all of them there.

        Args:
            carried: versions in any order; older ones than are known here are left aside.

        Returns:
            The longer chain, or this one.

        Raises:
            RefusedError: a version is not signed by the keys before it, was skipped, or is another
                one than is known here.
        """
        found = {Root.of(envelope).version: envelope for envelope in carried}
        envelopes, documents = list(self.envelopes), list(self.documents)
        known = {
            root.version: envelope.payload
            for root, envelope in zip(documents, envelopes, strict=True)
        }
        for version in sorted(found):
            envelope = found[version]
            if version in known and known[version] != envelope.payload:
                raise RefusedError("root", f"version {version} is not the one that is known here")
            before = documents[-1]
            if version <= before.version:
                continue
            if version != before.version + 1:
                raise RefusedError("root", f"version {before.version + 1} was skipped")
            root = Root.of(envelope)
            if root.name != before.name:
                raise RefusedError("root", f"version {version} is for {root.name}")
            for signing in (before, root):
                lack = signing.lacks("root", envelope)
                if lack is not None:
                    whose = f"the keys of version {signing.version}"
                    raise RefusedError("root", f"version {version}: {lack}, of {whose}")
            envelopes.append(envelope)
            documents.append(root)
        return Roots(tuple(envelopes), tuple(documents))

    def as_json(self) -> bytes:
        """Return all versions as they are carried."""
        return roots_json(self.envelopes)


def roots_json(envelopes: Iterable[Envelope]) -> bytes:
    """Write several versions."""
    return json.dumps([each.as_table() for each in envelopes], indent=1).encode() + b"\n"


def read_roots(data: bytes) -> list[Envelope]:
    """Read what :meth:`Roots.as_json` returns; nobody has checked it yet.

    Raises:
        RefusedError: it is no such list.
    """
    try:
        tables = json.loads(data)
    except (ValueError, RecursionError):
        raise RefusedError("root", "the list of roots is not readable") from None
    return envelopes_of(tables)


def envelopes_of(tables: object) -> list[Envelope]:
    """Read a parsed list of roots.

    Raises:
        RefusedError: it is none.
    """
    if not isinstance(tables, list) or len(tables) > MOST_ROOTS:
        raise RefusedError("root", f"there is no list of at most {MOST_ROOTS} roots")
    return [Envelope.of(table, "root") for table in tables]
