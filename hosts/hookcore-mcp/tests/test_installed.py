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


async def test_tool_policy_and_redact_hold(connect: Any, office: Office, tmp_path: Path) -> None:
    key = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2
    (tmp_path / "hookcore.toml").write_text(CONFIG, encoding="utf-8")
    manager = HookManager.load(start=tmp_path)
    async with connect(manager) as client:
        denied = await client.call_tool("danger", {"x": "1"})
        looked = await client.call_tool("lookup", {"key": key})
    assert "danger" not in office.names()
    assert denied.is_error
    assert "raw-value" in looked.content[0].text
