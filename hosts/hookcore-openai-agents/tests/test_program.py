"""``hookctl run`` governs a program that knows nothing of hookcore."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookcore.hosting.checks import run_governed

PROGRAM = """
from agents import Agent, Runner, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

set_tracing_disabled(True)


@function_tool
def danger(x: str) -> str:
    raise SystemExit("the tool ran")


model = ScriptedModel([[function_call("danger", {"x": "1"}, call_id="c0")], [assistant_message("")]])
Runner.run_sync(Agent(name="main", model=model, tools=[danger]), "hi")
print(model.calls[-1].input)
"""


def test_an_unchanged_program_is_governed(tmp_path: Path) -> None:
    pytest.importorskip(
        "agents", reason="openai-agents is not installed: see .ci/hosts/openai-agents.txt"
    )
    printed = run_governed(tmp_path, PROGRAM, "openai-agents")
    assert "denied by tool-policy" in printed
