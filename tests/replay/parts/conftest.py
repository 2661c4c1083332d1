"""Processes of ``hookctl replay`` in a folder where a policy is on that kills its process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .killing import ENTRY_POINTS, METADATA, PLUGIN, Hookctl


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    metadata = site / "killing_policy-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "killing_policy.py").write_text(PLUGIN, encoding="utf-8")
    (metadata / "METADATA").write_text(METADATA, encoding="utf-8")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    work = tmp_path / "place"
    work.mkdir()
    (work / "hookcore.toml").write_text("[plugins.demo]\nenabled = true\n", encoding="utf-8")
    return work


@pytest.fixture
def hookctl(folder: Path) -> Iterator[Hookctl]:
    """Start hookctl in a folder of its own, where the policy that kills its process is on."""
    paths = [str(folder.parent / "site"), *(path for path in sys.path if path)]
    kept = {key: value for key, value in os.environ.items() if "HOOKCORE" not in key}
    environment = {
        **kept,
        "PYTHONPATH": os.pathsep.join(paths),
        "HOME": str(folder.parent),
    }

    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "hookctl", *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    # Whoever is started in a shell's background ignores interrupts, and so do its children; what
    # is handled here is as usual there.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield start
    signal.signal(signal.SIGINT, before)
    for process in started:
        with process:
            process.kill()
