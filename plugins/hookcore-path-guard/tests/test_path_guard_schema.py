from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from typing import Any

from hookcore_path_guard import PathGuardSettings
from hookcore_path_guard.schema import settings_schema


def shipped() -> dict[str, Any]:
    text = files("hookcore_path_guard").joinpath("settings.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def test_the_shipped_schema_is_the_model_s() -> None:
    assert shipped() == settings_schema()


def test_the_schema_knows_every_key() -> None:
    assert set(shipped()["properties"]) == set(PathGuardSettings.model_fields)


def test_the_module_prints_the_schema() -> None:
    command = [sys.executable, "-m", "hookcore_path_guard.schema"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True)
    assert json.loads(printed.stdout) == shipped()
