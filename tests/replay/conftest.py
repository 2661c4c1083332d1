from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hookctl.replay.findings import Ledger
from hookctl.replay.inputs import Inputs
from hookctl.replay.model import RecordedRun

from .killing import ENTRY_POINTS, METADATA, PLUGIN, Hookctl

DATA = Path(__file__).parent / "data"
ReadRuns = Callable[..., tuple[list[RecordedRun], Ledger]]


@pytest.fixture
def data() -> Path:
    return DATA


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with Ledger() as ledger:
        yield ledger


@pytest.fixture
def read_runs(ledger: Ledger) -> ReadRuns:
    """Read files into runs whose turns are lists, so that they can be looked at twice."""

    def read(*paths: Path, forced: str | None = None) -> tuple[list[RecordedRun], Ledger]:
        inputs = Inputs(ledger, forced)
        runs = [_solid(run) for path in paths for run in inputs.runs(str(path))]
        return runs, ledger

    return read


@pytest.fixture
def write_lines(tmp_path: Path) -> Callable[..., Path]:
    """Write values as JSON lines; a text is written as it is."""

    def write(*values: Any, name: str = "runs.jsonl") -> Path:
        lines = [value if isinstance(value, str) else json.dumps(value) for value in values]
        path = tmp_path / name
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    return write


def install_policy(site: Path) -> None:
    """Put the policy that kills its process into a folder, as pip would."""
    metadata = site / "killing_policy-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "killing_policy.py").write_text(PLUGIN, encoding="utf-8")
    (metadata / "METADATA").write_text(METADATA, encoding="utf-8")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    install_policy(tmp_path / "site")
    work = tmp_path / "place"
    work.mkdir()
    (work / "hookcore.toml").write_text("[plugins.demo]\nenabled = true\n", encoding="utf-8")
    return work


@pytest.fixture
def hookctl(folder: Path) -> Iterator[Hookctl]:
    """Start hookctl in a folder of its own, where the policy that kills its process is on."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        paths = [str(folder.parent / "site"), *(path for path in sys.path if path)]
        kept = {key: value for key, value in os.environ.items() if "HOOKCORE" not in key}
        environment = {
            **kept,
            "PYTHONPATH": os.pathsep.join(paths),
            "HOME": str(folder.parent),
        }
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


def _solid(run: RecordedRun) -> RecordedRun:
    return RecordedRun(
        id=run.id,
        where=run.where,
        turns=list(run.turns),
        agent=run.agent,
        session_id=run.session_id,
        parent_run_id=run.parent_run_id,
        model=run.model,
        tools=run.tools,
        attributes=run.attributes,
    )
