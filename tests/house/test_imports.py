from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PUBLIC = {"hookcore.bundles", "hookcore.testing", "hookctl.doctor"}
"""Modules that are public as a whole, beside hookcore itself."""
HEAVY = ["click", "importlib_metadata", "pydantic", "rich", "tomlkit"]


def imports(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (module, names taken from it) for each absolute import of a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or "", tuple(alias.name for alias in node.names)


def violations_of_a_plugin(path: Path, public: set[str]) -> list[str]:
    """Name each import that a policy must not make: hookcore's inside, or another part's."""
    found = []
    for module, names in imports(path):
        top = module.partition(".")[0]
        if module in PUBLIC:
            continue
        if top in {"hookcore_specs", "hookctl"}:
            found.append(module)
        elif top == "hookcore":
            found += [
                f"{module}: {name}"
                for name in names or ("",)
                if module != top or name not in public
            ]
    return found


def test_the_import_contracts_hold(checkout: Path) -> None:
    linter = "from importlinter.cli import lint_imports_command as lint; lint()"
    command = [sys.executable, "-c", linter, "--no-cache"]
    result = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_specs_need_nothing_but_pluggy(checkout: Path) -> None:
    files = sorted((checkout / "hookspecs" / "hookcore_specs").rglob("*.py"))
    needed = {module.partition(".")[0] for path in files for module, _ in imports(path)}
    assert needed - set(sys.stdlib_module_names) - {"hookcore_specs"} == {
        "pluggy",
        "typing_extensions",  # for type checkers only, which know it without its being installed
    }


def test_plugins_import_only_public_names_of_hookcore(checkout: Path) -> None:
    public = set(importlib.import_module("hookcore").__all__)
    files = sorted(checkout.glob("plugins/*/src/**/*.py"))
    found = {
        str(path.relative_to(checkout)): violations_of_a_plugin(path, public) for path in files
    }
    assert files
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import hookcore_specs",
        "import hookcore",
        "import hookcore.manager",
        "from hookctl.main import main",
        "from hookcore.manager import HookManager",
        "from hookcore import _private",
    ],
)
def test_a_forbidden_import_of_a_plugin_is_found(source: str, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(source, encoding="utf-8")
    assert violations_of_a_plugin(module, {"hookimpl"})


@pytest.mark.parametrize("source", ["from hookcore import hookimpl", "from . import _rules"])
def test_a_plugin_may_import_public_names_and_its_own(source: str, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(source, encoding="utf-8")
    assert violations_of_a_plugin(module, {"hookimpl"}) == []


def test_importing_hookcore_loads_none_of_the_heavy_dependencies() -> None:
    program = f"import sys, hookcore; print([name for name in {HEAVY} if name in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
