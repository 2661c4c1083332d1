from __future__ import annotations

from pathlib import Path

import pytest

from hookcore import HookManager
from hookcore.hosting import watched_files


def test_all_that_a_load_reads_or_would_read_is_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "project" / "part"
    folder.mkdir(parents=True)
    (tmp_path / "project" / "hookcore.toml").write_text("[hooks]\n", encoding="utf-8")
    watched = set(watched_files(folder))
    config = HookManager.load(folder).config
    assert config is not None
    assert {file.path for file in config.files} <= watched
    assert {
        tmp_path / "project" / "hookcore.lock",
        folder / "hookcore.toml",
        folder / "pyproject.toml",
        tmp_path / "state" / "hookcore" / "trust.json",
    } <= watched


def test_without_a_home_only_the_systems_and_the_projects_files_are_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "~nobody-at-all")
    assert not [file for file in watched_files(tmp_path) if not file.is_absolute()]
