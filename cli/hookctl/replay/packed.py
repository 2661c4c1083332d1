"""Compressed inputs, read to their last byte: one that is cut or damaged is never read short."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

from .stream import DamagedInputError, UnreadableInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["is_packed", "unpacked"]

_BLOCK = 256 * 1024
_MEMORY = 512 * 1024 * 1024
"""Bytes that an input may make us need; the strongest level of xz needs 65 MiB."""
_PADDED = frozenset(("gzip", "xz"))
"""Kinds that may be followed by zeros, up to the end of a tape's or a disk's block."""


class _Decoder(Protocol):
    """Anything that decompresses one member of a file, as `bz2.BZ2Decompressor` does."""

    @property
    def eof(self) -> bool:
        """True after the member's last byte."""
        ...

    @property
    def unused_data(self) -> bytes:
        """Everything after the member's last byte."""
        ...

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Decompress, keeping what is too much for the next time."""
        ...


class _Gzip:
    """A gzip member, behind what the other decoders look like."""

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._decoder.eof

    @property
    def unused_data(self) -> bytes:
        return self._decoder.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._decoder.decompress(self._decoder.unconsumed_tail + data, max_length)


def is_packed(head: bytes) -> bool:
    """Tell whether an input is compressed.

    Args:
        head: its first six bytes.

    Returns:
        True for gzip, bzip2, xz and zstd.
    """
    return _kind(head) is not None


@contextmanager
def unpacked(
    stream: BinaryIO, head: bytes, on_bytes: Callable[[int], None] | None = None
) -> Iterator[BinaryIO]:
    """Decompress an input.

    Args:
        stream: the input, at its beginning.
        head: its first six bytes.
        on_bytes: told the number of compressed bytes as they are read.

    Yields:
        A stream of what is in it. Reading from it raises `DamagedInputError` when the input is cut
        or damaged, however much of it could be read.

    Raises:
        UnreadableInputError: nothing here can decompress it.
    """
    kind = _kind(head) or ""
    if kind == "zstd" and _zstd() is None:
        raise UnreadableInputError(
            "it is zstd-compressed: pip install 'hookcore[zstd]', or decompress it first"
        )
    buffered: Any = io.BufferedReader(_Unpacked(stream, kind, on_bytes), _BLOCK)
    yield cast("BinaryIO", buffered)


def _kind(head: bytes) -> str | None:
    return next((kind for magic, kind in _KINDS if head.startswith(magic)), None)


_KINDS = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)


def _zstd() -> Any:
    """Give the module that decompresses zstd, if there is one."""
    # Others read a cut file short, and say nothing.
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name)
        except ImportError:
            continue
    return None


def _decoder(kind: str) -> _Decoder:
    if kind == "gzip":
        return _Gzip()
    if kind == "bzip2":
        return bz2.BZ2Decompressor()
    if kind == "xz":
        return lzma.LZMADecompressor(memlimit=_MEMORY)
    decoder: _Decoder = _zstd().ZstdDecompressor()
    return decoder


class _Unpacked(io.RawIOBase):
    """The content of a compressed file, which may have several members one after the other."""

    def __init__(self, source: BinaryIO, kind: str, on_bytes: Callable[[int], None] | None) -> None:
        self._source = source
        self._kind = kind
        self._on_bytes = on_bytes
        self._decoder: _Decoder | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._next(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _next(self, most: int) -> bytes:
        given = b""
        while True:
            if self._decoder is None or self._decoder.eof:
                given = self._between(given)
                if not given:
                    return b""
                self._decoder = _decoder(self._kind)
            data = self._decompressed(self._decoder, given, most)
            if data:
                return data
            if self._decoder.eof:
                given = b""
                continue
            given = self._read()
            if not given:
                data = self._decompressed(self._decoder, b"", most)
                if data or self._decoder.eof:
                    return data
                raise DamagedInputError(f"it is cut off: its {self._kind} data has no end")

    def _between(self, given: bytes) -> bytes:
        """Find where the next member begins; nothing is left when there is none."""
        rest = given or (self._decoder.unused_data if self._decoder is not None else b"")
        while True:
            if self._kind in _PADDED and self._decoder is not None:
                rest = rest.lstrip(b"\0")
            if rest:
                return rest
            rest = self._read()
            if not rest:
                return b""

    def _read(self) -> bytes:
        data = self._source.read(_BLOCK)
        if self._on_bytes is not None:
            self._on_bytes(len(data))
        return data

    def _decompressed(self, decoder: _Decoder, data: bytes, most: int) -> bytes:
        try:
            return decoder.decompress(data, most)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - each decoder has a class of its own
            raise DamagedInputError(
                f"its {self._kind} data is damaged ({type(error).__name__})"
            ) from None
