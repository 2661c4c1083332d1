from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("bench", "cli", "docs", "examples", "hookcore", "hookspecs", "hosts", "plugins", "tests")
PARTS = [ROOT / name for name in FOLDERS]
QUESTION = re.compile(r"(What|Which|Whether|Who|Whom|Whose|How|When|Where|Why)\b")
SECTION = re.compile(r"^( *)(?:Args|Raises):\n((?:\1    .*(?:\n|$)|\n)+)", re.MULTILINE)
ENTRY = re.compile(r"    \*{0,2}[\w.]+(?:, \*{0,2}\w+)*(?: \([^)]*\))?: (\w+)")
NAMES = {"CrewAI", "Hypothesis", "None"}
"""Words that are written with a capital wherever they stand."""


@cache
def texts(path: Path) -> tuple[str, ...]:
    """Return the docstrings in a module: its own, and those of classes, functions and attributes."""
    return tuple(
        node.value.value.strip()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def capitals(text: str) -> Iterator[str]:
    """Yield the capital words that begin what is said of an argument or an error."""
    for section in SECTION.finditer(text):
        depth = len(section[1])
        for line in section[2].splitlines():
            found = ENTRY.match(line[depth:])
            if found and found[1][0].isupper() and found[1] not in NAMES:
                yield found[1]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: str(part.name))
def test_docstrings_begin_with_a_verb_or_a_name(part: Path) -> None:
    odd = [
        f"{path.relative_to(ROOT)}: {text.splitlines()[0]}"
        for path in sorted(part.rglob("*.py"))
        for text in texts(path)
        if QUESTION.match(text)
    ]
    assert odd == []


@pytest.mark.parametrize("part", PARTS, ids=lambda part: str(part.name))
def test_what_is_said_of_an_argument_begins_in_lower_case(part: Path) -> None:
    odd = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in sorted(part.rglob("*.py"))
        for text in texts(path)
        for word in capitals(text)
        if not word.isupper() or word == "A"
    ]
    assert odd == []
