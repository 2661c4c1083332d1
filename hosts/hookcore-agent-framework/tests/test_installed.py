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
    client = script([call("danger", "c0", x="1"), call("lookup", "c1", key=KEY)], "done")
    made = agent(manager, client)
    assert (await go(made, f"my key is {KEY}")).text.strip() == "done"
    assert "danger" not in office.names()
    assert "denied" in str(client.results()["c0"])
    assert "raw-value" in str(client.results()["c1"])
    assert KEY not in repr([request["messages"] for request in client.sent])


async def test_redact_reaches_the_instructions(
    script: Any, agent: Any, go: Any, tmp_path: Path
) -> None:
    (tmp_path / "hookcore.toml").write_text(CONFIG, encoding="utf-8")
    client = script("done")
    manager = HookManager.load(start=tmp_path)
    await go(agent(manager, client, instructions=f"use {KEY}"), "hi")
    assert client.sent[0]["options"]["instructions"].startswith("use ")
    assert KEY not in repr(client.sent)
