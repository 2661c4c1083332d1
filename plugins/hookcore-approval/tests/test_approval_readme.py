"""The README's settings and messages are what it says."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from hookcore_approval import ApprovalSettings
from hookcore_approval._server import _decision
from hookcore_shell_guard import ShellGuardSettings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
MODELS: dict[str, type[BaseModel]] = {
    "approval": ApprovalSettings,
    "shell-guard": ShellGuardSettings,
}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("toml", blocks("toml"))
def test_the_settings_in_the_readme_are_valid(toml: str) -> None:
    for name, table in tomllib.loads(toml)["plugins"].items():
        settings = table.get("settings", {})
        model = MODELS[name]
        assert model.model_validate(settings).model_fields_set == set(settings)


def test_the_decision_in_the_readme_is_one() -> None:
    (shown,) = blocks("json")
    assert json.loads(shown)
    assert _decision(shown.encode()) is not None


def test_the_readme_names_every_setting() -> None:
    assert all(f"| `{key}` |" in README for key in ApprovalSettings.model_fields)
