"""A real browser, and pages in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hookctl.pages import write_page

from .sample import big_page

WITHOUT = "needs Playwright and Chromium: .ci/browser has both"
SIZES = {"wide": (1280, 900), "narrow": (390, 800)}


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason=WITHOUT)
    program = shutil.which("chromium")
    if program is None:
        pytest.skip(WITHOUT)
    # Chromium's own sandbox cannot be had by root, as whom a CI runs in a container.
    unboxed = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program, args=unboxed)
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page in the browser, and what the browser complained of."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def status(self) -> str:
        text: str = self.page.locator("#status").inner_text()
        return text

    def wait_for_status(self, text: str) -> None:
        """Wait until the page says what its filters leave."""
        self.page.wait_for_function(
            "text => document.getElementById('status').textContent === text", arg=text
        )

    def filter(self, label: str, value: str) -> None:
        """Fill in a filter as a person does, and wait for what comes of it."""
        control = self.page.get_by_label(label, exact=True)
        before = self.status
        if control.evaluate("element => element.tagName") == "SELECT":
            control.select_option(value)
        else:
            control.fill(value)
        self.page.wait_for_function(
            "text => document.getElementById('status').textContent !== text", arg=before
        )


Open = Callable[..., Opened]


@pytest.fixture
def open_page(browser: Any) -> Iterator[Open]:
    """Open a file; at the end nobody may have complained, and nothing been asked for."""
    contexts, opened = [], []

    def open_file(file: Path, size: str = "wide", scheme: str = "light", part: str = "") -> Opened:
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        contexts.append(context)
        one = Opened(context.new_page())
        one.page.on("console", lambda told: one.complaints.append(told.text))
        one.page.on("pageerror", lambda error: one.complaints.append(str(error)))
        one.page.on("dialog", lambda dialog: one.complaints.append(dialog.message))
        one.page.on("request", lambda request: one.requests.append(request.url))
        one.page.goto(file.as_uri() + part)
        opened.append((one, file))
        return one

    yield open_file
    for one, file in opened:
        assert one.complaints == []
        assert "[object " not in one.page.locator("body").inner_text()
        assert {url.partition("#")[0] for url in one.requests} == {file.as_uri()}
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of 10,000 findings in 500 runs."""
    file = tmp_path_factory.mktemp("page") / "big.html"
    write_page(file, big_page())
    return file
