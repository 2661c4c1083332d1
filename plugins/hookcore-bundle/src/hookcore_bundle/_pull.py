"""Taking a newer bundle: fetched, verified, tried, and put in force at once; or nothing changes."""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from hookcore import HookcoreError
from hookcore.bundles import try_bundle

from . import _clock
from ._archive import Archive
from ._constraints import check_constraints
from ._documents import Manifest, Root, Timestamp
from ._folder import Folder, Seen
from ._machine import Machine
from ._news import News
from ._refused import RefusedError
from ._roots import Roots
from .fetching import Request, beside, fetch

__all__ = ["TIMESTAMP_ENDING", "Pulled", "pull", "roll_back"]

TIMESTAMP_ENDING: Final = ".timestamp"
_MEGABYTE: Final = 1 << 20
Trial = Callable[[Path], None]
_log = logging.getLogger("hookcore_bundle")


@dataclass(frozen=True)
class Pulled:
    """The outcome of a pull that was right."""

    revision: int
    """The revision in force."""
    is_new: bool
    """True when this pull has put it in force."""


def pull(machine: Machine, trial: Trial | None = None) -> Pulled:
    """Ask for the newest bundle once.

    Args:
        machine: the machine.
        trial: loads a staged bundle, or raises HookcoreError; the real one when None.

    Returns:
        What is in force now.

    Raises:
        RefusedError: nothing was taken; what was in force stays.
    """
    with machine.folder.alone():
        seen = machine.seen()
        try:
            done = _Pull(machine, seen, trial or try_bundle).run()
        except RefusedError as error:
            seen.error = str(error)
            seen.time = max(seen.time, _clock.now())
            machine.folder.remember(seen)
            raise
        seen.error = None
        seen.checked = _clock.now()
        machine.folder.remember(seen)
    return done


class _InForce(NamedTuple):
    """The revision in force, which is what its signers say still."""

    folder: Path
    manifest: Manifest


class _Pull:
    def __init__(self, machine: Machine, seen: Seen, trial: Trial) -> None:
        self._settings = machine.settings
        self._folder = machine.folder
        self._seen = seen
        self._trial = trial
        self._roots = machine.roots()

    def run(self) -> Pulled:
        news = self._newest()
        timestamp = news.checked(self._roots)
        current = self._in_force()
        seen = self._seen
        if timestamp.revision < seen.highest:
            raise RefusedError("rollback", f"revision {timestamp.revision} after {seen.highest}")
        if timestamp.created < seen.timestamp:
            was, now = _clock.told(seen.timestamp), _clock.told(timestamp.created)
            raise RefusedError("rollback", f"a timestamp of {now} after one of {was}")
        if timestamp.revision == seen.highest and seen.digest not in {"", timestamp.sha256}:
            raise RefusedError(
                "equivocation", f"revision {timestamp.revision} again, with other content"
            )
        if current is not None and timestamp.revision == seen.highest:
            self._check_root(max(_clock.now(), seen.time))
            self._folder.put_news(current.folder, self._with_roots(news))
            self._accept(timestamp)
            return Pulled(current.manifest.revision, is_new=False)
        manifest = self._take(timestamp, news)
        self._accept(timestamp)
        seen.highest, seen.digest, seen.break_glass = manifest.revision, timestamp.sha256, None
        self._folder.note(at=_clock.now(), what="taken", revision=manifest.revision)
        self._folder.prune(self._settings.keep)
        return Pulled(manifest.revision, is_new=True)

    def _newest(self) -> News:
        """Fetch the timestamp, and follow the roots that it carries."""
        url = beside(self._settings.url, TIMESTAMP_ENDING)
        news = News.unpack(self._fetch(url, _MEGABYTE))
        self._follow(self._roots.extended(news.roots))
        return news

    def _with_roots(self, news: News) -> News:
        """Return news that carry every root: those that were sent may be fewer."""
        return News(self._roots.envelopes, news.timestamp)

    def _follow(self, roots: Roots) -> None:
        before = self._roots.latest
        if roots.latest.version == before.version:
            return
        self._folder.put_roots(roots)  # a rotation holds, whatever comes with it
        self._roots = roots
        self._forget(before, roots.latest)

    def _forget(self, before: Root, after: Root) -> None:
        """Let go of what keys said that nobody believes any more, who may have lied upwards."""
        seen = self._seen
        if after.has_changed_all("timestamp", before):
            seen.timestamp = 0
            seen.time = max(_clock.now(), after.created)
        if after.has_changed_all("bundle", before):
            seen.highest, seen.digest = 0, ""

    def _in_force(self) -> _InForce | None:
        """Return what is in force; None for what must be fetched again."""
        current = self._folder.current()
        if current is None:
            return None
        try:
            return _InForce(current, self._folder.content(current).manifest(self._roots))
        except RefusedError as error:
            _log.warning("the bundle in force is fetched again: %s", error)
            return None

    def _take(self, timestamp: Timestamp, news: News) -> Manifest:
        data = self._fetch(self._settings.url, self._settings.max_mb * _MEGABYTE)
        if (len(data), hashlib.sha256(data).hexdigest()) != (timestamp.size, timestamp.sha256):
            raise RefusedError("download", "it is not the bundle that the timestamp names")
        archive = Archive.unpack(data)
        self._follow(self._roots.extended(archive.roots))
        manifest = archive.manifest(self._roots)
        if manifest.revision != timestamp.revision:
            raise RefusedError("manifest", f"it is not of revision {timestamp.revision}")
        now = self._time(manifest, timestamp)
        self._check_root(now)
        if manifest.expires <= now:
            raise RefusedError("expired", f"since {_clock.told(manifest.expires)}")
        check_constraints(archive.files.get("constraints.txt", b""))
        with self._folder.staged(archive, self._with_roots(news)) as staged:
            _try(self._trial, staged)
            self._folder.activate(staged, manifest.revision)
        self._seen.time = now
        return manifest

    def _time(self, manifest: Manifest, timestamp: Timestamp) -> int:
        """Return the time, which does not run backwards.

        But a clock that once jumped ahead must not make everything expired for ever: whoever signs
        a newer revision says with it what time it is.
        """
        signed = max(_clock.now(), manifest.created, timestamp.created)
        return signed if manifest.revision > self._seen.highest else max(signed, self._seen.time)

    def _check_root(self, now: int) -> None:
        root = self._roots.latest
        if root.expires <= now:
            at = _clock.told(root.expires)
            raise RefusedError("root", f"version {root.version} expired {at}: sign another one")

    def _accept(self, timestamp: Timestamp) -> None:
        seen = self._seen
        seen.timestamp = timestamp.created
        seen.time = max(seen.time, _clock.now(), timestamp.created)

    def _fetch(self, url: str, limit: int) -> bytes:
        variable = self._settings.token_env
        token = None if variable is None else os.environ.get(variable)
        if variable is not None and not token:
            raise RefusedError("server", f"the environment variable {variable} is not set")
        settings = self._settings
        return fetch(Request(url, limit, settings.timeout_s, settings.ca, token))


def roll_back(machine: Machine, revision: int, trial: Trial | None = None) -> Manifest:
    """Go back to a revision that is kept here, until a newer one than all comes.

    Args:
        machine: the machine.
        revision: the revision.
        trial: as for :func:`pull`.

    Returns:
        Its manifest.

    Raises:
        RefusedError: it is not kept, not signed by keys that are trusted now, or does not load.
    """
    folder = machine.folder
    with folder.alone():
        seen, current, by = machine.seen(), folder.current(), _user()
        if current is None:
            raise RefusedError("rollback", "no bundle has been pulled")
        archive, news = _kept(folder, revision), folder.news(current)
        manifest = archive.manifest(machine.roots())
        with folder.staged(archive, news) as staged:
            _try(trial or try_bundle, staged)
            folder.activate(staged, revision)
        seen.break_glass = {"revision": revision, "at": _clock.now(), "by": by}
        folder.remember(seen)
        folder.note(at=_clock.now(), what="break-glass", revision=revision, by=by)
    _log.warning("%s has put revision %d in force by hand (break-glass)", by, revision)
    return manifest


def _kept(folder: Folder, revision: int) -> Archive:
    for kept in reversed(folder.revisions()):
        with contextlib.suppress(RefusedError):
            archive = folder.content(kept)
            if Manifest.of(archive.envelope).revision == revision:
                return archive
    raise RefusedError("rollback", f"revision {revision} is not kept here")


def _try(trial: Trial, staged: Path) -> None:
    try:
        trial(staged)
    except HookcoreError as error:
        told = str(error).replace(f"{staged}{os.sep}", "")
        raise RefusedError("activation", told) from error


def _user() -> str:
    try:
        return os.environ.get("SUDO_USER") or getpass.getuser()
    except (OSError, KeyError):
        return f"user {os.getuid()}"
