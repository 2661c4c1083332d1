"""``hookctl run`` governs a program that knows nothing of hookcore."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookcore.hosting.checks import run_governed

PROGRAM = """
import json
from strands import Agent, tool
from strands.models.model import Model


@tool
def danger(x: str) -> str:
    \"\"\"Do something dangerous.\"\"\"
    raise SystemExit("the tool ran")


class Fake(Model):
    def get_config(self): return {}
    def update_config(self, **config): pass
    def structured_output(self, *args, **options): raise AssertionError
    async def stream(self, messages, tool_specs=None, system_prompt=None, **options):
        called = len(messages) > 1
        if called:
            print(messages[-1])
        start = {} if called else {"toolUse": {"name": "danger", "toolUseId": "c0"}}
        delta = {"text": "done"} if called else {"toolUse": {"input": '{"x": "1"}'}}
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": start}}
        yield {"contentBlockDelta": {"delta": delta}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if called else "tool_use"}}


Agent(model=Fake(), tools=[danger], callback_handler=None)("hi")
"""


def test_an_unchanged_program_is_governed(tmp_path: Path) -> None:
    pytest.importorskip(
        "strands", reason="strands-agents is not installed: see .ci/hosts/strands.txt"
    )
    printed = run_governed(tmp_path, PROGRAM, "strands")
    assert "denied by tool-policy" in printed
