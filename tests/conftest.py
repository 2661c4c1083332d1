"""The fixtures that the tests of the core share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from hookcore.config import files
from hookcore.testing import as_new_process


@pytest.fixture(scope="session")
def checkout() -> Path:
    """Return the folder that holds README.md, examples/ and tests/."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return an empty working folder on a machine without configuration, in a new process."""
    for name in [name for name in os.environ if name.startswith("HOOKCORE_")]:
        monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setattr(files, "SYSTEM_FILE", tmp_path / "none.toml")
    monkeypatch.setattr(files, "user_file", lambda: tmp_path / "none.toml")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    with as_new_process():
        yield work
