"""The comparison with the installed CrewAI runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[4] / "bench" / "crewai.py"


def test_the_comparison_runs_and_has_its_rows() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(BENCH), "--quick"],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    rows = ("no hook", "one hook", "100 hooks", "100 filtered", "import")
    assert [row for row in rows if row not in done.stdout] == []
