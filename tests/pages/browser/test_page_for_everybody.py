"""Pages, judged by axe-core, which knows what screen readers and weak eyes need."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hookctl.pages import write_page

from .conftest import Open
from .sample import big_page

AXE = Path(os.environ.get("AXE_CORE", "none"))
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

pytestmark = pytest.mark.skipif(not AXE.is_file(), reason="needs axe-core: .ci/browser has it")


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_axe_finds_nothing(open_page: Open, tmp_path: Path, size: str, scheme: str) -> None:
    file = tmp_path / "page.html"
    write_page(file, big_page(findings=60, runs=30, longest=4))
    page = open_page(file, size, scheme).page
    for at in range(4):
        page.locator("#findings .opener").nth(at).click()
    page.locator("details.run summary").first.click()
    page.locator("details.run .opener").first.click()
    page.locator(".as-table summary").click()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)
    assert len(found["passes"]) > 40
    assert [
        (one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]
    ] == []
