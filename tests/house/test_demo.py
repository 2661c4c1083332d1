from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def replayed(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The findings of the demo, with no configuration but the demo's own."""
    home = str(tmp_path_factory.mktemp("home"))
    variables = {key: value for key, value in os.environ.items() if not key.startswith("HOOKCORE_")}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "hookctl", "replay", "--json"),
            "../transcripts/tau_airline_gpt4o_40.jsonl",
        ],
        cwd=checkout / "examples" / "demo",
        env={**variables, "HOME": home, "XDG_CONFIG_HOME": home, "APPDATA": home},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def stopped(replayed: dict[str, Any]) -> list[dict[str, Any]]:
    return [finding for finding in replayed["findings"] if finding["verdict"] == "deny"]


def test_the_demo_replays_every_recorded_run(replayed: dict[str, Any]) -> None:
    assert replayed["summary"]["runs"] == 40


def test_the_demo_runs_without_a_failing_hook(replayed: dict[str, Any]) -> None:
    assert replayed["summary"]["errors"] == 0


def test_every_cancellation_is_stopped(replayed: dict[str, Any]) -> None:
    tools = [finding["tool"] for finding in stopped(replayed)]
    assert tools.count("cancel_reservation") == 14


def test_each_rule_of_the_sample_policy_stops_a_recorded_call(replayed: dict[str, Any]) -> None:
    tools = {finding["tool"] for finding in stopped(replayed)}
    assert tools == {
        "book_reservation",
        "cancel_reservation",
        "send_certificate",
        "update_reservation_flights",
    }


def test_no_address_of_a_customer_reaches_the_model(replayed: dict[str, Any]) -> None:
    changed = [finding for finding in replayed["findings"] if finding["plugin"] == "redact"]
    assert changed
    # Long values are shortened in a diff, and with them what was replaced in their middle.
    shown = "".join(finding["diff"] for finding in changed)
    assert "[EMAIL_" in shown
    assert "[BIRTH_DATE_" in shown
    assert not any("@example.com" in finding["diff"] for finding in changed)
