"""The archive of a bundle: a plain tar of the few files that may be in one."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ._documents import FileEntry, Manifest
from ._envelope import Envelope
from ._refused import RefusedError
from ._roots import Roots, read_roots, roots_json

__all__ = ["CONTENT", "Archive", "entries_of"]

CONTENT: Final = ("hookcore.toml", "hookcore.lock", "constraints.txt")
"""All that a bundle can hold: data that is read, and never code that runs."""
_MANIFEST: Final = "manifest.json"
_ROOTS: Final = "roots.json"
_REGULAR: Final = (tarfile.REGTYPE, tarfile.AREGTYPE)


def entries_of(files: Mapping[str, bytes]) -> dict[str, FileEntry]:
    """Return what a manifest says of files."""
    return {
        name: FileEntry(sha256=hashlib.sha256(data).hexdigest(), size=len(data))
        for name, data in sorted(files.items())
    }


@dataclass(frozen=True)
class Archive:
    """A bundle as it travels; nothing in it is believed until :meth:`manifest` has checked it."""

    envelope: Envelope
    """The manifest with its signatures."""
    roots: tuple[Envelope, ...]
    """All roots since the first, so that a machine that has slept can follow."""
    files: Mapping[str, bytes]

    def manifest(self, roots: Roots) -> Manifest:
        """Return the manifest, checked: who signed it, and that the files are what was signed.

        Args:
            roots: the roots that say who may sign.

        Raises:
            RefusedError: something is wrong with it.
        """
        root = roots.latest
        root.check("bundle", self.envelope)
        manifest = Manifest.of(self.envelope)
        if manifest.name != root.name:
            raise RefusedError("manifest", f"it is for the fleet {manifest.name}, not {root.name}")
        if dict(manifest.files) != entries_of(self.files):
            raise RefusedError("files", "not what was signed")
        if "hookcore.toml" not in self.files:
            raise RefusedError("files", "there is no hookcore.toml")
        return manifest

    def pack(self) -> bytes:
        """Return the archive, always the same for the same content."""
        content = {
            **{name: self.files[name] for name in sorted(self.files)},
            _MANIFEST: self.envelope.as_json(),
            _ROOTS: roots_json(self.roots),
        }
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name, data in content.items():
                info = tarfile.TarInfo(name)
                info.size, info.mode = len(data), 0o644
                tar.addfile(info, io.BytesIO(data))
        return packed.getvalue()

    @classmethod
    def unpack(cls, data: bytes) -> Archive:
        """Read an archive in memory; nothing is written anywhere.

        Raises:
            RefusedError: it is no archive of a bundle, or holds what does not belong there.
        """
        found = _members(data)
        try:
            manifest, roots = found.pop(_MANIFEST), found.pop(_ROOTS)
        except KeyError as error:
            raise RefusedError("archive", f"there is no {error.args[0]} in it") from None
        return cls(Envelope.from_json(manifest, "manifest"), tuple(read_roots(roots)), found)


def _members(data: bytes) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            for info in tar:
                _check_member(info, found, len(data))
                opened = tar.extractfile(info)
                content = b"" if opened is None else opened.read()
                if len(content) != info.size:
                    raise RefusedError("archive", f"{info.name} is cut off")
                found[info.name] = content
    except (tarfile.TarError, ValueError, OSError, EOFError):
        raise RefusedError("archive", "it is no tar, or only a part of one") from None
    return found


def _check_member(info: tarfile.TarInfo, found: Mapping[str, bytes], most: int) -> None:
    if info.name not in (*CONTENT, _MANIFEST, _ROOTS):
        raise RefusedError("archive", f"an entry that does not belong: {info.name[:80]!r}")
    # Links, devices and sparse files, which may claim any size, are none of these.
    if info.type not in _REGULAR or info.sparse is not None:
        raise RefusedError("archive", f"{info.name} is no regular file")
    if info.name in found:
        raise RefusedError("archive", f"{info.name} is in it twice")
    if info.size > most:
        raise RefusedError("archive", f"{info.name} is cut off")
