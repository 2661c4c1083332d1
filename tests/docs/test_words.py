from __future__ import annotations

import re
from pathlib import Path

import pytest

from hookcore import InterceptionPoint

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "words.md").read_text(encoding="utf-8")
THEIRS = PAGE[PAGE.index("## Theirs") : PAGE.index("## What to know")]
ROWS = [line.split("|")[1:-1] for line in THEIRS.splitlines() if line.startswith("| ")]
POINT = re.compile(r"`((?:pre|post|wrap)_\w+|\w+_finished)`")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row[0].strip()))
def test_a_row_has_a_cell_for_each_system(row: list[str]) -> None:
    assert len(row) == len(ROWS[0])


def test_our_points_have_the_names_that_they_have() -> None:
    named = {name for row in ROWS for name in POINT.findall(row[0])}
    assert named
    assert named <= {str(point) for point in InterceptionPoint}
