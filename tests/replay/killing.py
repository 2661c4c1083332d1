"""A policy that kills the process that it judges in, and what its tests do over and over."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

PLUGIN = """
import os, signal, time
from pathlib import Path
from hookcore import HookAborted, hookimpl


class Policy:
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx):
        if ctx.tool_name == "delete":
            raise HookAborted("no deletes")
        if ctx.tool_name == "sleep" and not Path("asleep").exists():
            Path("asleep").write_text(str(os.getpid()))
            time.sleep(60)
        if (ctx.tool_name == "die" and not Path("spared").exists()) or (ctx.tool_name == "die_once" and not Path("died").exists()):
            Path("died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
"""
ENTRY_POINTS = "[hookcore.plugins]\ndemo = killing_policy:Policy\n"
METADATA = "Metadata-Version: 2.1\nName: killing-policy\nVersion: 1.0\n"
Hookctl = Callable[..., "subprocess.Popen[str]"]


def run(tool: str, name: str) -> dict[str, object]:
    call = {"id": "1", "function": {"name": tool, "arguments": "{}"}}
    user = {"role": "user", "content": "hi"}
    asks = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"id": name, "messages": [user, asks]}


def write(folder: Path, *tools: str) -> list[str]:
    """Write a file with two runs for each tool; the second run's name comes again and again."""
    names = [f"{number}.jsonl" for number in range(len(tools))]
    for name, tool in zip(names, tools, strict=True):
        lines = [json.dumps(run(tool, name)), json.dumps(run("delete", "again"))]
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    return names


def finished(process: subprocess.Popen[str], stdin: str = "") -> tuple[int, Any, str]:
    stdout, stderr = process.communicate(stdin, timeout=60)
    assert stdout, stderr
    return process.returncode, json.loads(stdout), stderr


def without_times(report: Any) -> Any:
    for stats in report["summary"]["plugins"].values():
        for key in [key for key in stats if key.endswith("_ms")]:
            del stats[key]
    return report
