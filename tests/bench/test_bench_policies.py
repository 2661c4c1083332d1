from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_measuring_of_a_large_policy_runs() -> None:
    script = Path(__file__).resolve().parents[2] / "bench" / "policies.py"
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert done.returncode in {0, 1}, done.stderr
    assert len(done.stdout.splitlines()) == 7
