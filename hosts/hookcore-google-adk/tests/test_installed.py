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


async def test_tool_policy_and_redact_hold(
    script: Any, agent: Any, office: Office, go: Any, tmp_path: Path
) -> None:
    (tmp_path / "hookcore.toml").write_text(CONFIG, encoding="utf-8")
    manager = HookManager.load(start=tmp_path)
    model = script([("danger", {"x": "1"}), ("lookup", {"key": KEY})], "done")
    await go(agent(manager, model, instruction=f"use {KEY}"), f"my key is {KEY}")
    assert "danger" not in office.names()
    assert "denied" in model.results()["danger"]["error"]
    assert model.results()["lookup"] == {"result": "raw-value"}
    assert KEY not in model.sent()
