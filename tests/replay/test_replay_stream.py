from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterable
from typing import BinaryIO, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookctl.replay import stream as stream_module
from hookctl.replay.jsontext import MAX_DEPTH, JSONTextError, parse_json
from hookctl.replay.stream import BadLine, Item, UnreadableInputError, read_items

RUN = {"messages": [{"role": "user", "content": "hi"}]}


def read(data: bytes) -> list[Item | BadLine]:
    return list(read_items(io.BytesIO(data)))


def test_each_json_line_is_one_item_with_its_line_number() -> None:
    assert read(b'{"a": 1}\n\n{"a": 2}\n') == [Item({"a": 1}, line=1), Item({"a": 2}, line=3)]


def test_an_indented_document_is_one_item() -> None:
    assert read(json.dumps([RUN, RUN], indent=2).encode()) == [Item([RUN, RUN])]


def test_an_empty_input_has_no_items() -> None:
    assert read(b"") == []
    assert read(b"\n \r\n") == []


def test_a_byte_order_mark_and_windows_line_ends_are_no_part_of_the_text() -> None:
    assert read(b'\xef\xbb\xbf{"a": 1}\r\n{"a": 2}\r\n') == [
        Item({"a": 1}, line=1),
        Item({"a": 2}, line=2),
    ]


def test_a_line_that_is_not_json_is_named_and_the_rest_is_read() -> None:
    items = read(b'{"a": 1}\n{"a": \n{"a": 3}\n')
    assert [item.line for item in items] == [1, 2, 3]
    assert isinstance(items[1], BadLine)


def test_a_damaged_first_line_does_not_spoil_the_others() -> None:
    items = read(b'{"a": 1, \n{"a": 2}\n')
    assert isinstance(items[0], BadLine)
    assert items[1] == Item({"a": 2}, line=2)


def test_a_broken_document_names_the_line_of_the_error() -> None:
    with pytest.raises(UnreadableInputError, match="line 4"):
        read(b'{\n\n"messages": [\noops\n]}')


def test_a_line_that_is_not_utf_8_is_malformed() -> None:
    assert read(b'{"a": 1}\n{"a": "\xff"}\n')[1] == BadLine(2, "not UTF-8 text (byte 7)")


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"PAR1rest", "name it"),
        (b"PK\x03\x04", "zip"),
        ('{"a": 1}'.encode("utf-16"), "UTF-16"),
    ],
)
def test_archives_and_foreign_text_is_refused_with_what_to_do(head: bytes, words: str) -> None:
    with pytest.raises(UnreadableInputError, match=words):
        read(head)


def test_a_line_that_is_too_long_is_skipped_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_module, "MAX_LINE", 50)
    items = read(b'{"a": 1}\n{"a": "' + b"x" * 3_000_000 + b'"}\n{"a": 3}\n')
    assert [type(item) for item in items] == [Item, BadLine, Item]
    assert items[2].line == 3


def test_a_line_of_twenty_megabytes_is_read() -> None:
    (item,) = read(json.dumps({"a": "x" * 20_000_000}).encode())
    assert isinstance(item, Item)


def test_nesting_has_a_bound() -> None:
    assert parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    for depth in (MAX_DEPTH + 1, 5_000, 200_000):
        with pytest.raises(JSONTextError, match="nested deeper"):
            parse_json("[" * depth + "]" * depth)


def test_a_number_with_too_many_digits_is_malformed() -> None:
    with pytest.raises(JSONTextError, match="digits"):
        parse_json("1" * 10_000)


def test_an_error_never_quotes_the_text() -> None:
    with pytest.raises(JSONTextError) as caught:
        parse_json('{"password": hunter2}')
    assert "hunter2" not in str(caught.value)


def test_memory_does_not_grow_with_the_number_of_lines() -> None:
    line = json.dumps({"messages": ["x" * 10_000]}).encode() + b"\n"
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_items(cast("BinaryIO", _Lines(line for _ in range(2_000)))))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 2_000
    assert peak < 1_000_000


class _Lines:
    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = iter(lines)

    def readline(self, _size: int) -> bytes:
        return next(self._lines, b"")


LINES = st.lists(
    st.one_of(
        st.dictionaries(st.text(max_size=5), st.integers(), max_size=3).map(json.dumps),
        st.sampled_from(["oops", '{"a"', "", "  ", "[1]", "42", "null"]),
    ),
    min_size=1,
)


@given(LINES)
def test_every_line_that_is_not_blank_is_an_item_or_named(lines: list[str]) -> None:
    items = read(b'{"first": 1}\n' + "\n".join(lines).encode())
    expected = [number for number, line in enumerate(lines, start=2) if line.strip()]
    assert [item.line for item in items] == [1, *expected]
