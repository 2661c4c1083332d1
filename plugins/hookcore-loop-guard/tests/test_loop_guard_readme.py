"""The README's settings, messages and code do what it says."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from hookcore_loop_guard import LoopGuardSettings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return str(found)


def test_the_settings_in_the_readme_are_valid() -> None:
    settings = tomllib.loads(block("toml"))["plugins"]["loop-guard"]["settings"]
    assert LoopGuardSettings.model_validate(settings).model_fields_set == set(settings)


def test_the_code_in_the_readme_runs() -> None:
    names: dict[str, Any] = {}
    exec(compile(block("python"), "README.md", "exec"), names)
    assert len(names["answers"]) == 4


@pytest.mark.parametrize("key", LoopGuardSettings.model_fields)
def test_the_readme_names_every_setting(key: str) -> None:
    assert f"| `{key}` |" in README


@pytest.mark.parametrize("key", LoopGuardSettings.model_fields)
def test_the_readme_tells_every_default(key: str) -> None:
    default = LoopGuardSettings.model_fields[key].default
    (told,) = re.findall(rf"^\| `{key}` \| (.*?) \|", README, re.MULTILINE)
    if isinstance(default, tuple):
        assert [word for word in default if word not in told] == []
    else:
        assert told == f"`{default}`".lower()
