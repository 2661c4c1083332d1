"""``hookctl run`` governs a program that knows nothing of hookcore."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookcore.hosting.checks import run_governed

PROGRAM = """
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

agent = Agent(TestModel())


@agent.tool_plain
def danger(x: str) -> str:
    raise SystemExit("the tool ran")


print(agent.run_sync("hi").output)
"""


def test_an_unchanged_program_is_governed(tmp_path: Path) -> None:
    pytest.importorskip(
        "pydantic_ai", reason="pydantic-ai is not installed: see .ci/hosts/pydantic-ai.txt"
    )
    printed = run_governed(tmp_path, PROGRAM, "pydantic-ai")
    assert "denied by tool-policy" in printed
