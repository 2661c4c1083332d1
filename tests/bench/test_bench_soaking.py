"""The soak of the log runs, and accounts for each event."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.soaking import soak


@pytest.mark.parametrize("rate", [500, 0])
def test_each_event_of_a_soak_is_written_or_counted(tmp_path: Path, rate: float) -> None:
    seen = soak(tmp_path / "log.sqlite3", rate=rate, seconds=0.2, megabytes=10)
    assert seen["events"] > 0
    assert seen["unaccounted"] == 0
    assert seen["flushed"] == 1
