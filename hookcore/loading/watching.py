"""A thread that looks at the configuration's files and brings their changes into force."""

from __future__ import annotations

import threading
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from ..config.days import today
from ..errors import HookcoreError
from ..later import logger
from ..trust.watched import watched_files

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path


__all__ = ["Reloadable", "Stamp", "stamp", "watch"]


class Reloadable(Protocol):
    """A manager, as far as its files are watched."""

    def reload(self) -> object:
        """Bring the changed configuration into force."""


Stamp = tuple[tuple[str, int, int, int], ...]
"""The path, identity, size and time of each file that there is, to be compared."""


def stamp(start: str | Path | None) -> Stamp:
    """Return what tells whether a file that decides what is loaded has changed, come or gone.

    Args:
        start: the folder whose project configuration counts.
    """
    found: list[tuple[str, int, int, int]] = []
    for file in watched_files(start):
        with suppress(OSError):
            status = file.stat()
            found.append((str(file), status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(found)


def watch(
    manager: Reloadable, start: str | Path | None, stop: threading.Event, seconds: float
) -> None:
    """Reload a manager whenever a configuration file has changed, on a thread of its own.

    Args:
        manager: the manager; the thread ends with it.
        start: the folder whose project configuration counts.
        stop: ends the thread when it is set.
        seconds: between two looks.
    """
    reference = weakref.ref(manager, lambda _gone: stop.set())
    # Taken here, so that a change after this call is one.
    thread = threading.Thread(
        target=_run,
        args=(reference, start, stop, seconds, _seen(start)),
        name="hookcore configuration",
        daemon=True,
    )
    thread.start()


def _run(
    reference: weakref.ref[Reloadable],
    start: str | Path | None,
    stop: threading.Event,
    seconds: float,
    seen: tuple[date, Stamp],
) -> None:
    while not stop.wait(seconds):
        now = _seen(start)
        if now == seen:
            continue
        seen = now
        manager = reference()
        if manager is not None:
            _reload(manager)
        del manager


def _seen(start: str | Path | None) -> tuple[date, Stamp]:
    return today(), stamp(start)  # a plugin may expire over night


def _reload(manager: Reloadable) -> None:
    try:
        done = manager.reload()
    except HookcoreError as error:
        logger.error("the configuration has changed and stays as it was in force: %s", error)
    except Exception:  # noqa: BLE001 - the thread has to go on: the next change may be the remedy
        logger.exception("the configuration has changed and stays as it was in force")
    else:
        logger.info("the configuration has changed: %s", done)
