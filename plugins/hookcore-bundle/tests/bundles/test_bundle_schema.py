from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files

from hookcore_bundle import BundleSettings


def test_the_shipped_schema_knows_every_key_and_is_what_the_command_prints() -> None:
    command = [sys.executable, "-m", "hookctl", "schema", "bundle"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    shipped = files("hookcore_bundle").joinpath("settings.schema.json").read_text("utf-8")
    assert shipped == printed
    assert set(json.loads(shipped)["properties"]) == set(BundleSettings.model_fields)
