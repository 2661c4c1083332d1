from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bench import peering
from bench.chart import chart
from bench.page import BEGIN, END, filled_in
from bench.race import Verdict
from bench.rivals import RIVALS

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
KEPT = Verdict("a <fast> one", 1.0, (0.9, 1.1), 1.0, "<=", 2.0)
MISSED = Verdict("a slow one", 9.0, (8.0, 9.5), 8.0, "<=", 4.0, by_best=True, unit="ms")
TOLD = Verdict("a | b", 3.0, (2.0, 4.0), 3.0, "", None)


def test_a_chart_has_a_bar_for_each_limit_that_says_how_much_of_it_is_used() -> None:
    drawn = ET.fromstring(chart([KEPT, MISSED, TOLD]))
    bars = drawn.findall(f"{SVG}rect")
    assert [bar.get("class") for bar in bars] == ["kept", "missed"]
    texts = [text.text for text in drawn.findall(f"{SVG}text")]
    assert texts == ["the limit", "a <fast> one", "50%", "a slow one", "200%"]


def test_a_chart_has_colours_for_light_and_dark() -> None:
    assert "prefers-color-scheme: dark" in chart([KEPT])


def test_figures_come_between_the_marks_of_a_page_and_the_rest_stays() -> None:
    page = filled_in(
        f"before\n{BEGIN}\nearlier\n{END}\nafter\n", [KEPT, MISSED, TOLD], "Here.", ["no x"]
    )
    head, tail = page.split(BEGIN)
    assert (head, page.split(END)[1]) == ("before\n", "\nafter\n")
    assert "| a <fast> one | 1 | 0.9 - 1.1 | <= 2 | met |" in tail
    assert "| a slow one | 8 ms | 8 - 9.5 | <= 4 ms | **missed** |" in tail
    assert "| a \\| b | 3 | 2 - 4 |  |  |" in tail
    assert "- no x" in tail
    assert "earlier" not in tail


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="has to hold the lines"):
        filled_in("no marks", [KEPT], "Here.")


def test_every_peer_is_pinned_and_has_a_race_and_a_claim() -> None:
    assert all("==" in pin for pin in peering.pins().values())
    assert set(peering.pins()) == set(RIVALS) == set(peering.CLAIMS)


def test_a_peer_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(peering, "VENVS", tmp_path)
    notes: list[str] = []
    assert peering.measure("cpex", notes, rounds=1, burst_s=0.0001) == []
    assert notes == ["cpex is not installed (python bench/peering.py cpex): its rows are left out"]


@pytest.fixture
def page() -> str:
    return (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")


def test_the_page_on_performance_holds_measured_figures_and_its_chart(page: str) -> None:
    measured = page.partition(BEGIN)[2].partition(END)[0]
    assert "| gate / plain hook |" in measured
    assert (ROOT / "docs" / "performance.svg").is_file()
    assert "(performance.svg)" in page
