"""The README's settings, calls and code do what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from hookcore_tool_policy import ToolPolicy, ToolPolicySettings

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```\s*```text\n(.*?)```", README, re.DOTALL)
CALLS = [(toml, line) for toml, lines in EXAMPLES for line in lines.splitlines()]
CODE = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def plugin_settings(toml: str) -> dict[str, Any]:
    settings: dict[str, Any] = tomlkit.parse(toml).unwrap()["plugins"]["tool-policy"]["settings"]
    return settings


def test_every_block_of_settings_is_followed_by_calls() -> None:
    assert len(EXAMPLES) == README.count("```toml") == 4


@pytest.mark.parametrize(("toml", "line"), CALLS, ids=[line for _, line in CALLS])
def test_a_call_in_the_readme_is_decided_as_it_says(toml: str, line: str) -> None:
    call, expected = re.split(r"\s+-> ", line)
    name, arguments = call.split(" {", 1)
    policy = ToolPolicy(ToolPolicySettings.model_validate(plugin_settings(toml)))
    denial = policy.judge(name, json.loads("{" + arguments))
    if denial is None:
        decided = "allowed"
    else:
        decided = "asked" if denial.effect == "ask" else f"denied: {denial.message}"
    assert decided == expected


@pytest.mark.parametrize("code", CODE)
def test_the_code_in_the_readme_runs(code: str) -> None:
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert isinstance(names["policy"], ToolPolicy)


def test_the_readme_names_every_setting() -> None:
    keys = {*ToolPolicySettings.model_fields, "effect", "tools", "arguments", "reason"}
    assert all(f"| `{key}` |" in README for key in keys)
