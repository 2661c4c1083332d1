from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("hookcore_bridge", reason="hookcore-bridge is not installed")

from bench import hooks


def test_single_events_are_measured_and_held_against_their_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CODING_AGENTS", raising=False)
    monkeypatch.setattr(hooks, "LIMITS", {"http": 0.0, "command": 1e9, "first": 1e9})
    report = tmp_path / "report.json"
    assert hooks.main(["--json", str(report)]) == 1
    found = json.loads(report.read_text(encoding="utf-8"))["events"]
    assert set(found) == {"first", "http", "command"}
    assert 0 < found["http"] < found["first"]
    out = capsys.readouterr().out
    assert [line.split()[-1] for line in out.splitlines()[1:]] == ["ok", "missed", "ok"]
