"""Tables on a terminal: as wide as it is, with keys and words whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookctl.tables import GAP, fitted, records, wrapped

HEADERS = ["key", "value", "from"]
ROWS = [
    ["plugins.tool-policy.settings.deny", '["a", "b"]', "a file of the user's"],
    ["hooks.enabled", "true", "default"],
]


def lines(width: int) -> list[str]:
    widths = fitted(HEADERS, ROWS, width)
    assert widths is not None
    return [line for row in ROWS for line in wrapped(row, widths)]


def test_a_table_that_fits_stands_as_it_is() -> None:
    assert lines(100)[0] == 'plugins.tool-policy.settings.deny  ["a", "b"]  a file of the user\'s'


def test_one_that_does_not_is_wrapped_at_words_and_its_keys_are_whole() -> None:
    found = lines(58)
    assert found[0].startswith("plugins.tool-policy.settings.deny  ")
    assert max(map(len, found)) <= 58
    assert [line.split()[-1] for line in found[:2]] == ["of", "user's"]


def test_one_that_cannot_stand_is_a_block_for_each_row() -> None:
    assert fitted(HEADERS, ROWS, 40) is None
    assert list(records(HEADERS, ROWS, 40))[:3] == [
        "plugins.tool-policy.settings.deny",
        '  value: ["a", "b"]',
        "  from: a file of the user's",
    ]


@given(
    st.lists(
        st.lists(st.text("ab -", max_size=60), min_size=3, max_size=3), min_size=1, max_size=5
    ),
    st.integers(20, 120),
)
def test_no_line_is_too_long_and_no_key_is_cut(rows: list[list[str]], width: int) -> None:
    widths = fitted(HEADERS, rows, width)
    if widths is None:
        found = list(records(HEADERS, rows, width))
        assert all(row[0] in found for row in rows)
        return
    assert sum(widths) + GAP * (len(widths) - 1) <= width
    assert widths[0] >= max(len(row[0]) for row in rows)
    for row in rows:
        assert all(len(line) <= width for line in wrapped(row, widths))


@pytest.mark.parametrize("width", [20, 200])
def test_nothing_of_a_cell_is_lost(width: int) -> None:
    rows = [["key", "one two three four five", "six"]]
    widths = fitted(HEADERS, rows, width)
    assert widths is not None
    said = " ".join(line for row in rows for line in wrapped(row, widths))
    assert sorted(said.split()) == sorted(["key", "one", "two", "three", "four", "five", "six"])
