from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files

from hookcore_limits import LimitsSettings

SCHEMA = files("hookcore_limits").joinpath("settings.schema.json")


def test_the_schema_knows_every_key() -> None:
    assert set(json.loads(SCHEMA.read_text("utf-8"))["properties"]) == set(
        LimitsSettings.model_fields
    )


def test_the_shipped_schema_is_what_the_command_prints() -> None:
    command = [sys.executable, "-m", "hookctl", "schema", "limits"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert SCHEMA.read_text("utf-8") == printed
