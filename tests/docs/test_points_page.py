from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from hookcore import InterceptionPoint

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "points.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "points.py"))


def test_the_page_is_what_the_specifications_say(script: dict[str, Any]) -> None:
    assert script["page"]() == PAGE, "run: python docs/points.py"


@pytest.mark.parametrize("point", list(InterceptionPoint), ids=str)
def test_every_standard_point_has_one_row(point: InterceptionPoint) -> None:
    assert PAGE.count(f"\n| `{point}` |") == 1
