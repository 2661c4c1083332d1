"""CrewAI's hooks under hosts that are not CrewAI: hookcore's own contexts and boundaries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, RunContext
from hookcore_crewai.hooks import (
    InterceptionPoint,
    after_llm_call,
    after_tool_call,
    before_llm_call,
    before_tool_call,
    on,
)

P = InterceptionPoint


def read(arguments: dict[str, Any]) -> str:
    return f"read {arguments['path']}"


def test_false_blocks_a_tool_call_of_any_host(manager: HookManager) -> None:
    before_tool_call(tools=["delete_file"])(lambda ctx: False)
    assert manager.call_tool("read_file", {"path": "x"}, read) == "read x"
    with pytest.raises(HookAborted, match="returned False"):
        manager.call_tool("delete_file", {"path": "x"}, read)


def test_arguments_and_results_are_changed_at_any_host(manager: HookManager) -> None:
    @before_tool_call
    def move(ctx: Any) -> None:
        ctx.tool_input["path"] = "/tmp/safe"

    after_tool_call(lambda ctx: ctx.tool_result.upper())
    assert manager.call_tool("read_file", {"path": "x"}, read) == "READ /TMP/SAFE"


def test_what_means_nothing_in_crewai_means_nothing_at_any_host(manager: HookManager) -> None:
    before_tool_call(lambda ctx: "deny")
    after_tool_call(lambda ctx: 7)
    assert manager.call_tool("read_file", {"path": "x"}, read) == "read x"


def test_model_calls_of_any_host_are_hooked(manager: HookManager) -> None:
    before_llm_call(lambda ctx: ctx.messages.append("more"))
    after_llm_call(lambda ctx: ctx.response.upper())
    answer = manager.call_model(["hi"], " ".join, model="m")
    assert str(getattr(answer, "content", answer)) == "HI MORE"


def test_a_run_of_any_host_is_guarded(manager: HookManager) -> None:
    @on(P.EXECUTION_START)
    def guard(ctx: Any) -> None:
        if not ctx.payload.get("authorized"):
            raise HookAborted("not authorised")

    manager.dispatch("execution_start", RunContext(payload={"authorized": True}))
    with pytest.raises(HookAborted):
        manager.dispatch("execution_start", RunContext(payload={}))


def test_a_failure_at_another_host_is_logged_and_not_printed(
    manager: HookManager,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    @before_tool_call
    def crews_only(ctx: Any) -> None:
        ctx.crew.name  # noqa: B018 - there is no crew here

    assert manager.call_tool("read_file", {"path": "x"}, read) == "read x"
    assert capsys.readouterr().out == ""
    assert "crews_only" in caplog.text


WITHOUT_CREWAI = """
import sys
sys.modules["crewai"] = None
from hookcore import HookManager
import hookcore_crewai as crewai
from hookcore_crewai.__main__ import main
try:
    crewai.install(HookManager())
except ImportError as error:
    print("refused:", error)
print(crewai.installed())
print(main([__file__]))
"""


def test_without_crewai_the_host_adapter_refuses_and_leaves_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(WITHOUT_CREWAI)
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    assert lines[0].startswith("refused: "), done.stderr
    assert lines[1:] == ["False", "3"]
    assert "script.py is not started" in done.stderr


SERVED = """
import sys, types
from dataclasses import dataclass
import hookcore_crewai.hooks as ours


@dataclass
class Event:
    interception_point: str
    outcome: str
    hook_count: int
    duration_ms: float
    abort_reason: str
    abort_source: str


class Bus:
    heard = []

    def emit(self, source, event):
        self.heard.append((event.interception_point, event.outcome, event.hook_count))


def module(name, **content):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(content)


module("crewai", __path__=[])
module("crewai.events", __path__=[])
module("crewai.events.types", __path__=[])
module("crewai.events.event_bus", crewai_event_bus=Bus())
module("crewai.events.types.hook_events", HookDispatchedEvent=Event)
sys.modules["crewai.hooks"] = ours
from crewai.hooks import register_hook, dispatch
from hookcore_crewai.hooks.contexts import StepContext

register_hook("pre_step", lambda ctx: "new")
dispatch("pre_step", StepContext())
print(Bus.heard)
"""


def test_a_drop_in_that_an_import_hook_serves_shows_on_crewais_bus(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SERVED)
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[('pre_step', 'modified', 1)]", done.stderr
