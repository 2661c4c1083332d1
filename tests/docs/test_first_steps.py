"""The first pages are followed as a newcomer follows them: each command, in order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .consoles import commands, run

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INSTALLS = re.compile(r"\bpip install\b|-m venv\b|/activate\b")


def blocks(page: str) -> list[tuple[str, str]]:
    found = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    assert found
    return found


@pytest.mark.parametrize("page", ["first-policy.md", "first-agent.md"])
def test_every_command_does_what_the_page_shows(page: str, isolated: Path) -> None:
    failures: list[str] = []
    for language, text in blocks(page):
        if language == "python" and "\ndef test_" not in text:
            (isolated / "agent.py").write_text(text, encoding="utf-8")
        for command in commands(text) if language == "console" else []:
            failures += [] if INSTALLS.search(command.line) else run(command)
    assert failures == []
    assert (isolated / "hookcore.toml").is_file()
