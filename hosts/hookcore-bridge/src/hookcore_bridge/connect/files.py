"""The files of clients: read whole, refused when they are strange, replaced at once."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from hookcore.errors import HookcoreError
from hookcore.hosting import alone, replace_file

__all__ = [
    "ClientFileError",
    "missing_folders",
    "mode_of",
    "read",
    "remove_folders",
    "text_of",
    "write",
]

_LARGEST = 32 * 1024 * 1024


class ClientFileError(HookcoreError):
    """A client's file cannot be read or changed; the message says which, why and what to do."""


def read(file: Path, *, below: Path | None = None) -> bytes | None:
    """Read a file.

    Args:
        file: the file; links are followed.
        below: a folder that a link must not lead out of.

    Returns:
        Its content; None when there is no file.

    Raises:
        ClientFileError: it is no ordinary file, too large, out of reach, or elsewhere.
    """
    target = Path(os.path.realpath(file))
    if below is not None and not target.is_relative_to(os.path.realpath(below)):
        raise ClientFileError(
            f"{file} is a link that leads to {target}, outside of {below}: hookctl does not "
            "follow links out of a project. Make it a file, or use --user"
        )
    try:
        status = target.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ClientFileError(f"{file} is no ordinary file: move it away, and try again")
        if status.st_size > _LARGEST:
            raise ClientFileError(
                f"{file} has {status.st_size:,} bytes, and no client's configuration is that large:"
                " move it away, and try again"
            )
        return target.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ClientFileError(
            f"{file} cannot be read: {error.strerror or error}: mend its permissions"
        ) from error


def text_of(file: Path, data: bytes | None) -> str:
    """Decode a file's content, without the mark that some editors begin it with.

    Args:
        file: the file, for the message.
        data: its content; None counts as empty.

    Returns:
        The text.

    Raises:
        ClientFileError: it is not UTF-8.
    """
    try:
        return (data or b"").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = (data or b"").count(b"\n", 0, error.start) + 1
        raise ClientFileError(
            f"{file}, line {line}: this is not UTF-8: save it as UTF-8, and try again"
        ) from error


def mode_of(file: Path) -> int | None:
    """Return the permissions of a file; None when there is none."""
    try:
        return stat.S_IMODE(file.stat().st_mode)
    except OSError:
        return None


def write(
    file: Path,
    before: bytes | None,
    after: bytes | None,
    *,
    shared: bool = False,
    private: bool = False,
) -> None:
    """Replace a file's content at once, if it still is what was read.

    Args:
        file: the file; a link stays a link.
        before: what was read.
        after: the new content; None removes the file.
        shared: let every user read the file and enter its folders, whatever the umask says.
        private: let nobody else read the file.

    Raises:
        ClientFileError: the file was changed meanwhile, or cannot be written; it is as it was.
    """
    target = Path(os.path.realpath(file))
    try:
        _make_folder(target.parent, shared=shared)
        with alone(target):
            now = target.read_bytes() if target.exists() else None
            if now != before:
                raise ClientFileError(
                    f"{file} was changed by another program at this moment: nothing was written. "
                    "Try again, after closing the client"
                )
            if after is None:
                target.unlink(missing_ok=True)
                return
            replace_file(target, after, private=private)
            if shared:
                target.chmod(0o644)
    except OSError as error:
        root = " (as root, for --managed)" if shared else ""
        raise ClientFileError(
            f"{file} cannot be written: {error.strerror or error}: mend its permissions, or run "
            f"hookctl as somebody who may write it{root}"
        ) from error


def _make_folder(folder: Path, *, shared: bool) -> None:
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(exist_ok=True)
        if shared:
            path.chmod(0o755)


def missing_folders(file: Path) -> list[str]:
    """Return the folders that have to be made for a file, the innermost first."""
    parent = Path(os.path.realpath(file)).parent
    return [str(path) for path in (parent, *parent.parents) if not path.exists()]


def remove_folders(folders: list[str]) -> None:
    """Remove folders as far as they are empty.

    Args:
        folders: the folders, the innermost first.
    """
    with contextlib.suppress(OSError):
        for folder in folders:
            Path(folder).rmdir()
