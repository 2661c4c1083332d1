"""Getting bytes from a URL: ``file:`` and ``https:`` here, others by an entry point.

An entry point of the group ``hookcore.bundle_fetchers`` has the scheme of its URLs as its name, and
is a function that takes a :class:`Request` and returns the bytes. It raises OSError when it cannot.
Nothing that it returns is believed: whatever a fetcher gives is verified.
"""

from __future__ import annotations

import os
import ssl
import stat
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit
from urllib.request import url2pathname

from ._refused import RefusedError

__all__ = ["GROUP", "Request", "beside", "fetch"]

GROUP: Final = "hookcore.bundle_fetchers"
_CHUNK: Final = 64 * 1024


@dataclass(frozen=True)
class Request:
    """A thing to fetch, and the bounds.

    Args:
        url: where it is.
        limit: the bytes that it may have.
        seconds: how long it may take.
        ca: a file of certificates to trust, else the system's.
        token: what the server asks for.
    """

    url: str
    limit: int
    seconds: float = 30.0
    ca: Path | None = None
    token: str | None = None


def beside(url: str, ending: str) -> str:
    """Return the URL of what lies beside something, with an ending more in its path."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=parts.path + ending))


def fetch(request: Request) -> bytes:
    """Fetch something.

    Raises:
        RefusedError: it is not there, too large, cut off or too slow.
    """
    scheme = urlsplit(request.url).scheme
    fetcher = _OWN.get(scheme) or _further(scheme)
    try:
        data = fetcher(request)
    except urllib.error.HTTPError as error:
        error.close()
        raise RefusedError("server", f"HTTP {error.code} for {request.url}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise RefusedError("server", f"{_why(error)} ({request.url})") from None
    if not isinstance(data, bytes):
        raise RefusedError("server", f"the fetcher of {scheme}: gave {type(data).__name__}")
    if len(data) > request.limit:
        raise RefusedError("size", f"more than {request.limit} bytes at {request.url}")
    return data


def _further(scheme: str) -> Callable[[Request], Any]:
    found = list(entry_points(group=GROUP, name=scheme))
    if len(found) != 1:
        raise RefusedError(
            "server",
            f"{len(found)} installed distributions read {scheme}: URLs: use https: or file:, or "
            f"install exactly one with an entry point {scheme} in the group {GROUP}",
        )
    try:
        fetcher: Callable[[Request], Any] = found[0].load()
    except Exception as error:
        why = f"the fetcher of {scheme}: cannot be imported: {type(error).__name__}: {error}"
        raise RefusedError("server", why) from error
    return fetcher


def _file(request: Request) -> bytes:
    parts = urlsplit(request.url)
    if parts.netloc not in {"", "localhost"}:
        raise ValueError(f"file: URLs name a file of this machine, not of {parts.netloc}")
    # Opening a pipe must not wait for a writer.
    descriptor = os.open(url2pathname(parts.path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("it is no regular file")
        return file.read(request.limit + 1)


def _https(request: Request) -> bytes:
    ends = time.monotonic() + request.seconds
    asked = urllib.request.Request(request.url, headers={"User-Agent": "hookcore-bundle"})  # noqa: S310 - https alone
    if request.token is not None:
        # Not sent on to wherever the server points.
        asked.add_unredirected_header("Authorization", f"Bearer {request.token}")
    with _opener(request.ca).open(asked, timeout=request.seconds) as answer:
        wanted = answer.headers.get("Content-Length")
        data = bytearray()
        while len(data) <= request.limit:
            chunk = answer.read1(_CHUNK)
            if not chunk:
                break
            data += chunk
            if time.monotonic() > ends:
                raise TimeoutError(f"it took longer than {request.seconds:g} s")
        if wanted is not None and len(data) <= request.limit and int(wanted) != len(data):
            raise RefusedError("download", f"{len(data)} of {int(wanted)} bytes ({request.url})")
    return bytes(data)


def _opener(ca: Path | None) -> urllib.request.OpenerDirector:
    """Return what speaks https alone: wherever a server points, nothing else is followed."""
    opener = urllib.request.OpenerDirector()
    context = ssl.create_default_context(cafile=None if ca is None else str(ca))
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPSHandler(context=context),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _why(error: Exception) -> str:
    reason = getattr(error, "reason", None)
    if isinstance(reason, BaseException):
        error = reason if isinstance(reason, Exception) else error
    text = getattr(error, "strerror", None) or str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


_OWN: Final[dict[str, Callable[[Request], bytes]]] = {"file": _file, "https": _https}
