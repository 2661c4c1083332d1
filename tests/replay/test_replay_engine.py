from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import HookAborted, HookContext, HookManager, hookimpl
from hookctl.replay.engine import Engine
from hookctl.replay.findings import Ledger
from hookctl.replay.formats.message import turn_of
from hookctl.replay.model import RecordedRun

USER = {"role": "user", "content": "my key is k-1"}
ANSWER = {"role": "assistant", "content": "fine"}
Replay = Callable[..., list[dict[str, Any]]]


def asks(name: str, arguments: object = '{"path": "x"}', identity: str | None = None) -> Any:
    call = {"id": identity or name, "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def tells(identity: str, content: object = "ok") -> dict[str, object]:
    return {"role": "tool", "tool_call_id": identity, "content": content}


def run_of(*messages: dict[str, Any], name: str = "r") -> RecordedRun:
    turns = [turn_of(message, f"messages[{at}]") for at, message in enumerate(messages)]
    return RecordedRun(name, "here", turns, agent="clerk", session_id="s")


@pytest.fixture
def manager() -> Iterator[HookManager]:
    manager = HookManager()
    yield manager
    manager.close()


@pytest.fixture
def replay(manager: HookManager, ledger: Ledger) -> Replay:
    """Replay messages as one run under a plugin, and return the findings."""

    def replay(plugin: object, *messages: dict[str, Any]) -> list[dict[str, Any]]:
        manager.register(plugin, name="p")
        engine = Engine(manager, ledger)
        with engine.listening():
            engine.replay(run_of(*messages))
        return list(ledger.findings())

    return replay


class Deny:
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: HookContext) -> None:
        if ctx.tool_name == "delete":  # type: ignore[attr-defined]
            raise HookAborted("no deletes", rule="no-rm")


def test_a_denied_call_is_a_finding_with_run_step_tool_plugin_and_reason(replay: Replay) -> None:
    (finding,) = replay(Deny(), USER, asks("read"), tells("read"), asks("delete"), ANSWER)
    assert finding == {
        "run": "r",
        "step": 4,
        "point": "pre_tool_call",
        "tool": "delete",
        "plugin": "p",
        "verdict": "deny",
        "effect": "applied",
        "reason": "no deletes",
        "diff": None,
        "where": "messages[3]",
        "call_id": "delete",
        "stops": True,
        "rule": "no-rm",
    }


class Spy:
    def __init__(self) -> None:
        self.seen: list[HookContext] = []
        self.names: list[str] = []

    def _note(self, ctx: HookContext) -> None:
        self.seen.append(ctx)
        self.names.append(str(ctx.point))

    @hookimpl
    def execution_start(self, ctx: HookContext) -> None:
        self._note(ctx)

    @hookimpl
    def input(self, ctx: HookContext) -> None:
        self._note(ctx)

    @hookimpl
    def pre_model_call(self, ctx: HookContext) -> None:
        self._note(ctx)

    @hookimpl
    def post_model_call(self, ctx: HookContext) -> None:
        self._note(ctx)

    @hookimpl
    def pre_tool_call(self, ctx: HookContext) -> None:
        self._note(ctx)

    @hookimpl
    def post_tool_call(self, ctx: HookContext) -> None:
        self._note(ctx)

    @hookimpl
    def output(self, ctx: HookContext) -> None:
        self._note(ctx)

    @hookimpl
    def execution_end(self, ctx: HookContext) -> None:
        self._note(ctx)


def test_a_run_is_dispatched_at_the_points_that_it_shows(replay: Replay, ledger: Ledger) -> None:
    spy = Spy()
    assert replay(spy, USER, asks("read"), tells("read"), ANSWER) == []
    assert spy.names == [
        "execution_start",
        "input",
        "pre_model_call",
        "post_model_call",
        "pre_tool_call",
        "post_tool_call",
        "pre_model_call",
        "post_model_call",
        "output",
        "execution_end",
    ]
    assert (ledger.runs, ledger.events, ledger.stats("p").times.count) == (1, 10, 10)


def test_every_context_is_a_dry_run_with_the_ids_of_its_run(replay: Replay) -> None:
    spy = Spy()
    replay(spy, USER, asks("read"), tells("read"), ANSWER)
    assert all(ctx.dry_run for ctx in spy.seen)
    assert {(ctx.run_id, ctx.session_id, ctx.agent) for ctx in spy.seen} == {("r", "s", "clerk")}
    calls = [ctx.call_id for ctx in spy.seen if "_call" in str(ctx.point)]
    assert calls == ["step-1", "step-1", "read", "read", "step-3", "step-3"]


def test_after_a_call_its_input_stays_readable(replay: Replay) -> None:
    spy = Spy()
    replay(spy, USER, asks("read"), tells("read", "text"))
    after: Any = spy.seen[spy.names.index("post_tool_call")]
    assert (after.tool_input, after.tool_result, after.tool_name) == ({"path": "x"}, "text", "read")


class DenyAndSpy(Spy):
    @hookimpl
    def pre_tool_call(self, ctx: HookContext) -> None:
        raise HookAborted("never")


def test_a_denied_call_is_not_looked_at_again(replay: Replay) -> None:
    spy = DenyAndSpy()
    replay(spy, USER, asks("read"), tells("read"), ANSWER)
    assert "post_tool_call" not in spy.names
    assert spy.names[-1] == "execution_end"


@pytest.mark.parametrize("arguments", ['{"path": ', "[1]", "", None, '"text"'])
def test_arguments_that_do_not_parse_are_a_finding_and_deny_the_call(
    replay: Replay, ledger: Ledger, arguments: object
) -> None:
    spy = Spy()
    (finding,) = replay(spy, USER, asks("read", arguments), tells("read"))
    assert (finding["verdict"], finding["tool"], finding["plugin"]) == ("error", "read", None)
    assert "argument" in finding["reason"]
    assert "pre_tool_call" not in spy.names
    assert "post_tool_call" not in spy.names
    assert (ledger.errors, ledger.aborted) == (1, 0)


class Edit:
    @hookimpl
    def pre_tool_call(self, ctx: HookContext) -> None:
        ctx.payload["path"] = "/safe"

    @hookimpl
    def post_tool_call(self, ctx: HookContext) -> str:
        return "cleaned"


def test_an_edit_in_place_is_a_finding_with_a_diff(replay: Replay, ledger: Ledger) -> None:
    before, after = replay(Edit(), USER, asks("read"), tells("read"))
    assert before["diff"] == "@@ tool_input.path\n- x\n+ /safe"
    assert after["diff"] == "@@ tool_result\n- ok\n+ cleaned"
    assert [before["verdict"], before["effect"]] == ["modify", "applied"]
    assert ledger.modified == 2


def test_an_edit_does_not_carry_over_into_what_was_recorded(
    manager: HookManager, replay: Replay
) -> None:
    spy = Spy()
    manager.register(spy, name="spy")
    replay(Edit(), USER, asks("read"), tells("read"), ANSWER)
    after: Any = spy.seen[spy.names.index("post_tool_call")]
    assert after.tool_input == {"path": "x"}
    histories = [str(ctx.payload) for ctx in spy.seen if ctx.point == "pre_model_call"]
    assert "'ok'" in histories[-1]
    assert "cleaned" not in histories[-1]


class Mask:
    @hookimpl
    def pre_model_call(self, ctx: HookContext) -> list[Any]:
        return [
            {**one, "content": (one["content"] or "").replace("k-1", "[KEY_1]")}
            if "k-1" in (one["content"] or "")
            else one
            for one in ctx.payload
        ]


def test_a_change_of_a_message_is_found_once_when_it_first_appears(
    replay: Replay, ledger: Ledger
) -> None:
    again = {"role": "user", "content": "again: k-1"}
    found = replay(Mask(), USER, ANSWER, {"role": "user", "content": "hm"}, ANSWER, again, ANSWER)
    assert [(one["step"], one["point"]) for one in found] == [
        (1, "pre_model_call"),
        (3, "pre_model_call"),
    ]
    assert ledger.repeated == 1
    assert "messages[4]" in found[1]["diff"]
    assert "messages[0]" not in found[1]["diff"]


def test_a_value_that_a_placeholder_replaced_is_in_no_finding(replay: Replay) -> None:
    (finding,) = replay(Mask(), {"role": "user", "content": "a k-1-very-long"}, ANSWER)
    assert finding["diff"] == (
        "@@ messages[0].content\n- a [3 characters hidden]-very-long\n+ a [KEY_1]-very-long"
    )


class DenyWords:
    @hookimpl
    def pre_model_call(self, ctx: HookContext) -> None:
        if "k-1" in str(ctx.payload):
            raise HookAborted("a key in the history")


def test_an_abort_for_an_old_message_is_not_repeated(replay: Replay, ledger: Ledger) -> None:
    found = replay(DenyWords(), USER, ANSWER, {"role": "user", "content": "hm"}, ANSWER)
    assert [one["step"] for one in found] == [1]
    assert (ledger.aborted, ledger.repeated) == (1, 1)


class Broken:
    @hookimpl
    def pre_tool_call(self, ctx: HookContext) -> None:
        raise ValueError("secret detail")


class BrokenGate:
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: HookContext) -> None:
        raise ValueError("secret detail")


def test_a_failure_that_is_let_pass_is_an_error(
    replay: Replay, ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    (finding,) = replay(Broken(), USER, asks("read"))
    assert (finding["verdict"], finding["effect"]) == ("error", "ignored")
    assert "secret detail" not in str(finding)
    assert (ledger.errors, ledger.aborted) == (1, 0)
    assert not caplog.records


def test_a_failure_of_a_gate_is_an_error_and_an_abort(replay: Replay, ledger: Ledger) -> None:
    (finding,) = replay(BrokenGate(), USER, asks("read"), tells("read"))
    assert (finding["verdict"], finding["effect"]) == ("error", "applied")
    assert (ledger.errors, ledger.aborted, ledger.stats("p").aborted) == (1, 1, 1)


class Raises:
    @hookimpl(on_error="raise")
    def pre_tool_call(self, ctx: HookContext) -> None:
        raise ValueError("up")


def test_a_failure_that_reaches_the_host_does_not_end_the_replay(replay: Replay) -> None:
    (finding,) = replay(Raises(), USER, asks("read"), ANSWER)
    assert finding["verdict"] == "error"


class Exits:
    @hookimpl
    def pre_tool_call(self, ctx: HookContext) -> None:
        sys.exit(0)


def test_a_plugin_that_exits_does_not_end_the_replay(replay: Replay, ledger: Ledger) -> None:
    (finding,) = replay(Exits(), USER, asks("read"), tells("read"), ANSWER)
    assert (finding["verdict"], finding["reason"]) == ("error", "SystemExit")
    assert ledger.events == 9


class Pseudonyms:
    redacts = True

    @hookimpl
    def post_tool_call(self, ctx: HookContext) -> str:
        return str(ctx.payload).replace("miranda", "xw3")


class Shouts:
    @hookimpl(tryfirst=True)
    def post_tool_call(self, ctx: HookContext) -> str:
        return str(ctx.payload) + "!"


def test_what_one_plugin_declares_secret_is_in_no_finding_of_another(
    manager: HookManager, replay: Replay
) -> None:
    manager.register(Shouts(), name="shouts")
    found = replay(Pseudonyms(), USER, asks("read"), tells("read", "call miranda7 now"))
    assert {one["plugin"] for one in found} == {"shouts", "p"}
    assert "miranda7" not in str(found)


class Same:
    @hookimpl
    def post_tool_call(self, ctx: HookContext) -> Any:
        return str(ctx.payload)


def test_a_replacement_by_the_same_value_is_no_finding(replay: Replay, ledger: Ledger) -> None:
    assert replay(Same(), USER, asks("read"), tells("read")) == []
    assert ledger.modified == 0


class Twice:
    @hookimpl
    def pre_tool_call(self, ctx: HookContext) -> dict[str, Any]:
        return {**ctx.payload, "first": 1}

    @hookimpl(specname="pre_tool_call")
    def another(self, ctx: HookContext) -> dict[str, Any]:
        return {**ctx.payload, "second": 2}


def test_findings_are_unique_per_run_step_point_and_plugin(replay: Replay) -> None:
    (finding,) = replay(Twice(), USER, asks("read"))
    assert set(finding["diff"].splitlines()) == {
        "@@ tool_input.first",
        "+ 1",
        "@@ tool_input.second",
        "+ 2",
    }


def test_parallel_calls_are_steps_of_their_own(replay: Replay) -> None:
    both = {
        "role": "assistant",
        "tool_calls": [*asks("delete", identity="a")["tool_calls"] * 2],
    }
    found = replay(Deny(), USER, both)
    assert [one["step"] for one in found] == [2, 3]


class Async:
    @hookimpl
    async def pre_tool_call(self, ctx: HookContext) -> None:
        raise HookAborted("async says no")


def test_an_async_policy_is_replayed_too(replay: Replay) -> None:
    (finding,) = replay(Async(), USER, asks("read"))
    assert finding["reason"] == "async says no"


class Counting:
    @hookimpl
    def pre_tool_call(self, ctx: HookContext) -> None:
        ctx.state["calls"] = ctx.state.get("calls", 0) + 1
        if ctx.state["calls"] > 1:
            raise HookAborted("again")


def test_a_policy_keeps_its_state_for_one_run(manager: HookManager, ledger: Ledger) -> None:
    manager.register(Counting(), name="p")
    engine = Engine(manager, ledger)
    with engine.listening():
        for name in ("one", "two"):
            engine.replay(run_of(USER, asks("read"), asks("read"), name=name))
    assert [(one["run"], one["step"]) for one in ledger.findings()] == [("one", 4), ("two", 4)]
