"""Recorded traffic: what a manager wrote comes to the same verdicts again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, ModelResponse, hookimpl
from hookcore.config import RecordConfig
from hookcore.log.recording import begin_recording
from hookctl.replay.findings import Ledger
from hookctl.replay.formats import recorded
from hookctl.replay.partitions import whole
from hookctl.replay.worker import replay_with


class Guard:
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: Any) -> None:
        if ctx.tool_name.startswith("delete"):
            raise HookAborted(reason="no deletes", source="guard")

    @hookimpl
    def post_tool_call(self, ctx: Any) -> str | None:
        return "hidden" if ctx.payload == "secret" else None


@pytest.fixture
def manager() -> HookManager:
    manager = HookManager()
    manager.register(Guard(), "guard")
    return manager


@pytest.fixture
def file(tmp_path: Path, manager: HookManager) -> Path:
    """A file with the traffic of two runs among each other."""
    file = tmp_path / "traffic.jsonl"
    config = RecordConfig(enabled=True, file=str(file), raw=True)
    end = begin_recording(manager, config, [], HookManager)
    with manager.run({"q": 1}, run_id="outer", session_id="s") as outer:
        manager.call_model([{"role": "user", "content": "hi"}], lambda _: ModelResponse("yes"))
        with manager.run(run_id="inner"):
            manager.call_tool("delete", {"path": "x"}, lambda _: "gone", on_denied="return")
        manager.call_tool("read", {"path": "x"}, lambda _: "secret", call_id="c7")
        outer.result = "done"
    end()
    return file


def replayed(manager: HookManager, file: Path) -> Ledger:
    ledger = Ledger()
    ledger.take(replay_with(manager, whole(str(file)), None, None))
    return ledger


def test_the_findings_are_what_happened(manager: HookManager, file: Path) -> None:
    with replayed(manager, file) as ledger:
        found = list(ledger.findings())
    told = [(one["run"], one["tool"], one["verdict"], one["reason"]) for one in found]
    assert told == [
        ("inner", "delete", "deny", "no deletes"),
        ("outer", "read", "modify", None),
    ]
    assert found[1]["call_id"] == "c7"
    assert (ledger.runs, ledger.malformed) == (2, 0)


def test_another_policy_judges_what_was_there_before_the_hooks(file: Path) -> None:
    seen: list[Any] = []

    class Look:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> None:
            seen.append((ctx.run_id, list(ctx.messages)))

        @hookimpl
        def post_model_call(self, ctx: Any) -> None:
            seen.append((ctx.run_id, ctx.payload["content"]))

        @hookimpl
        def post_tool_call(self, ctx: Any) -> None:
            seen.append((ctx.session_id, ctx.tool_input, ctx.payload))

    manager = HookManager()
    manager.register(Look())
    replayed(manager, file).close()
    assert seen == [
        ("outer", [{"role": "user", "content": "hi"}]),
        ("outer", "yes"),
        ("s", {"path": "x"}, "secret"),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"hookcore_record": 2}, "version 2 of recorded traffic; this hookctl reads 1"),
        ({"hookcore_record": 1, "dropped": 3}, "3 dispatches were dropped here"),
        (
            {"hookcore_record": 1, "point": "pre_tool_call", "withheld": "HookAborted"},
            "its payload was withheld",
        ),
        ({"hookcore_record": 1}, "it names no point"),
        ({"other": 1}, "not a line of recorded traffic"),
    ],
)
def test_what_is_missing_is_told(
    manager: HookManager, file: Path, line: dict[str, Any], reason: str
) -> None:
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(line) + "\n")
    with replayed(manager, file) as ledger:
        (complaint,) = ledger.malformed_lines
    assert reason in complaint["reason"]
    assert ledger.runs == 2


def test_a_line_of_another_format_is_none_of_these() -> None:
    assert not recorded.recognises({"messages": []})
