from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
HOSTS = DOCS.parent / "hosts"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "hosts.py"))


def test_the_page_is_what_the_hosts_declare(script: dict[str, Any]) -> None:
    page = (DOCS / "hosts.md").read_text(encoding="utf-8")
    assert script["page"]() == page, "run: python docs/hosts.py"


def test_every_host_of_the_repository_is_there(script: dict[str, Any]) -> None:
    found = {distribution for distribution, _ in script["hosts"]()}
    assert found == {file.parent.name for file in HOSTS.glob("*/pyproject.toml")}
