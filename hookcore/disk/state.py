"""The user's own folder for what hookcore remembers: which projects are trusted, and the log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from ..errors import HookcoreError
from .homes import own_folder

__all__ = ["StateError", "is_recording", "make_state_folder", "not_recording", "state_folder"]

_recording: ContextVar[bool] = ContextVar("hookcore_recording", default=True)


class StateError(HookcoreError):
    """Raised when hookcore's memory of the user's choices cannot be read or written."""


def state_folder() -> Path | None:
    """Return the folder, which need not exist; None for a user without a home."""
    from platformdirs import user_state_dir

    return own_folder(user_state_dir)


def make_state_folder() -> Path:
    """Make the folder, closed to everybody else, unless it is there.

    Returns:
        The folder.

    Raises:
        StateError: the user has no home, or the folder cannot be made.
    """
    folder = state_folder()
    if folder is None:
        raise StateError("there is no home folder to keep state in: set HOME")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StateError(
            f"the folder {folder} cannot be made ({error.strerror or error}): mend the "
            "permissions of the folder above it"
        ) from error
    return folder


def is_recording() -> bool:
    """Return whether what a manager that is loaded now is told of really happens.

    False while ``hookctl`` tries something out, such as a replay: a plugin that keeps a log writes
    nothing of it then.
    """
    return _recording.get()


@contextmanager
def not_recording() -> Iterator[None]:
    """Keep what is only tried out, such as a replay, out of the log of decisions."""
    token = _recording.set(False)
    try:
        yield
    finally:
        _recording.reset(token)
