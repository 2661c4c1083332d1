"""A thread that looks at the configuration's files and brings their changes into force."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, TypeAlias

from ..config import layer_files
from ..errors import HookcoreError
from ..later import logger

if TYPE_CHECKING:
    from pathlib import Path

    from .configuring import Configuring

__all__ = ["Stamp", "stamp", "watch"]

Stamp: TypeAlias = "tuple[tuple[str, int, int, int] | str, ...]"
"""The identity, size and time of each configuration file, to be compared."""


def stamp(start: str | Path | None) -> Stamp:
    """Return what tells whether a configuration file has changed, come or gone.

    Args:
        start: the folder whose project configuration counts.
    """
    found: list[tuple[str, int, int, int] | str] = []
    for file in layer_files(start):
        try:
            status = file.path.stat()
        except OSError:
            found.append(str(file.path))
        else:
            found.append((str(file.path), status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(found)


def watch(
    manager: Configuring, start: str | Path | None, stop: threading.Event, seconds: float
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
    reference: weakref.ref[Configuring],
    start: str | Path | None,
    stop: threading.Event,
    seconds: float,
    seen: Stamp | None,
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


def _seen(start: str | Path | None) -> Stamp | None:
    try:
        return stamp(start)
    except (HookcoreError, OSError):
        return None  # such as a folder that has two of them: the reload tells


def _reload(manager: Configuring) -> None:
    try:
        done = manager.reload()
    except HookcoreError as error:
        logger.error("the configuration has changed and stays as it was in force: %s", error)
    except Exception:  # noqa: BLE001 - the thread has to go on: the next change may be the remedy
        logger.exception("the configuration has changed and stays as it was in force")
    else:
        logger.info("the configuration has changed: %s", done)
