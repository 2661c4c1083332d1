"""The policies that are installed hold here as they do everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hookcore import HookManager
from hookcore.hosting.checks import Office

pytestmark = pytest.mark.asyncio

CONFIG = """
[plugins.tool-policy]
enabled = true
[plugins.tool-policy.settings]
deny = ["danger*"]
[plugins.redact]
enabled = true
"""
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2


async def test_tool_policy_and_redact_hold(  # noqa: PLR0917 - its fixtures
    script: Any, agent: Any, call: Any, office: Office, go: Any, tmp_path: Path
) -> None:
    (tmp_path / "hookcore.toml").write_text(CONFIG, encoding="utf-8")
    manager = HookManager.load(start=tmp_path)
    steps = [call("danger", "c0", x="1"), call("lookup", "c1", key=KEY)]
    model = script(steps, "done")
    await go(agent(manager, model, system_prompt=f"use {KEY}"), f"my key is {KEY}")
    assert "danger" not in office.names()
    assert "denied" in str(model.results()["c0"])
    assert "raw-value" in str(model.results()["c1"])
    assert KEY not in repr(model.sent)
