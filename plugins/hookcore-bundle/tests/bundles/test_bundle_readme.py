"""The README's blocks are what it says."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from hookcore_bundle import BundleSettings, Request
from hookcore_bundle.command import command

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_table_in_the_readme_is_valid() -> None:
    table = tomllib.loads(blocks("toml")[0])["bundle"]
    assert BundleSettings(**table).when_stale == "deny"


def test_the_fetcher_in_the_readme_is_one() -> None:
    names: dict[str, Any] = {}
    exec(blocks("python")[0], names)
    with pytest.raises(ConnectionError):
        names["fetch"](Request("s3://bucket/prod.tar", 10))


def test_the_commands_in_the_readme_exist() -> None:
    lines = [line.split() for block in blocks("console") for line in block.splitlines()]
    told = [words[2] for words in lines if words[:2] == ["hookctl", "bundle"]]
    assert len(told) == 5
    assert set(told) <= set(command.list_commands(click.Context(command)))
