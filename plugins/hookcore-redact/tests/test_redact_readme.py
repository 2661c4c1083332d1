"""The README's settings, payloads and code do what it says."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from hookcore_redact import CustomPattern, Redact, RedactSettings
from hookcore_redact.kinds import PII, SECRETS
from hookcore_redact.settings import POINTS, Point

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```\s*```text\n(.*?)```", README, re.DOTALL)
LINES = [(toml, line) for toml, lines in EXAMPLES for line in lines.splitlines()]
CODE = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def settings_of(toml: str) -> RedactSettings:
    return RedactSettings.model_validate(tomllib.loads(toml)["plugins"]["redact"]["settings"])


def test_the_examples_are_found() -> None:
    assert [len(lines.splitlines()) for _, lines in EXAMPLES] == [10, 3]


@pytest.mark.parametrize(("toml", "line"), LINES, ids=[line.split(":")[0] for _, line in LINES])
def test_a_payload_in_the_readme_comes_out_as_it_says(toml: str, line: str) -> None:
    given, expected = line.split(" -> ")
    point: Any = given.split()[1]
    payload = json.loads(given[given.index("{") :])
    assert point in get_args(Point)
    redacted = Redact(settings_of(toml)).redact(payload, point)
    assert ("unchanged" if redacted is payload else redacted) == (
        expected if expected == "unchanged" else json.loads(expected)
    )


@pytest.mark.parametrize("toml", re.findall(r"```toml\n(.*?)```", README, re.DOTALL))
def test_the_settings_in_the_readme_are_valid(toml: str) -> None:
    assert settings_of(toml).all_kinds


@pytest.mark.parametrize("code", CODE)
def test_the_code_in_the_readme_runs(code: str) -> None:
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert isinstance(names["plugin"], Redact)


def test_the_readme_names_every_setting_kind_and_point() -> None:
    keys = [*RedactSettings.model_fields, *CustomPattern.model_fields]
    assert all(f"| `{key}` |" in README for key in keys)
    assert all(f"`{name}`" in README for name in (*SECRETS, *PII, *POINTS))
