"""Commands that other distributions bring, where they are not installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from hookctl import main

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only hookcore is installed."""
    monkeypatch.setattr(main, "further_commands", dict)


def brought() -> dict[str, str]:
    found: dict[str, str] = {}
    for file in ROOT.glob("[hp]*s/*/pyproject.toml"):
        project: Any = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        commands = project.get("entry-points", {}).get("hookctl.commands", {})
        found.update(dict.fromkeys(commands, project["name"]))
    return found


@pytest.mark.parametrize(
    "command", ["approvals", "audit", "bundle", "connect", "demo", "mcp", "proxy", "serve"]
)
def test_a_command_that_is_not_here_is_answered_with_what_brings_it(
    alone: None, command: str
) -> None:
    distribution = brought()[command]
    done = CliRunner().invoke(main.cli, [command])
    assert done.exit_code == 2
    assert f"the command {command} comes with {distribution}: 'pip install" in done.output


def test_a_misspelt_command_is_answered_with_the_nearest(alone: None) -> None:
    assert "did you mean" in CliRunner().invoke(main.cli, ["replya"]).output


def test_a_command_that_is_here_is_run() -> None:
    assert main.cli.get_command(click.Context(main.cli), "demo") is not None
