"""A plugin's settings, for commands that load no plugin."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel

from hookcore import ConfigError, plugin_settings
from hookcore.config import files


class Settings(BaseModel):
    path: str = "here"
    size: int = 3


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(files, "SYSTEM_FILE", tmp_path / "none.toml")
    monkeypatch.setattr(files, "user_file", lambda: tmp_path / "none.toml")
    return tmp_path / "hookcore.toml"


def test_settings_are_those_of_the_configuration(project: Path) -> None:
    project.write_text('[plugins.keeper.settings]\npath = "there"\n', "utf-8")
    assert plugin_settings("keeper", Settings, project.parent) == Settings(path="there")


def test_a_plugin_that_is_not_configured_has_its_defaults(project: Path) -> None:
    assert plugin_settings("keeper", Settings, project.parent) == Settings()


@pytest.mark.parametrize(
    ("line", "why"),
    [('size = "much"', "plugins.keeper.settings.size"), ("siez = 3", "did you mean .size")],
)
def test_settings_that_do_not_fit_are_told_with_their_place(
    line: str, why: str, project: Path
) -> None:
    project.write_text(f"[plugins.keeper.settings]\n{line}\n", "utf-8")
    with pytest.raises(ConfigError, match=why) as wrong:
        plugin_settings("keeper", Settings, project.parent)
    assert str(project) in str(wrong.value)
