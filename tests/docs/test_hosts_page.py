from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from hookcore.testing.conformance import CHECKS

DOCS = Path(__file__).resolve().parents[2] / "docs"
HOSTS = DOCS.parent / "hosts"


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


@pytest.mark.parametrize(
    "file", sorted(HOSTS.glob("*/tests/conformance.json")), ids=lambda f: f.parts[-3]
)
def test_a_report_is_of_the_checks_that_there_are(file: Path) -> None:
    for report in json.loads(file.read_text(encoding="utf-8")).values():
        assert set(report["checks"]) <= {check.name for check in CHECKS}
