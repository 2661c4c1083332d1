"""The policies of each folder that clients work in, loaded once and again when files change."""

from __future__ import annotations

import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final

from hookcore import HookManager, NobodyAnsweredError
from hookcore.hosting import watched_files

from ..judging import Judge
from ..judging.facts import Deadline
from ..judging.threads import Threads, result_of

__all__ = ["Policies", "UnloadableError"]

_log = logging.getLogger(__name__)
_KEPT: Final = 64
_LOADING: Final = threading.Lock()
"""The working folder is the process's, so policies are made one folder after the other."""
_Signature = tuple[tuple[int, int, int] | None, ...]


class UnloadableError(Exception):
    """The configuration of a folder cannot be loaded, so that everything there is denied."""

    def __init__(self) -> None:
        super().__init__(
            "hookcore's configuration for this folder cannot be loaded: a person has to run "
            "'hookctl doctor' there"
        )


class Policies:
    """The judges of the folders that clients work in.

    What a file says counts from the next event on. A configuration that cannot be loaded denies
    everything until it can be: the one from before may be looser than what somebody has just
    asked for.

    Args:
        load: makes a folder's manager; for tests.
    """

    def __init__(self, load: Callable[[str], HookManager] | None = None) -> None:
        self._load = load or load_manager
        self._threads = Threads()
        self._lock = threading.Lock()
        self._folders: OrderedDict[str, _Folder] = OrderedDict()

    def judge_of(self, folder: str, deadline: Deadline) -> Judge:
        """Return the judge of what happens in a folder.

        Args:
            folder: the folder that a client works in.
            deadline: when it has to be there.

        Raises:
            UnloadableError: its configuration cannot be loaded.
            TooLateError: it takes longer than that to load it.
            CrowdedError: there are too many threads to load it in.
        """
        gone: list[_Folder] = []
        with self._lock:
            found = self._folders.get(folder)
            if found is None:
                found = self._folders[folder] = _Folder(folder, self._load, self._threads)
            self._folders.move_to_end(folder)
            while len(self._folders) > _KEPT:
                gone.append(self._folders.popitem(last=False)[1])
        for old in gone:
            old.close()
        return found.judge(deadline)

    @property
    def open_calls(self) -> int:
        """The calls that wait for their end."""
        with self._lock:
            folders = list(self._folders.values())
        return sum(folder.open_calls for folder in folders)

    def close(self) -> None:
        """Let all judges go."""
        with self._lock:
            folders, self._folders = list(self._folders.values()), OrderedDict()
        for folder in folders:
            folder.close()


class _Folder:
    """One folder, with the judge for what its files said last."""

    def __init__(self, folder: str, load: Callable[[str], HookManager], threads: Threads) -> None:
        self._folder, self._load, self._threads = folder, load, threads
        self._files = watched_files(folder)
        self._lock = threading.Lock()
        self._loading: Future[None] | None = None
        self._signature: _Signature | None = None
        self._judge: Judge | None = None

    @property
    def open_calls(self) -> int:
        judge = self._judge
        return 0 if judge is None else judge.open_calls

    def judge(self, deadline: Deadline) -> Judge:
        with self._lock:
            signature = signature_of(self._files)
            if self._loading is None and signature != self._signature:
                self._loading = self._threads.start(lambda: self._renew(signature))
            loading = self._loading
        if loading is not None:
            result_of(loading, deadline.left)
        judge = self._judge
        if judge is None:
            raise UnloadableError
        return judge

    def close(self) -> None:
        with self._lock:
            judge, self._judge, self._signature = self._judge, None, None
        if judge is not None:
            judge.close()

    def _renew(self, signature: _Signature) -> None:
        judge = None
        try:
            judge = Judge(self._load(self._folder), self._threads)
            _log.info("loaded the configuration for %s", self._folder)
        except BaseException as error:  # noqa: BLE001 - any failure denies
            _log.error("the configuration for %s cannot be loaded: %s", self._folder, error)
        finally:
            # What has changed since the signature was taken is loaded at the next event.
            with self._lock:
                old, self._judge, self._signature = self._judge, judge, signature
                self._loading = None
            if old is not None:
                old.close()


class _Nobody:
    """The prompter of a daemon, which has nobody to ask."""

    def ask(self, prompt: str, default_message: str) -> str:
        del prompt, default_message
        raise NobodyAnsweredError("a daemon has nobody to ask")


def load_manager(folder: str) -> HookManager:
    """Return a manager with the policies of a folder, and nobody who could be asked.

    They are made while the process works in that folder, since a policy may ask once, when it is
    made, where relative paths begin.
    """
    with _LOADING:
        before = os.getcwd()  # noqa: PTH109 - it is only gone back to
        os.chdir(folder)
        try:
            return HookManager.load(folder, prompter=_Nobody(), sync=True)
        finally:
            os.chdir(before)


def signature_of(files: tuple[Path, ...]) -> _Signature:
    """Return what tells a change of files; one that is not there counts too."""

    def one(file: Any) -> tuple[int, int, int] | None:
        try:
            status = os.stat(file)  # noqa: PTH116 - a tenth of what Path.stat() costs
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    return tuple(map(one, files))
