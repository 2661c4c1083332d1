"""The bundle in force on a machine, and its freshness: read and verified, never changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from hookcore.bundles import bundle_folder, system_file

from . import _clock
from ._documents import Manifest, Timestamp
from ._envelope import Envelope
from ._folder import Folder, Seen
from ._refused import RefusedError
from ._roots import Roots
from .settings import BundleSettings

__all__ = ["Machine", "State", "Status"]

State = Literal["fresh", "stale", "expired", "missing", "broken"]


@dataclass(frozen=True)
class Status:
    """The bundle in force, and whether it is to be believed still."""

    state: State
    why: str
    revision: int | None = None
    digest: str | None = None
    """The SHA-256 of the archive that the newest timestamp names."""
    signed: int | None = None
    """The time of the newest timestamp."""
    expires: int | None = None
    seen: Seen = field(default_factory=Seen)


class Machine:
    """Reads the folder of bundles under the settings of the system's file.

    Args:
        settings: the table ``[bundle]``.
        folder: the folder, else the system's.
    """

    def __init__(self, settings: BundleSettings, folder: Path | None = None) -> None:
        self.settings = settings
        self.folder = Folder(bundle_folder() if folder is None else folder)
        self._root = system_file().parent / settings.root
        self._known: tuple[object, tuple[Manifest, Timestamp]] | None = None

    def roots(self) -> Roots:
        """Return the roots that whatever comes next must be signed by.

        They may be newer than those of what is in force: a rotation holds, whatever comes with it.

        Raises:
            RefusedError: the pinned root cannot be read, or the stored ones do not follow it.
        """
        return self._pinned().extended(self.folder.stored_roots())

    def _pinned(self) -> Roots:
        file = self._root
        try:
            data = file.read_bytes()
        except OSError as error:
            raise RefusedError(
                "root", f"{file} cannot be read ({error.strerror}): bring it here by hand"
            ) from error
        pinned = Roots.trusted(Envelope.from_json(data, "root"))
        if pinned.latest.name != self.settings.name:
            raise RefusedError(
                "root", f"{file} is for the fleet {pinned.latest.name}, not {self.settings.name}"
            )
        return pinned

    def seen(self) -> Seen:
        """Return what is remembered; what is lost is taken from the signed files."""
        seen = self.folder.seen()
        if seen is not None:
            return seen
        seen = Seen()
        try:
            manifest, timestamp = self._signed()
        except RefusedError:
            return seen
        seen.highest, seen.digest = timestamp.revision, timestamp.sha256
        seen.timestamp = timestamp.created
        seen.time = max(manifest.created, timestamp.created)
        return seen

    def status(self, latest: int = 0) -> Status:
        """Verify what is in force, and tell how fresh it is.

        Args:
            latest: a time that was seen elsewhere; the clock does not run back behind it.
        """
        seen = self.seen()
        now = max(_clock.now(), seen.time, latest)
        if self.folder.current() is None:
            return Status("missing", "no bundle has been pulled", seen=seen)
        try:
            manifest, timestamp = self._signed()
        except RefusedError as error:
            return Status("broken", str(error), seen=seen)
        state, why = self._freshness(manifest, timestamp, seen, now)
        digest, signed = timestamp.sha256, timestamp.created
        return Status(state, why, manifest.revision, digest, signed, manifest.expires, seen)

    def _freshness(
        self, manifest: Manifest, timestamp: Timestamp, seen: Seen, now: int
    ) -> tuple[State, str]:
        if manifest.expires <= now:
            return (
                "expired",
                f"revision {manifest.revision} expired {_clock.told(manifest.expires)}",
            )
        if timestamp.revision != manifest.revision and seen.break_glass is None:
            return "stale", f"revision {manifest.revision} is not {timestamp.revision}, the newest"
        age = now - timestamp.created
        if age > self.settings.stale_after_s:
            at = _clock.told(timestamp.created)
            return "stale", f"the newest timestamp is {age} s old ({at})"
        return "fresh", f"signed {_clock.told(timestamp.created)}"

    def _signed(self) -> tuple[Manifest, Timestamp]:
        """Return what is in force; its signatures are verified again when a file has changed."""
        stamp = self.folder.stamp(self._root)
        if self._known is None or self._known[0] != stamp:
            self._known = None
            self._known = stamp, self._verified()
        return self._known[1]

    def _verified(self) -> tuple[Manifest, Timestamp]:
        current = self.folder.current()
        if current is None:
            raise RefusedError("bundle", "there is none")
        news = self.folder.news(current)
        roots = self._pinned().extended(news.roots)
        return self.folder.content(current).manifest(roots), news.checked(roots)
