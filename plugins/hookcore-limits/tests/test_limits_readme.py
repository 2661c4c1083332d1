"""The README's settings, messages and code do what it says."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from hookcore_limits import BudgetRule, LimitsSettings, RateRule

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return str(found)


def test_the_settings_in_the_readme_are_valid() -> None:
    settings = tomllib.loads(block("toml"))["plugins"]["limits"]["settings"]
    assert LimitsSettings.model_validate(settings).model_fields_set == set(settings)


def test_the_code_in_the_readme_runs() -> None:
    names: dict[str, Any] = {}
    exec(compile(block("python"), "README.md", "exec"), names)
    assert len(names["answers"]) == 3


@pytest.mark.parametrize("model", [LimitsSettings, RateRule, BudgetRule])
def test_the_readme_names_every_setting(model: Any) -> None:
    rows = " ".join(re.findall(r"^\| (`.*?) \|", README, re.MULTILINE))
    assert [key for key in model.model_fields if f"`{key}`" not in rows] == []


@pytest.mark.parametrize("model", [LimitsSettings, RateRule, BudgetRule])
def test_the_readme_tells_every_default(model: Any) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| `(.+?)` \|", README, re.MULTILINE))
    told = {key: rows[key].strip('"') for key in model.model_fields if key in rows}
    assert told == {key: str(model.model_fields[key].default) for key in told}
    assert told
