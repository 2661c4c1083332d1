"""The README's settings and records are what it says."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from hookcore import HookManager
from hookcore_audit import Audit, AuditSettings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("toml", blocks("toml"))
def test_the_settings_in_the_readme_are_valid(toml: str) -> None:
    settings = tomllib.loads(toml)["plugins"]["audit"]["settings"]
    assert AuditSettings.model_validate(settings).model_fields_set == set(settings)


def test_the_record_in_the_readme_has_the_fields_of_a_real_one(folder: Path) -> None:
    plugin = Audit(AuditSettings(path=folder))
    manager = HookManager()
    manager.register(plugin, name="audit")
    manager.call_tool("shell", {}, lambda _: 1, session_id="s1", call_id="c1")
    plugin.close()
    lines = (folder / "audit-00000000.jsonl").read_text("utf-8").splitlines()
    (real,) = (record for line in lines if (record := json.loads(line))["kind"] == "call")
    (shown,) = (json.loads(block) for block in blocks("json"))
    assert list(shown) == list(real)
    assert list(shown["body"]) == list(real["body"])


def test_the_readme_names_every_setting() -> None:
    assert all(f"| `{key}` |" in README for key in AuditSettings.model_fields)
