"""The files that decide what a manager loads, for programs that run for long."""

from __future__ import annotations

from pathlib import Path

__all__ = ["watched_files"]


def watched_files(start: str | Path | None) -> tuple[Path, ...]:
    """Name the files whose change may change what ``HookManager.load(start)`` gives.

    Most of them do not exist: a project's configuration may come to be in any folder above. None
    of them is read, so that a program can ask at each of its requests.

    Args:
        start: the folder whose project configuration counts; the working folder when None.

    Returns:
        Absolute paths: of configuration files, of the locks beside them, and of what is trusted.
    """
    from ..config.files import (
        FILE_NAME,
        PYPROJECT,
        SYSTEM_FILE,
        current_bundle,
        user_file,
        working_folder,
    )
    from .lockfile import lock_beside
    from .projects import trust_file

    folder = working_folder(start)
    homes = [SYSTEM_FILE, current_bundle(), user_file()]
    found = [file for file in homes if file is not None]
    found += [place / FILE_NAME for place in (folder, *folder.parents)]
    found += [lock_beside(file) for file in found]
    found += [place / PYPROJECT for place in (folder, *folder.parents)]
    trusted = trust_file()
    return (*found, *(() if trusted is None else (trusted,)))
