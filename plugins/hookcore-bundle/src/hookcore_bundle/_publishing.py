"""The publisher's side: a folder with the configuration, its roots, and what is published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from . import _clock
from ._archive import CONTENT, Archive, entries_of
from ._documents import ROLES, Manifest, Role, RoleName, Root
from ._files import locked, put
from ._keys import PublicKey, SecretKey
from ._refused import RefusedError
from ._releases import Releases
from ._roots import Roots
from ._signing import Signed, Signing

__all__ = ["DAY", "Publisher"]

DAY: Final = 86_400


class Publisher:
    """Builds and signs bundles in a folder.

    Args:
        folder: it holds ``hookcore.toml`` and, if there are any, ``hookcore.lock`` and
            ``constraints.txt``; ``roots.json``; and ``dist/`` with what is to be published.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._releases = Releases(folder)

    @property
    def dist(self) -> Path:
        """The folder whose files a web server gives to the machines."""
        return self._releases.dist

    def roots(self) -> Roots:
        """Return the roots that are signed, without a last one that is not yet.

        Raises:
            RefusedError: there is none.
        """
        return self._releases.roots()

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
        file = self._releases.roots_file
        if file.exists():
            raise RefusedError("root", f"{file} is there: --rotate makes its next version")
        roles = {role: (list(keys[role]), thresholds.get(role, 1)) for role in ROLES}
        root = _root(name, 1, roles, days)
        self._releases.put_roots([root.envelope()])
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
        envelopes = self._releases.envelopes()
        before = Roots.trusted(envelopes[0]).extended(envelopes[1:]).latest
        roles = {}
        for role in ROLES:
            own = [before.public[each] for each in before.roles[role].keys]
            threshold = thresholds.get(role, before.roles[role].threshold)
            roles[role] = (list(keys.get(role, own)), threshold)
        root = _root(before.name, before.version + 1, roles, days)
        self._releases.put_roots([*envelopes, root.envelope()])
        return root

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
        file = self._releases.file(revision)
        if not file.is_file():
            raise RefusedError("rollback", f"there is no {file}")
        return self._make(Archive.unpack(file.read_bytes()).files, days, None)

    def _make(
        self, files: Mapping[str, bytes], days: int, revision: int | None
    ) -> tuple[Manifest, Path]:
        self._releases.envelopes()
        with locked(self._releases.lock):
            return self._made(files, days, revision)

    def _made(
        self, files: Mapping[str, bytes], days: int, revision: int | None
    ) -> tuple[Manifest, Path]:
        roots, newest = self._releases.roots(), self._releases.newest()
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
        file = self._releases.file(number)
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
        return Signing(self._releases, keys).sign()


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
