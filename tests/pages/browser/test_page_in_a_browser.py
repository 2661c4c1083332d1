"""Pages, clicked through from file://, in a real browser."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from hookctl.pages import write_page
from hookctl.pages.shape import Page

from ..test_page import HOSTILE, SHOWN, page_with
from .conftest import Open

SECONDS = 5
"""Most of a machine that is busy with other things; by itself each takes some tenths."""


def test_the_totals_come_first_and_the_findings_are_announced(open_page: Open, big: Path) -> None:
    opened = open_page(big)
    heads = opened.page.locator("h2").all_inner_texts()
    assert heads[:2] == ["Totals", "Trend"]
    assert heads[-2:] == ["Findings", "Runs"]
    assert opened.status == "10,000 findings, in 500 runs."
    assert opened.page.locator("#status").get_attribute("aria-live") == "polite"


@pytest.mark.parametrize(
    ("label", "value", "status"),
    [
        ("Verdict", "would stop", "2,500 findings of 10,000, in 500 runs."),
        ("Plugin", "plugin-3", "1,429 findings of 10,000, in 500 runs."),
        ("Tool", "tool_299", "33 findings of 10,000, in 33 runs."),
        ("Rule or reason", "rule 49:", "100 findings of 10,000, in 100 runs."),
        ("Rule or reason", "no-3", "500 findings of 10,000, in 500 runs."),
        ("Point", "post_tool_call", "2,500 findings of 10,000, in 500 runs."),
        ("Run", "run-499", "20 findings of 10,000, in 1 run."),
        ("Any text", "EMAIL_1", "2,500 findings of 10,000, in 500 runs."),
        ("Any text", "nowhere", "0 findings of 10,000, in 0 runs."),
    ],
)
def test_each_filter_leaves_what_it_says(
    open_page: Open, big: Path, label: str, value: str, status: str
) -> None:
    opened = open_page(big)
    opened.filter(label, value)
    assert opened.status == status


def test_filters_are_cleared_together(open_page: Open, big: Path) -> None:
    opened = open_page(big)
    opened.filter("Plugin", "plugin-1")
    opened.filter("Verdict", "failed")
    opened.page.get_by_role("button", name="Clear filters").click()
    opened.wait_for_status("10,000 findings, in 500 runs.")
    assert opened.page.get_by_label("Plugin", exact=True).input_value() == ""


def test_ten_thousand_findings_are_usable(open_page: Open, big: Path) -> None:
    start = time.perf_counter()
    opened = open_page(big)
    assert opened.page.locator("#findings tbody > tr").count() == 50
    loaded = time.perf_counter() - start
    start = time.perf_counter()
    opened.filter("Any text", "tool_7")
    assert max(loaded, time.perf_counter() - start) < SECONDS


def test_the_pages_of_findings_are_gone_through(open_page: Open, big: Path) -> None:
    opened = open_page(big)
    pager = opened.page.get_by_role("navigation", name="Pages of findings, above")
    pager.get_by_role("button", name="Next").click()
    assert "51 to 100 of 10,000" in pager.inner_text()
    pager.get_by_role("button", name="Last").click()
    assert "9,951 to 10,000 of 10,000" in pager.inner_text()
    assert pager.get_by_role("button", name="Next").get_attribute("aria-disabled") == "true"
    assert opened.page.locator("#findings tbody > tr").count() == 50
    focused = opened.page.evaluate("document.activeElement.querySelector('caption').textContent")
    assert focused.startswith("Findings,")


def test_all_findings_can_be_had_on_one_page(open_page: Open, big: Path) -> None:
    opened = open_page(big)
    opened.page.get_by_label("Findings on a page").select_option("10000")
    assert opened.page.locator("#findings tbody > tr").count() == 10_000


def test_the_details_of_a_finding_show_its_diff_side_by_side(open_page: Open, big: Path) -> None:
    opened = open_page(big)
    opened.filter("Verdict", "changed")
    button = opened.page.locator("#findings .opener").first
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    diff = opened.page.locator("#findings .diff table")
    assert diff.locator("thead th").all_inner_texts() == ["Before", "After"]
    assert diff.locator("tbody td").all_inner_texts() == [
        "write to [13 characters hidden] soon",
        "write to [EMAIL_1] soon",
    ]
    assert diff.locator("del").inner_text() == "13 characters hidden"
    assert diff.locator("ins").inner_text() == "EMAIL_1"
    before, after = (diff.locator("tbody td").nth(at).bounding_box() for at in (0, 1))
    assert before["y"] == after["y"]
    assert before["x"] < after["x"]
    button.click()
    assert opened.page.locator("#findings .diff").count() == 0


def test_a_finding_leads_to_its_place_in_the_time_line_of_its_run(
    open_page: Open, big: Path
) -> None:
    opened = open_page(big)
    opened.filter("Run", "run-321")
    opened.page.locator("#findings .opener").nth(5).click()
    opened.page.get_by_role("button", name="Show in the run's time-line").click()
    sought = opened.page.locator("tr.sought")
    assert sought.evaluate("row => row === document.activeElement")
    assert sought.locator("[data-label=Step]").inner_text() == "5"
    assert "changed" in sought.locator("[data-label=Verdicts]").inner_text()
    box = sought.bounding_box()
    assert 0 < box["y"] < 900


def test_a_time_line_has_all_points_and_is_shown_bit_by_bit(open_page: Open, big: Path) -> None:
    opened = open_page(big)
    run = opened.page.locator("details.run").first
    run.locator("summary").click()
    rows = run.locator("tbody > tr")
    rows.nth(199).wait_for()
    assert rows.count() == 200
    run.get_by_role("button", name="Show 100 more points, of 100").click()
    assert rows.count() == 300
    assert run.get_by_text("passed").count() == 280
    opened.page.get_by_label("Only points with findings").check()
    run.locator("summary").click()
    rows.nth(19).wait_for()
    assert rows.count() == 20


def test_a_run_says_what_was_found_in_it_before_it_is_opened(open_page: Open, big: Path) -> None:
    opened = open_page(big)
    said = opened.page.locator("details.run summary").first.inner_text()
    assert said.startswith("run-0 5 stopped 5 changed 5 failed 5 would stop 300 points, 150 ms")


def test_runs_are_ordered_as_one_wants(open_page: Open, big: Path) -> None:
    opened = open_page(big)
    opened.page.get_by_label("Order of runs").select_option("slowest first")
    assert opened.page.locator("details.run").count() == 20
    assert opened.page.evaluate("document.activeElement.id") == "runs-order"


def test_a_row_of_the_rules_shows_its_findings(open_page: Open, big: Path) -> None:
    opened = open_page(big)
    opened.page.locator("#kinds tbody button").first.click()
    assert "of 10,000" in opened.status
    assert "verdict=" in opened.page.url
    assert opened.page.evaluate("document.activeElement.id") == "findings"


def test_an_address_with_filters_can_be_passed_on(open_page: Open, big: Path) -> None:
    opened = open_page(big, part="#?plugin=plugin-3&verdict=failed")
    assert opened.status == "357 findings of 10,000, in 357 runs."
    assert opened.page.get_by_label("Plugin", exact=True).input_value() == "plugin-3"


def test_a_keyboard_is_enough(open_page: Open, big: Path) -> None:
    opened = open_page(big)
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the findings"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "findings"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "filter-verdict"
    page.keyboard.type("failed")
    opened.wait_for_status("2,500 findings of 10,000, in 500 runs.")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
    assert outline == "3px"
    while page.evaluate("document.activeElement.className") != "opener":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator("#findings .details").count() == 1


@pytest.mark.parametrize("size", ["wide", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_screen(
    open_page: Open, big: Path, size: str, scheme: str
) -> None:
    opened = open_page(big, size, scheme)
    opened.page.locator("#findings .opener").nth(1).click()
    opened.page.locator("details.run summary").first.click()
    width = opened.page.evaluate("document.documentElement.scrollWidth")
    assert width <= opened.page.viewport_size["width"]
    dark = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (dark == "rgb(15, 18, 22)") == (scheme == "dark")


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_what_a_model_wrote_is_shown_and_does_nothing(
    open_page: Open, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "page.html"
    write_page(file, page_with(text))
    opened = open_page(file)
    opened.page.locator("#findings .opener").click()
    opened.page.locator("details.run summary").click()
    details = opened.page.locator("#findings .details")
    assert SHOWN[text] in details.inner_text()
    assert opened.page.locator("script").count() == 2
    assert opened.page.locator("img").count() == 0


def test_huge_texts_leave_the_page_in_its_bounds(open_page: Open, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    write_page(file, page_with("w" * 1_000_000))
    opened = open_page(file, "narrow")
    opened.page.locator("#findings .opener").click()
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_what_is_added_to_a_page_does_not_run(open_page: Open, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    write_page(file, Page("replay", "Replay").to_data())
    opened = open_page(file)
    tried = opened.page.evaluate(
        """() => {
          const script = document.createElement("script");
          try { script.textContent = "window.acted = true"; } catch (error) { return error.name; }
          document.body.append(script);
          return window.acted === undefined;
        }"""
    )
    assert tried == "TypeError"
    assert "TrustedScript" in opened.complaints.pop()


def test_a_page_without_findings_says_so(open_page: Open, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    write_page(file, Page("replay", "Replay").to_data())
    opened = open_page(file)
    assert "There is no finding." in opened.page.locator("#findings").inner_text()
    assert opened.status == "0 findings, in 0 runs."


def test_a_page_is_printed_without_what_one_clicks(open_page: Open, big: Path) -> None:
    opened = open_page(big, scheme="dark")
    opened.page.emulate_media(media="print")
    for part in ("#filters", ".pager", "#findings .opener", "nav"):
        assert not opened.page.locator(part).first.is_visible()
    assert opened.page.locator("#findings tbody > tr").first.is_visible()
    back = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert back == "rgb(255, 255, 255)"
    assert opened.page.pdf()[:5] == b"%PDF-"
