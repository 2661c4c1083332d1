from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from typing import Any

from hookcore_approval import ApprovalSettings


def shipped() -> dict[str, Any]:
    text = files("hookcore_approval").joinpath("settings.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def test_the_schema_knows_every_key() -> None:
    assert set(shipped()["properties"]) == set(ApprovalSettings.model_fields)


def test_the_shipped_schema_is_what_the_command_prints() -> None:
    command = [sys.executable, "-m", "hookctl", "schema", "approval"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    file = files("hookcore_approval").joinpath("settings.schema.json")
    assert file.read_text("utf-8") == printed
