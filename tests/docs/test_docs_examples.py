from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest

from hookcore.config import read_config
from hookctl.main import cli

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CONFIGURATION = {"hooks", "plugins", "telemetry"}


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}-line-{self.line}"

    @property
    def placed(self) -> str:
        """The text, moved down so that tracebacks name the line of the page."""
        return "\n" * self.line + self.text

    @property
    def is_a_test(self) -> bool:
        return "\ndef test_" in self.text


def _name(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


def _blocks() -> list[Block]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(Block(_name(page), line, match[1], match[2]))
    return found


BLOCKS = _blocks()
PYTHON = [block for block in BLOCKS if block.language == "python"]
TOML = [block for block in BLOCKS if block.language == "toml"]
CONSOLE = [block for block in BLOCKS if block.language == "console"]


@pytest.mark.parametrize("block", [b for b in PYTHON if not b.is_a_test], ids=str)
def test_a_python_block_runs(block: Block, bare_machine: Path) -> None:
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(block.placed, block.page, "exec"), names)
    assert len(names) > 2


@pytest.mark.parametrize("block", [b for b in PYTHON if b.is_a_test], ids=str)
def test_a_block_of_tests_passes(block: Block, bare_machine: Path) -> None:
    (bare_machine / "test_example.py").write_text(block.placed, encoding="utf-8")
    (bare_machine / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-W", "error"),
            *("-p", "hookcore.pytest_plugin", "-p", "hookctl.pytest_plugin"),
        ],
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("block", TOML, ids=str)
def test_a_toml_block_means_something(block: Block) -> None:
    assert tomllib.loads(block.text)


def configuration(block: Block) -> dict[str, Any]:
    """The configuration in a block: its tables of hookcore, or none."""
    table = tomllib.loads(block.text)
    own: dict[str, Any] = table.get("tool", {}).get("hookcore", table)
    return {name: value for name, value in own.items() if name in CONFIGURATION}


@pytest.mark.parametrize("block", [b for b in TOML if configuration(b)], ids=str)
def test_a_configuration_is_one_that_hookcore_accepts(block: Block, bare_machine: Path) -> None:
    config = read_config(bare_machine, configuration(block))
    assert set(config.plugins) == set(configuration(block).get("plugins", {}))


def commands() -> list[str]:
    lines = [line for block in CONSOLE for line in block.text.splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ hookctl ")]


@pytest.mark.parametrize("line", commands())
def test_a_command_and_its_options_exist(line: str) -> None:
    _, name, *words = line.split()
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    if isinstance(command, click.Group) and words:
        command = command.get_command(click.Context(command), words[0]) or command
    known = {o for param in command.params for o in (*param.opts, *param.secondary_opts)}
    # What stands behind a program is the program's.
    assert set(re.findall(r"(?<=\s)--[\w-]+", line.partition(".py ")[0])) <= known


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_key_of_the_configuration_is_told_to_operators() -> None:
    from hookcore.config import PluginConfig

    text = (DOCS / "operating.md").read_text(encoding="utf-8")
    missing = [name for name in PluginConfig.__dataclass_fields__ if f"`{name}`" not in text]
    assert missing == []
