"""One record: what is hashed, and what is read again."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from hookcore_audit._record import GENESIS, Entry, NotARecordError, read_record, seal

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
BODIES = st.dictionaries(TEXTS, VALUES, max_size=4)


@given(BODIES, TEXTS, st.integers(0, 2**53 - 1))
def test_a_sealed_record_is_canonical_and_is_read_as_it_was(
    body: dict[str, Any], kind: str, at: int
) -> None:
    sealed = seal(7, GENESIS, Entry(kind, at, body))
    fields = json.loads(sealed.line)
    assert sealed.line == rfc8785.dumps(fields) + b"\n"
    record = read_record(sealed.line)
    assert (record.seq, record.prev, record.at, record.kind) == (7, GENESIS, at, kind)
    assert (record.body, record.hash, record.whole) == (body, sealed.hash, True)


def test_the_hash_is_that_of_the_other_fields_and_a_tag() -> None:
    sealed = seal(0, GENESIS, Entry("call", 5, {"tool": "ls"}))
    fields = json.loads(sealed.line)
    del fields["hash"]
    tagged = b"hookcore-audit-v1\0" + rfc8785.dumps(fields)
    assert sealed.hash == hashlib.sha256(tagged).hexdigest()


@given(st.binary(max_size=200))
def test_no_bytes_make_reading_fail_in_another_way(data: bytes) -> None:
    with pytest.raises(NotARecordError):
        read_record(data)


@pytest.mark.parametrize(
    "line",
    [b"[]", b"{}", b"[" * 100_000, b'{"seq":' + b"9" * 5000 + b"}", b"\xff", b'"\\ud800"'],
)
def test_what_is_no_record_is_refused(line: bytes) -> None:
    with pytest.raises(NotARecordError):
        read_record(line)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"tool":"ls"', b'"tool":"rm"'),
        (b'"tool":"ls"', b'"tool": "ls"'),
        (b'"seq":3', b'"seq":3,"seq":3'),
        (b'{"body"', b'{"body":{"tool":"rm"},"body"'),
        (b'"ls"', b'"\\u006cs"'),
        (b'"t":5', b'"t":6'),
        (b'"kind":"call"', b'"kind":"lost"'),
        (b'{"tool":"ls"}', b'{"tool":"ls","x":"\\ud800"}'),
    ],
)
def test_any_other_spelling_of_a_record_is_not_whole(old: bytes, new: bytes) -> None:
    line = seal(3, GENESIS, Entry("call", 5, {"tool": "ls"})).line
    assert read_record(line).whole
    assert not read_record(line.replace(old, new, 1)).whole
