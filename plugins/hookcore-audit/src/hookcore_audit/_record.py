"""One record of the chain: how it is sealed, and how it is read again.

A record is one line: the canonical JSON (RFC 8785) of ``seq``, ``prev``, ``t``, ``kind``, ``body``
and ``hash``. The hash is SHA-256 over a tag and the canonical JSON of the other five.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import rfc8785

__all__ = ["GENESIS", "Entry", "NotARecordError", "Record", "Sealed", "read_record", "seal"]

GENESIS: Final = "0" * 64
"""The hash that the first record of a log follows."""
_TAG: Final = b"hookcore-audit-v1\0"
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_KEYS: Final = {"body", "hash", "kind", "prev", "seq", "t"}


class NotARecordError(ValueError):
    """Raised for a line that is no record."""


class Entry(NamedTuple):
    """The content of a record that is yet to be made.

    Args:
        kind: what it tells of, such as ``decision``.
        at: when that was, in microseconds since 1970.
        body: what there is to tell, of JSON's types.
    """

    kind: str
    at: int
    body: dict[str, Any]


class Sealed(NamedTuple):
    """A line to write, and its hash."""

    line: bytes
    hash: str


@dataclass(frozen=True, slots=True)
class Record:
    """A record that was read; ``whole`` says whether it is what was sealed."""

    seq: int
    prev: str
    at: int
    kind: str
    body: dict[str, Any]
    hash: str
    whole: bool


def seal(seq: int, prev: str, entry: Entry) -> Sealed:
    """Make a record's line.

    Args:
        seq: its number.
        prev: the hash of the record before it.
        entry: what it says.

    Raises:
        ValueError: the body has no canonical form.
    """
    # The canonical order of the keys is that of the alphabet, so the hash goes behind the body.
    before = b'{"body":' + rfc8785.dumps(entry.body)
    after = b'"kind":%b,"prev":"%b","seq":%d,"t":%d}' % (
        rfc8785.dumps(entry.kind),
        prev.encode(),
        seq,
        entry.at,
    )
    digest = hashlib.sha256(b"%b%b,%b" % (_TAG, before, after)).hexdigest()
    return Sealed(b'%b,"hash":"%b",%b\n' % (before, digest.encode(), after), digest)


def read_record(line: bytes) -> Record:
    """Read one line.

    Args:
        line: the line, with or without its end.

    Raises:
        NotARecordError: it is no record.
    """
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise NotARecordError("it is no JSON") from error
    if not _is_record(found):
        raise NotARecordError("it has not the fields of a record")
    seq, prev, at, kind, body = (found[key] for key in ("seq", "prev", "t", "kind", "body"))
    try:
        sealed = seal(seq, prev, Entry(kind, at, body))
    except (ValueError, RecursionError):
        whole = False
    else:
        # The bytes are compared, so that neither a key that stands twice nor a space is missed.
        whole = sealed.hash == found["hash"] and sealed.line == line.rstrip(b"\n") + b"\n"
    return Record(seq, prev, at, kind, body, found["hash"], whole)


def _is_record(found: Any) -> bool:
    return (
        isinstance(found, dict)
        and set(found) == _KEYS
        and all(type(found[key]) is int and found[key] >= 0 for key in ("seq", "t"))
        and all(isinstance(found[key], str) for key in ("hash", "kind", "prev"))
        and all(_HASH.fullmatch(found[key]) for key in ("hash", "prev"))
        and isinstance(found["body"], dict)
    )
