from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from hookcore_shell_guard import ShellGuardSettings, ShellRule


def settings(**values: Any) -> ShellGuardSettings:
    return ShellGuardSettings.model_validate(values)


def problem(**values: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        settings(**values)
    return str(caught.value)


def test_without_settings_the_preset_is_careful() -> None:
    assert settings().preset == ["careful"]


def test_a_preset_may_be_one_name_or_a_list() -> None:
    assert settings(preset="read-only").preset == ["read-only"]
    assert settings(preset=["read-only", "no-network"]).preset == ["read-only", "no-network"]


def test_a_tool_s_argument_may_be_one_name_or_a_list() -> None:
    assert settings(tools={"run": "cmd", "do": ["a", "b"]}).tools == {
        "run": ["cmd"],
        "do": ["a", "b"],
    }


def test_an_unknown_preset_is_refused_by_name() -> None:
    assert "'read-only', 'no-network'" in problem(preset="readonly")


def test_an_unknown_key_is_refused() -> None:
    assert "presets" in problem(presets="careful")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"preset": ["careful", "careful"]}, "preset[1] (careful) repeats an earlier one"),
        ({"preset": []}, "preset = [] without rules lets every command through"),
        ({"tools": {"run": []}}, "tools.run names no argument"),
        ({"project": "work"}, "project[0] (work) is not absolute"),
        ({"project": "/"}, "project[0] (/) holds your home folder"),
        ({"project": "~"}, "project[0] (~) holds your home folder"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(values: dict[str, Any], said: str) -> None:
    assert said in problem(**values)


DENY = {"effect": "deny", "program": "git", "args": ["push"]}


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"effect": "deny", "program": "git push"}, "rules[0].program 'git push' can never match"),
        ({"effect": "deny", "program": "git", "args": [""]}, "rules[0].args[0] ''"),
        ({"effect": "deny", "program": "git", "args": ["a||b"]}, "rules[0].args[0] 'a||b'"),
        ({"effect": "deny", "program": "git", "args": ["-f"]}, "write it in options"),
        ({"effect": "deny", "program": "git", "options": ["f"]}, "rules[0].options[0] 'f'"),
        ({"effect": "deny", "program": "git", "reason": " "}, "rules[0].reason is empty"),
    ],
)
def test_a_rule_that_can_never_match_is_refused(rule: dict[str, Any], said: str) -> None:
    assert said in problem(rules=[rule])


@pytest.mark.parametrize(
    "other",
    [
        DENY,
        {"effect": "allow", "program": "git", "args": ["push"]},
        {"effect": "ask", "program": "git", "args": ["push", "origin"]},
        {"effect": "deny", "program": "git", "args": ["push"], "options": ["--force"]},
    ],
)
def test_a_rule_that_a_deny_covers_is_refused(other: dict[str, Any]) -> None:
    assert "rules[1] can never act: rules[0] (deny) covers" in problem(rules=[DENY, other])


def test_rules_about_different_things_stand_side_by_side() -> None:
    other = {"effect": "allow", "program": "git", "args": ["fetch|pull"]}
    broader = {"effect": "ask", "program": "docker"}
    assert len(settings(rules=[DENY, other, broader]).rules) == 3


def test_a_project_may_lie_below_home(tmp_path: Path) -> None:
    assert settings(project=["~/work", str(tmp_path)]).project == ["~/work", str(tmp_path)]


def test_every_key_is_described() -> None:
    fields = [*ShellGuardSettings.model_fields.values(), *ShellRule.model_fields.values()]
    assert all(field.description for field in fields)
