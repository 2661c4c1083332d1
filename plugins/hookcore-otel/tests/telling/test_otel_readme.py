"""The README's settings and code do what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hookcore_otel import OtelSettings
from hookcore_otel.names import METRICS, Instrument

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")

SHOWN = {"True": "`true` (default)", "2000": "default 2000", "[]": "default none"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("toml", blocks("toml"))
def test_the_settings_in_the_readme_are_valid(toml: str) -> None:
    settings = tomllib.loads(toml)["plugins"]["otel"]["settings"]
    assert OtelSettings.model_validate(settings).model_fields_set == set(settings)


@pytest.mark.parametrize("code", blocks("python"))
def test_the_code_in_the_readme_runs(code: str) -> None:
    # In a process of its own, since it sets that process's provider.
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_readme_names_every_setting_and_its_default() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \| ", README, re.MULTILINE))
    for key, field in OtelSettings.model_fields.items():
        assert SHOWN.get(str(field.default), f'`"{field.default}"` (default)') in rows[key]


def test_the_readme_names_every_metric() -> None:
    made = {value.name for value in vars(METRICS).values() if isinstance(value, Instrument)}
    assert made == set(re.findall(r"^\| `([\w.]+)` \| [\w]+ \| ", README, re.MULTILINE))
