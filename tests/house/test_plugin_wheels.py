"""The wheels of the policies in this house, built from their folders."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hookctl.schemas import SCHEMA_FILE

ROOT = Path(__file__).parents[2]
SHIPPING = sorted(
    path.parent
    for path in ROOT.glob("plugins/*/pyproject.toml")
    if '."hookcore.plugins"]' in path.read_text("utf-8")
)


@pytest.mark.parametrize("project", SHIPPING, ids=lambda path: str(path.name))
def test_the_wheel_of_each_plugin_ships_its_schema(project: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(SCHEMA_FILE))
        assert json.loads(archive.read(name))["properties"]
    assert name == f"{project.name.replace('-', '_')}/{SCHEMA_FILE}"
