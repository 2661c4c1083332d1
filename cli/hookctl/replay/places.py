"""Places of inputs and results: paths of this machine, and URLs where fsspec is installed."""

from __future__ import annotations

import errno
import glob
import io
import os
import secrets
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..failure import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "Stat",
    "StoreError",
    "absolute",
    "expanded",
    "is_url",
    "listed",
    "opened",
    "shown",
    "stat",
    "written",
]

_BLOCK = 4 * 1024 * 1024
"""Bytes that are fetched from a store at once."""
_IN_MEMORY = 8 * 1024 * 1024
"""Bytes that are sent to a store at once; more go through a temporary file."""


class StoreError(OSError):
    """A store could not be asked; it may answer the next time.

    The message names no secret, of a URL neither.
    """


@dataclass(frozen=True, slots=True)
class Stat:
    """The state of a file, by which a changed one is known."""

    size: int | None
    tag: str
    """The store's own mark of the content, else the time of the last change."""


def is_url(path: str) -> bool:
    """Tell whether a place is a URL.

    Args:
        path: a path or a URL.

    Returns:
        True for a URL, whatever its scheme.
    """
    return "://" in path


def shown(path: str) -> str:
    """Write a place as it may be shown: without a password or a signature.

    Args:
        path: a path or URL.

    Returns:
        The path; of a URL scheme, host and path.
    """
    if not is_url(path):
        return path
    scheme, _, rest = path.partition("://")
    rest = rest.partition("?")[0] if scheme.startswith("http") else rest
    host, slash, name = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{name}"


def absolute(path: str) -> str:
    """Name a place so that it does not depend on the working folder.

    Args:
        path: a path or URL.

    Returns:
        An absolute path; a URL as it is.
    """
    return path if is_url(path) else os.path.abspath(path)  # noqa: PTH100 - links stay


def expanded(pattern: str) -> list[str]:
    """List the files that a pattern means, sorted.

    Args:
        pattern: a path or URL; `*`, `?`, `[...]` and `**` match names where no file is called so.

    Returns:
        Paths or URLs; the pattern itself where it is none or matches nothing.
    """
    if is_url(pattern):
        # In https:// a question mark begins a query.
        magic = "*" if pattern.startswith("http") else "*?["
        if not any(sign in pattern for sign in magic):
            return [pattern]
        store, path = _store(pattern)
        with _told(pattern):
            store.invalidate_cache()
            found = store.glob(path, detail=True)
        names = sorted(name for name, info in found.items() if _is_file(info))
        return [store.unstrip_protocol(name) for name in names] or [pattern]
    if not glob.has_magic(pattern) or Path(pattern).exists():
        return [pattern]
    found = (name for name in glob.iglob(pattern, recursive=True) if Path(name).is_file())  # noqa: PTH207 - names as they were given
    return sorted(found) or [pattern]


def stat(path: str) -> Stat:
    """Look at a file.

    Args:
        path: a path or URL.

    Returns:
        Its state now.

    Raises:
        OSError: it is not there, or not to be read.
    """
    if not is_url(path):
        found = Path(path).stat()
        return Stat(found.st_size, str(found.st_mtime_ns))
    store, name = _store(path)
    with _told(path):
        store.invalidate_cache()
        info = store.info(name)
    marks = (info.get(key) for key in ("ETag", "etag", "md5Hash", "mtime", "LastModified"))
    return Stat(info.get("size"), str(next((mark for mark in marks if mark), "")))


@contextmanager
def opened(path: str, start: int = 0) -> Iterator[io.BufferedReader]:
    """Open a file for reading.

    Args:
        path: a path or URL.
        start: bytes to leave out.

    Yields:
        A buffered stream of bytes.

    Raises:
        OSError: it is not there, or not to be read.
    """
    if not is_url(path):
        with Path(path).open("rb") as stream:
            stream.seek(start)
            yield stream
        return
    store, name = _store(path)
    with _told(path):
        remote = store.open(name, "rb", block_size=_BLOCK)
    with remote:
        if start:
            remote.seek(start)
        # A store's files have no readline that heeds a size.
        yield io.BufferedReader(_Remote(remote, path), 1 << 20)


def written(path: str, pieces: Iterable[bytes], *, durable: bool = True) -> None:
    """Write a file whole or not at all; its folder is made.

    Args:
        path: a path or URL.
        pieces: its content, which is never in memory as a whole.
        durable: whether it has to outlive a failure of the power.

    Raises:
        OSError: it cannot be written.
    """
    if is_url(path):
        _uploaded(path, pieces)
        return
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            file.writelines(pieces)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _uploaded(url: str, pieces: Iterable[bytes]) -> None:
    """Write a file of a store: spooled first, since a store commits what it has when we fail."""
    store, name = _store(url)
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        spool.writelines(pieces)
        size = spool.tell()
        spool.seek(0)
        with _told(url):
            store.makedirs(name.rpartition("/")[0], exist_ok=True)
            if size <= _IN_MEMORY:
                store.pipe_file(name, spool.read())
                return
            with store.open(name, "wb") as remote:
                shutil.copyfileobj(spool, remote, _BLOCK)


def listed(folder: str) -> Sequence[str]:
    """List the names of the files in a folder.

    Args:
        folder: a path or URL.

    Returns:
        The names; none where there is no such folder.
    """
    if not is_url(folder):
        try:
            return os.listdir(folder)  # noqa: PTH208 - names are what is asked for
        except FileNotFoundError:
            return []
    store, name = _store(folder)
    try:
        with _told(folder):
            store.invalidate_cache()
            return [str(one).rpartition("/")[2] for one in store.ls(name, detail=False)]
    except FileNotFoundError:
        return []


class _Remote(io.RawIOBase):
    """A file of a store, whose failures are told as the store's."""

    def __init__(self, file: Any, url: str) -> None:
        self._file = file
        self._url = url

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def seek(self, offset: int, whence: int = 0) -> int:
        with _told(self._url):
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any) -> int:
        with _told(self._url):
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def _told(url: str) -> Iterator[None]:
    """Tell of a store's failure which file it was, in one class whatever the store raises."""
    try:
        yield
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, "there is no such file", shown(url)) from None
    except PermissionError as error:
        raise PermissionError(errno.EACCES, "the store refuses access", shown(url)) from error
    except Exception as error:
        # Their texts may quote signatures and tokens.
        raise StoreError(f"{shown(url)}: the store failed ({type(error).__name__})") from error


def _is_file(info: dict[str, Any]) -> bool:
    return info.get("type") == "file"


def _store(url: str) -> tuple[Any, str]:
    """Give the file system of a URL, and the name in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise UsageError(
            f"{shown(url)} is a URL: pip install 'hookcore[remote]' to read it"
        ) from None
    try:
        found: tuple[Any, str] = url_to_fs(url)
    except (ImportError, ValueError) as error:  # its own words say which package is missing
        raise UsageError(f"{shown(url)} cannot be opened: {error}") from None
    return found
