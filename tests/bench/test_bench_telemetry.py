"""The benchmark of telemetry runs; a quick run's times mean nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_it_measures_the_plugin_beside_a_gate_and_without_a_collector() -> None:
    pytest.importorskip("hookcore_otel")
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    command = [sys.executable, str(ROOT / "bench" / "telemetry.py"), "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    assert "otel, all spans, metrics / gate " in done.stdout
    assert "collector hangs" in done.stdout
    assert done.stdout.count("50 of 50 denied") == 3
