"""Signing what a publisher has built, and publishing what enough of the keys have signed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from . import _clock
from ._archive import Archive
from ._documents import RoleName, Root, Timestamp
from ._files import locked, put
from ._keys import SecretKey
from ._news import News
from ._pull import TIMESTAMP_ENDING
from ._releases import Releases
from ._roots import Roots

__all__ = ["Signed", "Signing"]


@dataclass
class Signed:
    """The outcome of signing, in words: what is signed, and what lacks signatures."""

    done: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)


class Signing:
    """Signs all that some keys may sign.

    Args:
        releases: the publisher's files.
        keys: the keys.
    """

    def __init__(self, releases: Releases, keys: Sequence[SecretKey]) -> None:
        self._releases = releases
        self._keys = keys
        self.signed = Signed()

    def sign(self) -> Signed:
        """Sign a root that waits for signatures, the newest revision, and a timestamp of now.

        Raises:
            RefusedError: there is no root.
            OSError: a file cannot be read or written.
        """
        self._releases.envelopes()
        # A timestamp for an older revision must not come after one for a newer.
        with locked(self._releases.lock):
            self._sign_root()
            roots = self._releases.roots()
            self._sign_bundle(roots)
            self._sign_timestamp(roots)
        return self.signed

    def _sign_root(self) -> None:
        envelopes = self._releases.envelopes()
        root = Root.of(envelopes[-1])
        before = Root.of(envelopes[-2]) if len(envelopes) > 1 else root
        may = {*root.roles["root"].keys, *before.roles["root"].keys}
        mine = [key for key in self._keys if key.public.id in may]
        self.signed.used |= {key.public.id for key in mine}
        if not any(each.lacks("root", envelopes[-1]) for each in (before, root)):
            return
        if mine:
            envelopes[-1] = envelopes[-1].signed_by(mine)
            self._releases.put_roots(envelopes)
        lacks = {each.version: each.lacks("root", envelopes[-1]) for each in (before, root)}
        told = [f"{lack}, of the keys of version {n}" for n, lack in lacks.items() if lack]
        if told:
            self.signed.lacking.append(f"root {root.version}: {'; '.join(told)}")
        else:
            self.signed.done.append(f"root {root.version} is signed")

    def _sign_bundle(self, roots: Roots) -> None:
        mine = self._of_role(roots.latest, "bundle")
        newest = self._releases.newest()
        if not newest:
            return
        file = self._releases.file(newest)
        archive = Archive.unpack(file.read_bytes())
        lack = roots.latest.lacks("bundle", archive.envelope)
        if lack is not None and mine:
            archive = Archive(archive.envelope.signed_by(mine), roots.envelopes, archive.files)
            put(file, archive.pack())
            lack = roots.latest.lacks("bundle", archive.envelope)
        if lack is not None:
            self.signed.lacking.append(f"revision {newest}: {lack}")
            return
        data = file.read_bytes()
        if not self._releases.published.is_file() or self._releases.published.read_bytes() != data:
            put(self._releases.published, data)
            self.signed.done.append(f"revision {newest} is signed: {self._releases.published}")

    def _sign_timestamp(self, roots: Roots) -> None:
        mine = self._of_role(roots.latest, "timestamp")
        if not mine or not self._releases.published.is_file():
            return
        data = self._releases.published.read_bytes()
        manifest = Archive.unpack(data).manifest(roots)
        timestamp = Timestamp(
            name=manifest.name,
            created=_clock.now(),
            revision=manifest.revision,
            sha256=hashlib.sha256(data).hexdigest(),
            size=len(data),
        )
        envelope = timestamp.envelope().signed_by(mine)
        lack = roots.latest.lacks("timestamp", envelope)
        if lack is not None:
            self.signed.lacking.append(f"timestamp: {lack}: give all their keys at once")
            return
        file = self._releases.published.with_name(self._releases.published.name + TIMESTAMP_ENDING)
        put(file, News(roots.envelopes, envelope).pack())
        self.signed.done.append(f"timestamp of revision {manifest.revision} is signed: {file}")

    def _of_role(self, root: Root, role: RoleName) -> list[SecretKey]:
        mine = [key for key in self._keys if key.public.id in root.roles[role].keys]
        self.signed.used |= {key.public.id for key in mine}
        return mine
