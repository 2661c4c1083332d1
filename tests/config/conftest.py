"""Layers of configuration that live in a temporary folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hookcore.config import Config, files, read_config


@dataclass
class Layers:
    """The three files, the bundle's, and a way to read what they come to."""

    system: Path
    bundle: Path
    user: Path
    project: Path

    def read(
        self, overrides: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None
    ) -> Config:
        return read_config(self.project.parent, overrides, environ=environ or {})


@pytest.fixture
def layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layers:
    result = Layers(
        tmp_path / "etc" / "hookcore.toml",
        tmp_path / "bundles" / "rev-1" / "hookcore.toml",
        tmp_path / "home" / "hookcore.toml",
        tmp_path / "work" / "hookcore.toml",
    )
    for file in (result.system, result.bundle, result.user, result.project):
        file.parent.mkdir(parents=True)
    result.bundle.parent.with_name("current").symlink_to("rev-1")
    monkeypatch.setattr(files, "BUNDLE_FOLDER", result.bundle.parents[1])
    monkeypatch.setattr(files, "SYSTEM_FILE", result.system)
    monkeypatch.setattr(files, "user_file", lambda: result.user)
    return result
