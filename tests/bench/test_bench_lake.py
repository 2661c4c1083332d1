"""The comparison of ways to replay a lake runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import lake


def test_ways_to_replay_a_lake_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures.json"
    lake.main(["--megabytes", "0.4", "--json", str(file)])
    printed = capsys.readouterr().out
    assert "one: findings equal" in printed
    assert "pool: findings equal" in printed
    figures = json.loads(file.read_text("utf-8"))
    assert figures["one"][1]["megabytes"] > 0.3


def test_a_lake_is_as_large_as_it_was_wished(tmp_path: Path) -> None:
    assert 0.3 <= lake.write_lake(tmp_path / "lake", 0.3) < 0.4
    assert len(list((tmp_path / "lake").iterdir())) > 3
