"""The fixture ``hook_golden``: verdicts on recorded runs, compared with a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SUITE = """
import os
from hookcore import HookAborted, hookimpl

class Policy:
    @hookimpl(tools=[os.environ["DENIED"]], gate=True)
    def pre_tool_call(self, ctx):
        raise HookAborted("no", message="no")

def test_it(hook_manager, hook_golden):
    hook_manager.register(Policy(), name="policy")
    hook_golden("data/runs.jsonl")
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A folder with a test of a policy, and a transcript."""
    (tmp_path / "test_inner.py").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "data").mkdir()
    call = {"id": "1", "function": {"name": "rm", "arguments": '{"path": "é"}'}}
    run = {"messages": [{"role": "assistant", "content": None, "tool_calls": [call]}]}
    (tmp_path / "data" / "runs.jsonl").write_text(json.dumps(run))
    return tmp_path


def run(folder: Path, *arguments: str, denied: str = "rm") -> Any:
    plugins = ("-p", "hookcore.pytest_plugin", "-p", "hookctl.pytest_plugin")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-W", "error", *plugins, *arguments],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "DENIED": denied},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_a_golden_file_it_says_how_to_make_one(suite: Path) -> None:
    done = run(suite)
    assert done.returncode == 1
    assert "there is no golden file" in done.stdout
    assert "--hookcore-update" in done.stdout


def test_what_was_written_is_what_the_next_run_compares_with(suite: Path) -> None:
    assert run(suite, "--hookcore-update").returncode == 0
    head, finding = (suite / "data" / "runs.jsonl.verdicts.jsonl").read_text().splitlines()
    assert json.loads(head)["runs"] == 1
    told = json.loads(finding)
    assert (told["tool"], told["plugin"], told["verdict"]) == ("rm", "policy", "deny")
    assert str(suite) not in finding
    assert "rule" not in told
    assert run(suite).returncode == 0


def test_other_verdicts_fail_with_the_difference(suite: Path) -> None:
    run(suite, "--hookcore-update")
    done = run(suite, denied="ls")
    assert done.returncode == 1
    assert "the verdicts are others" in done.stdout
    assert '-{"run":' in done.stdout


def test_a_transcript_that_is_none_fails(suite: Path) -> None:
    (suite / "data" / "runs.jsonl").write_text("no transcript")
    done = run(suite)
    assert done.returncode == 1
    assert "cannot be read" in done.stdout


def test_the_plugin_imports_nothing_of_hookcore(tmp_path: Path) -> None:
    code = (
        "import sys, hookctl.pytest_plugin; "
        "print(*[m for m in sys.modules if m.startswith(('hookcore', 'hookctl.', 'click'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.split() == ["hookctl.pytest_plugin"]
