"""The publisher's side: a folder with the configuration, its roots, and what is published."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from . import _clock
from ._archive import CONTENT, Archive, entries_of
from ._documents import ROLES, Manifest, Role, RoleName, Root, Timestamp
from ._envelope import Envelope
from ._files import locked, put
from ._keys import PublicKey, SecretKey
from ._news import News
from ._pull import TIMESTAMP_ENDING
from ._refused import RefusedError
from ._roots import Roots, read_roots, roots_json

__all__ = ["DAY", "Publisher", "Signed"]

DAY: Final = 86_400
_ROOTS: Final = "roots.json"
_FIRST: Final = "root.json"
_DIST: Final = "dist"
_LOCK: Final = ".lock"


@dataclass
class Signed:
    """The outcome of signing, in words: what is signed, and what lacks signatures."""

    done: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)


class Publisher:
    """Builds and signs bundles in a folder.

    Args:
        folder: it holds ``hookcore.toml`` and, if there are any, ``hookcore.lock`` and
            ``constraints.txt``; ``roots.json``; and ``dist/`` with what is to be published.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def dist(self) -> Path:
        """The folder whose files a web server gives to the machines."""
        return self.folder / _DIST

    # Roots

    def init_root(
        self,
        name: str,
        keys: Mapping[RoleName, Sequence[PublicKey]],
        thresholds: Mapping[RoleName, int],
        days: int,
    ) -> Root:
        """Begin a fleet with the first root, which nobody has signed yet.

        Args:
            name: the fleet's name.
            keys: the keys of each role.
            thresholds: how many must sign, where that is not one.
            days: how long the root holds.

        Raises:
            RefusedError: there is a root already, or the keys do not fit.
        """
        if (self.folder / _ROOTS).exists():
            raise RefusedError(
                "root", f"{self.folder / _ROOTS} is there: --rotate makes its next version"
            )
        roles = {role: (list(keys[role]), thresholds.get(role, 1)) for role in ROLES}
        root = _root(name, 1, roles, days)
        self._put_roots([root.envelope()])
        return root

    def rotate(
        self,
        keys: Mapping[RoleName, Sequence[PublicKey]],
        thresholds: Mapping[RoleName, int],
        days: int,
    ) -> Root:
        """Make the next version of the root, which nobody has signed yet.

        Args:
            keys: the keys of the roles that get others.
            thresholds: how many must sign, where that is to change.
            days: how long the root holds.

        Raises:
            RefusedError: the version before it is not signed, or the keys do not fit.
        """
        envelopes = self._envelopes()
        before = Roots.trusted(envelopes[0]).extended(envelopes[1:]).latest
        roles = {}
        for role in ROLES:
            own = [before.public[each] for each in before.roles[role].keys]
            threshold = thresholds.get(role, before.roles[role].threshold)
            roles[role] = (list(keys.get(role, own)), threshold)
        root = _root(before.name, before.version + 1, roles, days)
        self._put_roots([*envelopes, root.envelope()])
        return root

    def roots(self) -> Roots:
        """Return the roots that are signed, without a last one that is not yet.

        Raises:
            RefusedError: there is none.
        """
        envelopes = self._envelopes()
        roots = Roots.trusted(envelopes[0])
        try:
            return roots.extended(envelopes[1:])
        except RefusedError:
            return roots.extended(envelopes[1:-1])

    # Bundles

    def build(self, days: int, revision: int | None = None) -> tuple[Manifest, Path]:
        """Build the next revision of what the folder holds, which nobody has signed yet.

        Args:
            days: how long the bundle holds.
            revision: its number, else the next one.

        Returns:
            Its manifest and its file.

        Raises:
            RefusedError: there is no ``hookcore.toml``, or the number is not higher.
            OSError: a file cannot be read or written.
        """
        files = {
            name: (self.folder / name).read_bytes()
            for name in CONTENT
            if (self.folder / name).is_file()
        }
        if "hookcore.toml" not in files:
            raise RefusedError("files", f"there is no hookcore.toml in {self.folder}")
        return self._make(files, days, revision)

    def rebuild(self, revision: int, days: int) -> tuple[Manifest, Path]:
        """Build the next revision with the content of an earlier one.

        Args:
            revision: the earlier one.
            days: how long the bundle holds.

        Returns:
            Its manifest and its file.

        Raises:
            RefusedError: that revision is not there.
            OSError: a file cannot be read or written.
        """
        file = self._file(revision)
        if not file.is_file():
            raise RefusedError("rollback", f"there is no {file}")
        return self._make(Archive.unpack(file.read_bytes()).files, days, None)

    def _make(
        self, files: Mapping[str, bytes], days: int, revision: int | None
    ) -> tuple[Manifest, Path]:
        self._envelopes()
        with locked(self.folder / _LOCK):
            return self._made(files, days, revision)

    def _made(
        self, files: Mapping[str, bytes], days: int, revision: int | None
    ) -> tuple[Manifest, Path]:
        roots, newest = self.roots(), self._newest()
        number = newest + 1 if revision is None else revision
        if number <= newest:
            raise RefusedError("rollback", f"revision {number} after {newest}")
        now = _clock.now()
        manifest = Manifest(
            name=roots.latest.name,
            created=now,
            revision=number,
            expires=now + days * DAY,
            files=entries_of(files),
        )
        self.dist.mkdir(exist_ok=True)
        file = self._file(number)
        put(file, Archive(manifest.envelope(), roots.envelopes, files).pack())
        return manifest, file

    # Signatures

    def sign(self, keys: Sequence[SecretKey]) -> Signed:
        """Sign all that the keys may sign, and publish what is signed by enough of them.

        A root that waits for signatures, the newest revision, and a timestamp of now.

        Args:
            keys: the keys.

        Returns:
            What was done.

        Raises:
            RefusedError: there is no root.
            OSError: a file cannot be read or written.
        """
        signed = Signed()
        self._envelopes()
        # A timestamp for an older revision must not come after one for a newer.
        with locked(self.folder / _LOCK):
            self._sign_root(keys, signed)
            roots = self.roots()
            self._sign_bundle(keys, roots, signed)
            self._sign_timestamp(keys, roots, signed)
        return signed

    def _sign_root(self, keys: Sequence[SecretKey], signed: Signed) -> None:
        envelopes = self._envelopes()
        root = Root.of(envelopes[-1])
        before = Root.of(envelopes[-2]) if len(envelopes) > 1 else root
        may = {*root.roles["root"].keys, *before.roles["root"].keys}
        mine = [key for key in keys if key.public.id in may]
        signed.used |= {key.public.id for key in mine}
        if not any(each.lacks("root", envelopes[-1]) for each in (before, root)):
            return
        if mine:
            envelopes[-1] = envelopes[-1].signed_by(mine)
            self._put_roots(envelopes)
        lacks = {each.version: each.lacks("root", envelopes[-1]) for each in (before, root)}
        told = [f"{lack}, of the keys of version {n}" for n, lack in lacks.items() if lack]
        if told:
            signed.lacking.append(f"root {root.version}: {'; '.join(told)}")
        else:
            signed.done.append(f"root {root.version} is signed")

    def _sign_bundle(self, keys: Sequence[SecretKey], roots: Roots, signed: Signed) -> None:
        mine = _of_role(keys, roots.latest, "bundle", signed)
        newest = self._newest()
        if not newest:
            return
        file = self._file(newest)
        archive = Archive.unpack(file.read_bytes())
        lack = roots.latest.lacks("bundle", archive.envelope)
        if lack is not None and mine:
            archive = Archive(archive.envelope.signed_by(mine), roots.envelopes, archive.files)
            put(file, archive.pack())
            lack = roots.latest.lacks("bundle", archive.envelope)
        if lack is not None:
            signed.lacking.append(f"revision {newest}: {lack}")
            return
        data = file.read_bytes()
        if not self._published.is_file() or self._published.read_bytes() != data:
            put(self._published, data)
            signed.done.append(f"revision {newest} is signed: {self._published}")

    def _sign_timestamp(self, keys: Sequence[SecretKey], roots: Roots, signed: Signed) -> None:
        mine = _of_role(keys, roots.latest, "timestamp", signed)
        if not mine or not self._published.is_file():
            return
        data = self._published.read_bytes()
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
            signed.lacking.append(f"timestamp: {lack}: give all their keys at once")
            return
        file = self._published.with_name(self._published.name + TIMESTAMP_ENDING)
        put(file, News(roots.envelopes, envelope).pack())
        signed.done.append(f"timestamp of revision {manifest.revision} is signed: {file}")

    # Files

    @property
    def _published(self) -> Path:
        return self.dist / f"{self.roots().latest.name}.tar"

    def _file(self, revision: int) -> Path:
        return self.dist / f"{self.roots().latest.name}-{revision}.tar"

    def _newest(self) -> int:
        pattern = re.compile(re.escape(self.roots().latest.name) + r"-(\d{1,16})\.tar")
        if not self.dist.is_dir():
            return 0
        found = (pattern.fullmatch(each.name) for each in self.dist.iterdir())
        return max((int(match[1]) for match in found if match), default=0)

    def _envelopes(self) -> list[Envelope]:
        file = self.folder / _ROOTS
        if not file.is_file():
            raise RefusedError(
                "root", f"there is no {file}: begin with hookctl bundle init-root {self.folder}"
            )
        envelopes = read_roots(file.read_bytes())
        if not envelopes:
            raise RefusedError("root", f"{file} holds no root")
        return envelopes

    def _put_roots(self, envelopes: Sequence[Envelope]) -> None:
        put(self.folder / _ROOTS, roots_json(envelopes))
        put(self.folder / _FIRST, envelopes[0].as_json())


def _root(
    name: str,
    version: int,
    roles: Mapping[RoleName, tuple[list[PublicKey], int]],
    days: int,
) -> Root:
    now = _clock.now()
    try:
        return Root(
            name=name,
            created=now,
            version=version,
            expires=now + days * DAY,
            keys={key.id: key.text for keys, _ in roles.values() for key in keys},
            roles={
                role: Role(keys=[key.id for key in keys], threshold=threshold)
                for role, (keys, threshold) in roles.items()
            },
        )
    except ValueError as error:
        raise RefusedError("root", str(error)) from None


def _of_role(
    keys: Sequence[SecretKey], root: Root, role: RoleName, signed: Signed
) -> list[SecretKey]:
    mine = [key for key in keys if key.public.id in root.roles[role].keys]
    signed.used |= {key.public.id for key in mine}
    return mine
