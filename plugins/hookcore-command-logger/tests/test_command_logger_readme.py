"""The README's settings and code do what it says."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from hookcore_command_logger import CommandLogger, CommandLoggerSettings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("toml", blocks("toml"))
def test_the_settings_in_the_readme_are_valid(toml: str, tmp_path: Path) -> None:
    toml = toml.replace("/var/log/agents", str(tmp_path))
    settings = tomllib.loads(toml)["plugins"]["command-logger"]["settings"]
    assert CommandLoggerSettings.model_validate(settings).model_fields_set == set(settings)


@pytest.mark.parametrize("code", blocks("python"))
def test_the_code_in_the_readme_runs(code: str) -> None:
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert isinstance(names["plugin"], CommandLogger)


def test_the_line_in_the_readme_has_the_fields_of_a_real_one(tmp_path: Path) -> None:
    from hookcore import ToolCallContext

    file = tmp_path / "commands.jsonl"
    plugin = CommandLogger(CommandLoggerSettings(file=file))
    plugin.tool_finished(ToolCallContext(tool_name="shell", status="ok"))
    plugin.close()
    (shown,) = blocks("json")
    assert list(json.loads(shown)) == list(json.loads(file.read_text("utf-8")))


def test_the_readme_names_every_setting() -> None:
    assert all(f"| `{key}` |" in README for key in CommandLoggerSettings.model_fields)
