"""The examples for authors as their type checker sees them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from hookcore import HookManager
from hookcore_specs import STANDARD_SPECS

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = ["README.md", *(f"docs/{name}.md" for name in ("agent", "embedding", "gateway", "hosting"))]
PAGES.append("docs/writing-a-policy.md")
POINTS = {name: spec.options.context.__name__ for name, spec in HookManager().points.items()}


def hooks(code: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions that have a point's name and take a context."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in POINTS:
            yield node


def wrong(code: str) -> list[str]:
    """The hooks whose context has not the point's type."""
    found = []
    for hook in hooks(code):
        given = {argument.arg: argument.annotation for argument in hook.args.args}
        annotation = given.get("ctx")
        if "ctx" in given and (annotation is None or ast.unparse(annotation) != POINTS[hook.name]):
            found.append(f"{hook.name} at line {hook.lineno}")
    return found


@pytest.mark.parametrize("page", PAGES)
def test_the_context_of_every_hook_on_the_pages_is_annotated(page: str) -> None:
    blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    assert any(True for block in blocks for _ in hooks(block))
    assert [problem for block in blocks for problem in wrong(block)] == []


@pytest.mark.parametrize("namespace", STANDARD_SPECS, ids=lambda spec: str(spec.__name__))
def test_the_context_of_every_hook_in_the_examples_of_points_is_annotated(namespace: type) -> None:
    file = Path(str(sys.modules[namespace.__module__].__file__))
    for line in file.read_text(encoding="utf-8").splitlines():
        assert re.search(r"^\s+(async )?def \w+\(self, ctx[,)]", line) is None, line


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy comes with the tools of dev.py lint")
def test_the_examples_for_authors_have_no_type_errors(tmp_path: Path) -> None:
    blocks = BLOCK.findall((ROOT / "docs" / "writing-a-policy.md").read_text(encoding="utf-8"))
    for number, block in enumerate(blocks):
        (tmp_path / f"block_{number}.py").write_text(block, encoding="utf-8")
    # What a hook returns is left to the reader's taste in examples; all else is strict.
    lax = ["--allow-untyped-defs", "--allow-incomplete-defs", "--allow-untyped-calls"]
    command = [sys.executable, "-m", "mypy", "--strict", *lax, "--follow-imports", "silent"]
    files = sorted(map(str, tmp_path.glob("*.py")))
    done = subprocess.run(
        [*command, "--cache-dir", str(tmp_path / "cache"), *files],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
