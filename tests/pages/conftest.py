"""A folder with a policy that stops, changes and hides, and hookctl in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..running import Hookctl

PLUGIN = """
from hookcore import HookAborted, hookimpl


class Policy:
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx):
        if ctx.tool_name.startswith("delete"):
            raise HookAborted(f"no {ctx.tool_name}", rule="no-deletes")

    @hookimpl
    def post_tool_call(self, ctx):
        return ctx.payload.replace("sk-secret-value", "[KEY_1]").replace("dirty", "clean")
"""
ENTRY_POINTS = "[hookcore.plugins]\nguard = guard_policy:Policy\n"
METADATA = "Metadata-Version: 2.1\nName: guard-policy\nVersion: 1.0\n"


@pytest.fixture
def hookctl(tmp_path: Path) -> Hookctl:
    site, work = tmp_path / "site", tmp_path / "work"
    metadata = site / "guard_policy-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "guard_policy.py").write_text(PLUGIN, encoding="utf-8")
    (metadata / "METADATA").write_text(METADATA, encoding="utf-8")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    work.mkdir()
    (work / "hookcore.toml").write_text("[plugins.guard]\nenabled = true\n", encoding="utf-8")
    return Hookctl(work, site, {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)})


def run_of(*calls: tuple[str, str], name: str | None = None) -> dict[str, Any]:
    """A run in which a model called tools, each with what came back."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "hi"}]
    for number, (tool, answer) in enumerate(calls):
        call = {"id": f"c{number}", "function": {"name": tool, "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": answer})
    return {"messages": messages, **({} if name is None else {"id": name})}


STOPPED = run_of(("delete_file", "gone"))
CHANGED = run_of(("read", "a dirty plate"))
HIDDEN = run_of(("read", "the key is sk-secret-value here"))
HARMLESS = run_of(("read", "nothing"))


@pytest.fixture
def write_runs(hookctl: Hookctl) -> Callable[..., Path]:
    def write(*runs: Any, name: str = "runs.jsonl") -> Path:
        path = hookctl.folder / name
        path.write_text("".join(f"{json.dumps(run)}\n" for run in runs), encoding="utf-8")
        return path

    return write
