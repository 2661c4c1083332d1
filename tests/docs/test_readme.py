from __future__ import annotations

import os
import re
import runpy
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from .consoles import commands, run, shows

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int

    def __str__(self) -> str:
        return f"line-{self.line}"


BLOCKS = [
    Block(found[1], found[2], README[: found.start()].count("\n") + 2)
    for found in BLOCK.finditer(README)
]


def blocks(language: str) -> list[Block]:
    return [block for block in BLOCKS if block.language == language]


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_a_python_block_runs(block: Block, isolated: Path) -> None:
    script = isolated / "example.py"
    script.write_text("\n" * (block.line - 1) + block.text, encoding="utf-8")
    namespace = runpy.run_path(str(script))
    assert len(namespace) > len(runpy.run_path(os.devnull))


def test_the_console_blocks_run_in_order_under_the_configuration_shown(isolated: Path) -> None:
    (isolated / "examples").symlink_to(ROOT / "examples")
    failures = []
    for block in BLOCKS:
        if block.language == "toml" and "[plugins." in block.text:
            (isolated / "hookcore.toml").write_text(block.text, encoding="utf-8")
        for command in commands(block.text) if block.language == "console" else []:
            failures += run(command) if command.line.startswith("hookctl ") else []
    assert failures == []


def test_what_is_installed_from_a_folder_is_a_distribution() -> None:
    lines = [line for block in blocks("console") for line in block.text.splitlines()]
    folders = [word for line in lines if "pip install" in line for word in line.split()[3:]]
    assert folders
    assert [name for name in folders if not (ROOT / name / "pyproject.toml").is_file()] == []


def test_every_distribution_of_the_house_is_listed() -> None:
    found = {path.parent.name for path in ROOT.glob("[hp]*s/*/pyproject.toml")}
    assert found
    assert sorted(name for name in found if f"| [{name}](" not in README) == []


def test_the_rows_of_a_table_have_as_many_cells_as_its_head() -> None:
    tables = re.findall(r"(?:^\|.*\n)+", README, re.MULTILINE)
    for table in tables:
        head, *rows = table.splitlines()
        assert [row for row in rows if row.count("|") != head.count("|")] == []


def test_output_that_is_not_printed_is_noticed() -> None:
    assert shows("a  b\nother\nc/d\n", "a b\n...d\n")
    assert not shows("c\na\n", "a\nc\n")


def test_every_dev_command_exists() -> None:
    lines = re.findall(r"python3 dev\.py (\w+)", README)
    known = runpy.run_path(str(ROOT / "dev.py"))["COMMANDS"]
    assert set(lines) == set(known)


def test_the_two_commands_of_a_fresh_clone_come_first() -> None:
    first = blocks("console")[0]
    lines = [command.line for command in commands(first.text)]
    assert lines == ["python3 dev.py demo", "python3 dev.py test"]


@pytest.mark.parametrize("block", blocks("toml"), ids=str)
def test_a_toml_block_is_toml(block: Block) -> None:
    assert tomllib.loads(block.text)


def test_every_relative_link_leads_somewhere() -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", BLOCK.sub("", README))
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
