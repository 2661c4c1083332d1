from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "hosts.py"))


def test_the_page_is_what_the_hosts_declare(script: dict[str, Any]) -> None:
    page = (DOCS / "hosts.md").read_text(encoding="utf-8")
    assert script["page"]() == page, "run: python docs/hosts.py"


@pytest.mark.parametrize("host", ["agent", "crewai", "langchain", "pydantic-ai"])
def test_a_host_of_the_repository_has_a_chapter(host: str) -> None:
    page = (DOCS / "hosts.md").read_text(encoding="utf-8")
    assert page.count(f"\n## {host}\n") == 1
