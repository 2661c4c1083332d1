from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files

from hookcore_loop_guard import LoopGuardSettings

SCHEMA = files("hookcore_loop_guard").joinpath("settings.schema.json")


def test_the_schema_knows_every_key() -> None:
    keys = set(json.loads(SCHEMA.read_text("utf-8"))["properties"])
    assert keys == set(LoopGuardSettings.model_fields)


def test_the_shipped_schema_is_what_the_command_prints() -> None:
    command = [sys.executable, "-m", "hookctl", "schema", "loop-guard"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert SCHEMA.read_text("utf-8") == printed
