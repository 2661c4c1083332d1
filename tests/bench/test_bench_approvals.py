"""The benchmark of approval and audit runs; a quick run's times mean nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_it_measures_both_policies_beside_a_gate() -> None:
    pytest.importorskip("hookcore_approval")
    pytest.importorskip("hookcore_audit")
    command = [sys.executable, str(ROOT / "bench" / "approvals.py"), "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    assert "audit / gate " in done.stdout
    assert "approval waits, SQLite / gate " in done.stdout
