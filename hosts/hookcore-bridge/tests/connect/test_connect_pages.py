"""The page of each client tells of its files, its events, and what no hook sees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hookcore_bridge.connect.clients import CLIENTS
from hookcore_bridge.dialects import CLIENTS as DIALECTS

PAGES = Path(__file__).resolve().parents[4] / "docs" / "clients"


def page(name: str) -> str:
    """Return a client's page as one line, so that sentences are found where lines break them."""
    return " ".join((PAGES / f"{name}.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize("name", CLIENTS)
def test_a_page_names_the_files_of_each_scope(name: str) -> None:
    client = CLIENTS[name]
    assert f"`~/{client.folder}/{client.user}`" in page(name)
    assert f"`{client.project}`" in page(name)
    assert ("`--managed` | `/etc/" in page(name)) is (client.managed is not None)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_page_tells_of_each_event_of_the_dialect(name: str) -> None:
    _, _, seen = page(name).partition("## What is seen")
    told = set(re.findall(r"`([\w.]+)`", seen.partition("## How")[0]))
    assert set(DIALECTS[name].events) <= told


@pytest.mark.parametrize("name", CLIENTS)
def test_a_page_tells_what_no_hook_sees(name: str) -> None:
    for sentence in DIALECTS[name].unseen:
        assert sentence.removesuffix(".") in page(name).replace("`", "")


@pytest.mark.parametrize("name", CLIENTS)
def test_a_page_names_the_version_that_was_tried(name: str) -> None:
    assert DIALECTS[name].tested[0] in page(name).partition("## Connect")[0]


@pytest.mark.parametrize("name", CLIENTS)
def test_the_first_page_leads_to_each_client(name: str) -> None:
    assert f"]({name}.md)" in page("index")
