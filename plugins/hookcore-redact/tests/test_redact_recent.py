"""Texts that come again are not read again."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore_redact._recent import Recent
from hookcore_redact._spans import Span

FOUND = (Span(0, 1, "EMAIL"),)


class Reader:
    """Counts the texts that it reads; only those with an "x" hold something."""

    def __init__(self) -> None:
        self.read: list[bytes] = []

    def __call__(self, data: bytes) -> Sequence[Span]:
        self.read.append(data)
        return FOUND if b"x" in data else ()


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.mark.parametrize(("data", "found"), [(b"x", FOUND), (b"a", ()), (b"", ())])
def test_a_text_that_comes_again_is_read_once(
    data: bytes, found: Sequence[Span], reader: Reader
) -> None:
    recent = Recent(reader)
    assert [recent.spans(data) for _ in range(3)] == [found] * 3
    assert reader.read == [data]


def test_a_text_is_forgotten_after_some_thousand_others(reader: Reader) -> None:
    recent = Recent(reader)
    for number in range(5000):
        recent.spans(b"%d" % number)
    assert len(recent._now) + len(recent._before) <= 2048
    recent.spans(b"0")
    assert reader.read.count(b"0") == 2


def test_a_very_long_text_is_read_each_time(reader: Reader) -> None:
    recent = Recent(reader)
    long = bytes(2 << 20)
    recent.spans(long)
    recent.spans(long)
    assert len(reader.read) == 2


@given(st.lists(st.binary(max_size=3), max_size=400))
def test_what_is_told_is_what_reading_tells(texts: list[bytes]) -> None:
    recent, plain = Recent(Reader()), Reader()
    assert [recent.spans(text) for text in texts] == [plain(text) for text in texts]
