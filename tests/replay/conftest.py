from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hookctl.replay.findings import Ledger
from hookctl.replay.inputs import Inputs
from hookctl.replay.model import RecordedRun

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
