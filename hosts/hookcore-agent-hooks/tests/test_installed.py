"""The policies that are installed hold here as they do everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hookcore import HookManager

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


async def test_tool_policy_and_redact_hold(runtime: Any, tmp_path: Path) -> None:
    (tmp_path / "hookcore.toml").write_text(CONFIG, encoding="utf-8")
    session = runtime(HookManager.load(start=tmp_path))
    verdict = await session.pre("danger", x="1")
    assert "danger" in verdict.message
    sent = await session.asked(f"my key is {KEY}")
    assert sent[0]["content"].startswith("my key is ")
    assert KEY not in repr(sent)
