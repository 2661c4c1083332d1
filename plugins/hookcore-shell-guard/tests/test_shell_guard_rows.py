"""Labelled commands: the labels are the specification of the presets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hookcore_shell_guard import ShellGuard, ShellGuardSettings

DATA = Path(__file__).parent / "data"
FILES = ["labelled_rows.jsonl", "own_rows.jsonl", "own_rows_2.jsonl"]
PRESETS = ["read-only", "no-network", "no-history-rewriting", "careful"]
DENIED_AT_LEAST = 0.99
ALLOWED_AT_LEAST = 0.97
PROJECT = "/home/dev/project"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


@pytest.fixture
def guards(monkeypatch: pytest.MonkeyPatch) -> dict[str, ShellGuard]:
    monkeypatch.setenv("HOME", "/home/dev")
    return {
        name: ShellGuard(ShellGuardSettings.model_validate({"preset": name})) for name in PRESETS
    }


def wrong(guards: dict[str, ShellGuard], chosen: list[dict[str, Any]]) -> list[str]:
    found = []
    for row in chosen:
        verdict = guards[row["preset"]].judge_command(row["command"], PROJECT)
        if ("allow" if verdict is None else "deny") != row["expect"]:
            found.append(f"{row['id']} {row['preset']}: {row['command']!r}")
    return found


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", FILES)
def test_what_must_be_denied_is_denied(
    name: str, preset: str, guards: dict[str, ShellGuard]
) -> None:
    chosen = [row for row in rows(name) if (row["preset"], row["expect"]) == (preset, "deny")]
    misses = wrong(guards, chosen)
    assert len(misses) <= len(chosen) * (1 - DENIED_AT_LEAST), misses


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", FILES)
def test_what_is_harmless_is_let_through(
    name: str, preset: str, guards: dict[str, ShellGuard]
) -> None:
    chosen = [row for row in rows(name) if (row["preset"], row["expect"]) == (preset, "allow")]
    misses = wrong(guards, chosen)
    assert len(misses) <= len(chosen) * (1 - ALLOWED_AT_LEAST), misses


def test_every_preset_has_rows_of_both_kinds() -> None:
    kinds = {(row["preset"], row["expect"]) for name in FILES for row in rows(name)}
    assert kinds == {(preset, expect) for preset in PRESETS for expect in ("allow", "deny")}
