"""The schemas that the policies in this house ship: true, and enough to set each of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hookcore.discovery import PluginSource, discover
from hookctl.schemas import (
    SCHEMA_FILE,
    package_folder,
    plugin_schema,
    points_in,
    schema_text,
    shipped_schema,
)
from hookctl.settings.described import settings_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
GROUP = "hookcore.plugins"


def offered() -> list[str]:
    """The names of the plugins of all folders."""
    found: list[str] = []
    for file in sorted(ROOT.glob("plugins/*/pyproject.toml")):
        entry_points = tomllib.loads(file.read_text())["project"].get("entry-points", {})
        found += entry_points.get(GROUP, ())
    return found


def source(name: str) -> PluginSource:
    if name not in discover():
        pytest.skip(f"{name} is not installed")
    return discover()[name]


@pytest.mark.parametrize("name", offered())
def test_the_shipped_schema_is_what_the_command_would_write(name: str) -> None:
    folder = package_folder(source(name))
    assert folder is not None
    schema = plugin_schema(source(name).load())
    assert schema is not None
    shipped = (folder / SCHEMA_FILE).read_text(encoding="utf-8")
    assert shipped == schema_text(schema), f"run: hookctl schema {name} --write"


@pytest.mark.parametrize("name", offered())
def test_the_shipped_schema_tells_points_and_describes_every_setting(name: str) -> None:
    schema = shipped_schema(source(name))
    assert schema is not None
    assert points_in(schema)
    assert [one.key for one in settings_of(schema) if not one.description] == []
