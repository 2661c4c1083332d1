"""The documentation as a site: whole, with every page, and without anything from the network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FETCHED = re.compile(r"<(?:script|img|iframe|link)[^>]*(?:src|href)=\"?(https?:[^\" >]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip(
        "mkdocs", reason="mkdocs-material is not installed: it is for `dev.py docs`"
    )
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_in_the_navigation() -> None:
    told = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [page.relative_to(DOCS).as_posix() for page in sorted(DOCS.rglob("*.md"))]
    assert [page for page in pages if f": {page}\n" not in told] == []


def test_the_readmes_of_all_distributions_are_pages(site: Path) -> None:
    folders = [path.parent for path in ROOT.glob("[hp]*s/*/pyproject.toml")]
    assert [
        folder.name
        for folder in folders
        if not (site / folder.relative_to(ROOT) / "index.html").is_file()
    ] == []


def test_nothing_is_fetched_from_the_network_while_one_reads(site: Path) -> None:
    fetched = {
        address
        for page in site.rglob("*.html")
        for address in FETCHED.findall(page.read_text(encoding="utf-8"))
    }
    assert fetched == set()


def test_a_link_between_the_repositorys_files_leads_to_their_pages(site: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")
    assert 'href="SECURITY/"' in home
    connected = (site / "clients" / "index.html").read_text(encoding="utf-8")
    assert 'href="../plugins/hookcore-redact/"' in connected
