"""The helpers of the tests of every host: policies that try its seams, a recorder, and tools.

:class:`Policies` denies, rewrites, replaces, redacts, stops and fails, each where a test asks for
it by a tool's name or a word in a text; :class:`Recorder` notes each boundary's beginning and end;
:class:`Office` has the tools, and knows which of them ran.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hookcore_specs import Abort, HookContext, ModelCallContext, ToolCallContext, hookimpl

from ..manager import HookManager

__all__ = [
    "MESSAGE",
    "REASON",
    "SECRET",
    "Ending",
    "Office",
    "Policies",
    "PolicyBrokenError",
    "Recorder",
    "checked",
    "run_governed",
]

SECRET = "hunter2"  # noqa: S105 - what the redactor of the tests looks for
"""The text that :class:`Policies` redacts wherever a model would read it."""
REASON = "rule 7 of the operators"
"""The reason of every denial, which nobody outside may see."""
MESSAGE = "no danger today"
"""The message of every denial."""


class PolicyBrokenError(Exception):
    """The error that the policy that fails with ``on_error="raise"`` raises."""


class Policies:
    """One policy for each thing that a host has to heed."""

    @hookimpl(tools=["danger*"], gate=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> Any:  # noqa: ARG002 - found by its name
        """Deny dangerous tools."""
        return Abort(REASON, message=MESSAGE)

    @hookimpl
    def pre_model_call(self, ctx: ModelCallContext) -> None:
        """Redact what is sent to a model."""
        ctx.texts().replace(lambda text: text.replace(SECRET, "[gone]"))


class Rewriting:
    """Rewrites the input of ``add``, replaces the result of ``lookup``."""

    @hookimpl(tools=["add"])
    def pre_tool_call(self, ctx: ToolCallContext) -> Any:
        """Add ten."""
        return {**ctx.tool_input, "a": ctx.tool_input["a"] + 10}

    @hookimpl(tools=["lookup"])
    def post_tool_call(self, ctx: ToolCallContext) -> Any:  # noqa: ARG002 - found by its name
        """Replace the result."""
        return "[replaced]"


class Stopping:
    """Stops a request that says STOP, and a response that says LEAK."""

    @hookimpl(gate=True)
    def pre_model_call(self, ctx: ModelCallContext) -> Any:
        """Judge the request."""
        return Abort(REASON, message=MESSAGE) if "STOP" in str(ctx.texts()) else None

    @hookimpl(gate=True)
    def post_model_call(self, ctx: ModelCallContext) -> Any:
        """Judge the response."""
        return Abort(REASON, message=MESSAGE) if "LEAK" in str(ctx.texts()) else None


class Failing:
    """Fails at the tool ``broken``, so that the host has to hear of it."""

    @hookimpl(tools=["broken"], on_error="raise")
    def pre_tool_call(self, ctx: ToolCallContext) -> None:  # noqa: ARG002 - found by its name
        """Fail."""
        raise PolicyBrokenError("the policy is broken")


@dataclass(frozen=True)
class Ending:
    """The end of a boundary."""

    point: str
    name: str | None
    status: str | None
    error: str
    run_id: str | None
    call_id: str | None


@dataclass
class Recorder:
    """Notes what began and how it ended."""

    endings: list[Ending] = field(default_factory=list)
    begun: list[HookContext] = field(default_factory=list)

    @hookimpl
    def execution_start(self, ctx: HookContext) -> None:
        """Note a run's beginning."""
        self.begun.append(ctx)

    @hookimpl
    def run_finished(self, ctx: HookContext) -> None:
        """Note a run's end."""
        self._note(ctx)

    @hookimpl
    def model_finished(self, ctx: HookContext) -> None:
        """Note a model call's end."""
        self._note(ctx)

    @hookimpl
    def tool_finished(self, ctx: HookContext) -> None:
        """Note a tool call's end."""
        self._note(ctx)

    def _note(self, ctx: Any) -> None:
        error = "" if ctx.error is None else type(ctx.error).__name__
        name = getattr(ctx, "tool_name", None)
        ids = (ctx.run_id, ctx.call_id)
        self.endings.append(Ending(str(ctx.point), name, ctx.status, error, *ids))

    def tools(self) -> list[tuple[str | None, str | None]]:
        """Return the names and ends of the tool calls, sorted."""
        ends = [end for end in self.endings if end.point == "tool_finished"]
        return sorted((end.name, end.status) for end in ends)

    def statuses(self, point: str) -> list[str | None]:
        """Return the ends of one kind, in order."""
        return [end.status for end in self.endings if end.point == point]

    def runs(self) -> list[tuple[str | None, str | None]]:
        """Return the ids of the runs with those of their parents, in the order of beginning."""
        return [(ctx.run_id, ctx.parent_run_id) for ctx in self.begun]


def checked(*plugins: object) -> tuple[HookManager, Recorder]:
    """Return a manager with all policies of this module, these plugins, and a recorder.

    Args:
        plugins: policies of the test's own.
    """
    manager, recorder = HookManager(), Recorder()
    for plugin in (Policies(), Rewriting(), Stopping(), Failing(), *plugins):
        manager.register(plugin)
    manager.register(recorder)
    return manager, recorder


class Office:
    """Tools, and what was done with them."""

    def __init__(self) -> None:
        #: Each call as the tool's name and its arguments.
        self.calls: list[tuple[Any, ...]] = []
        self.at_once = 0
        """The largest number of calls of ``slow`` that were under way together."""
        self.started = asyncio.Event()
        """Set when a call of ``slow`` is under way."""
        self._slow = 0
        self._others = asyncio.Event()

    def names(self) -> list[str]:
        """Return the names of the tools that ran."""
        return [call[0] for call in self.calls]

    def add(self, a: int, b: int) -> str:
        """Add two numbers."""
        self.calls.append(("add", a, b))
        return str(a + b)

    def danger(self, x: str) -> str:
        """Do something dangerous."""
        self.calls.append(("danger", x))
        return "boom"

    def lookup(self, key: str) -> str:
        """Look something up."""
        self.calls.append(("lookup", key))
        return "raw-value"

    def secret(self, key: str) -> str:
        """Return what a model must not read."""
        self.calls.append(("secret", key))
        return f"the password is {SECRET}"

    def fails(self, x: str) -> str:
        """Fail."""
        self.calls.append(("fails", x))
        raise ValueError("the tool broke")

    def broken(self, x: str) -> str:
        """Run only where a broken policy was passed by."""
        self.calls.append(("broken", x))
        return "ran"

    async def slow(self, n: int) -> str:
        """Wait until n calls are under way together."""
        self.calls.append(("slow", n))
        self._slow += 1
        self.started.set()
        self.at_once = max(self.at_once, self._slow)
        if self._slow >= n:
            self._others.set()
        try:
            await self._others.wait()
        finally:
            self._slow -= 1
        return "waited"


_CONFIG = """
[plugins.tool-policy]
enabled = true
[plugins.tool-policy.settings]
deny = ["danger*"]
"""


def run_governed(folder: Path, program: str, host: str) -> str:
    """Run a program that knows nothing of hookcore under the installed ``tool-policy``.

    Args:
        folder: an empty folder, in which it is run.
        program: its code; it ends with an error where the tool ``danger`` ran.
        host: the host that has to come into force.

    Returns:
        What it printed.
    """
    (folder / "hookcore.toml").write_text(_CONFIG, encoding="utf-8")
    (folder / "app.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "hookctl", "run", "--require", host, "app.py"]
    done = subprocess.run(  # noqa: S603 - the test's own program
        command,
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    said = f"hookcore: {host} is in force"
    if done.returncode or said not in done.stderr:
        raise AssertionError(f"{done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout
