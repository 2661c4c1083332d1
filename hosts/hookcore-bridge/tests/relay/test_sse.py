from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore_bridge.relay import sse
from hookcore_bridge.relay.sse import Block, Splitter

LINES = st.lists(
    st.sampled_from([b"data: a", b"data:b", b"data", b": note", b"event: x", b"id: 7", b"", b"x"]),
    max_size=12,
)


def cut(stream: bytes, places: list[int]) -> list[Block]:
    """Feed a stream in pieces; return its blocks."""
    splitter, start = Splitter(), 0
    blocks: list[Block] = []
    for place in [*sorted(place % (len(stream) + 1) for place in places), len(stream)]:
        blocks += splitter.feed(stream[start:place])
        start = place
    return [*blocks, *splitter.end()]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_may_end_in_three_ways(end: bytes) -> None:
    stream = end.join([b"event: x", b"data: one", b"data: two", b"", b": note", b"", b""])
    first, second = cut(stream, [])
    assert (first.data, first.others) == (b"one\ntwo", (b"event: x",))
    assert (second.data, second.others) == (None, (b": note",))
    assert first.raw + second.raw == stream


@given(LINES, st.sampled_from([b"\n", b"\r\n", b"\r"]), st.lists(st.integers(0, 200), max_size=8))
def test_the_blocks_do_not_depend_on_how_the_stream_arrives(
    lines: list[bytes], end: bytes, places: list[int]
) -> None:
    stream = end.join(lines) + end * 2
    assert cut(stream, places) == cut(stream, [])


@given(LINES, st.lists(st.integers(0, 200), max_size=8))
def test_no_byte_of_a_whole_block_is_lost(lines: list[bytes], places: list[int]) -> None:
    stream = b"\n".join(lines) + b"\n\n"
    assert stream.startswith(b"".join(block.raw for block in cut(stream, places)))


def test_what_has_no_end_is_no_event() -> None:
    assert [block.data for block in cut(b"data: a\n\ndata: b\n", [])] == [b"a"]


def test_other_data_keep_the_events_other_lines() -> None:
    (block,) = cut(b"event: x\nid: 7\ndata: a\n\n", [])
    assert block.with_data(b"b\nc") == b"event: x\nid: 7\ndata: b\ndata: c\n\n"


def test_an_event_without_an_end_does_not_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sse, "MOST_BYTES", 100)
    splitter = Splitter()
    assert list(splitter.feed(b"data: " + b"x" * 90)) == []
    with pytest.raises(sse.TooLargeError):
        list(splitter.feed(b"data: 0123456789"))
