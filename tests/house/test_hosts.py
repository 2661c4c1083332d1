"""The house of the hosts: small modules, and no circles of imports, type-only ones included."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

MOST_LINES = 300


def modules(checkout: Path, host: str) -> dict[str, Path]:
    """Return the modules of a host's package by their names."""
    source = checkout / "hosts" / f"hookcore-{host}" / "src"
    found = {}
    for file in source.rglob("*.py"):
        parts = file.relative_to(source).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imported(name: str, file: Path) -> Iterator[str]:
    """Give the names that a module imports, whether they are modules or not."""
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            levels = package.split(".")
            above = levels[: len(levels) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("host", ["agent", "gateway"])
def test_no_modules_of_a_host_import_each_other_in_a_circle(checkout: Path, host: str) -> None:
    found = modules(checkout, host)
    graph = {
        name: {
            other
            for other in imported(name, file)
            if other in found and other != name and not name.startswith(f"{other}.")
        }
        for name, file in found.items()
    }
    assert len(graph) > 20
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


@pytest.mark.parametrize("host", ["agent", "gateway"])
def test_no_module_of_a_host_is_long(checkout: Path, host: str) -> None:
    lengths = {
        name: file.read_text(encoding="utf-8").count("\n")
        for name, file in modules(checkout, host).items()
    }
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}
