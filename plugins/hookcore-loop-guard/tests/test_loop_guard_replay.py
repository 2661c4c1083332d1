"""The recorded runs of this repository: no false alarm in any of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TRANSCRIPTS = Path(__file__).parents[3] / "examples" / "transcripts"
INPUTS = ("tau_airline_gpt4o_40.jsonl", "claude_code_sessions", "swe_agent")
SETTINGS = "[plugins.loop-guard]\nenabled = true\n[plugins.loop-guard.settings]\n"


def replayed(folder: Path, settings: str, *inputs: Path) -> dict[str, Any]:
    """Replay runs under the policy, and no other configuration."""
    (folder / "hookcore.toml").write_text(SETTINGS + settings, encoding="utf-8")
    own = {key: value for key, value in os.environ.items() if not key.startswith("HOOKCORE_")}
    home = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "APPDATA"), str(folder / "home"))
    command = [sys.executable, "-m", "hookctl", "replay", "--json", *map(str, inputs)]
    done = subprocess.run(
        command, cwd=folder, env={**own, **home}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("name", INPUTS)
def test_no_recorded_run_is_a_false_alarm(name: str, tmp_path: Path) -> None:
    place = TRANSCRIPTS / name
    files = (
        [place] if place.is_file() else sorted(each for each in place.iterdir() if each.is_file())
    )
    report = replayed(tmp_path, 'steps = ["deny"]', *files)
    assert report["summary"]["runs"] > 0
    assert report["findings"] == []


def test_a_recorded_loop_is_found(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(6):
        function = {"name": "ls", "arguments": '{"path": "."}'}
        one = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [one]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "a.txt"})
    runs = tmp_path / "runs.jsonl"
    runs.write_text(json.dumps({"messages": messages}) + "\n", encoding="utf-8")
    report = replayed(tmp_path, 'steps = ["deny"]', runs)
    assert [finding["verdict"] for finding in report["findings"]] == ["deny"] * 3
