"""The log where it works: in a manager, told of decisions and of calls."""

from __future__ import annotations

import json
import logging
import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, RegistrationError, ToolCallContext, hookimpl
from hookcore_audit import Audit, AuditSettings, verify
from hookcore_audit._signing import SigningKey

SECRET = "hunter2-hunter2"


class Deny:
    @hookimpl(tools=["rm"])
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        raise HookAborted("no removing", source="rules")


class Host:
    """A manager with the plugin, and what was recorded so far."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.plugin = Audit(AuditSettings(path=folder, **settings))
        self.manager = HookManager()
        self.manager.register(self.plugin, name="audit")
        self.manager.register(Deny(), name="rules")

    def call(self, name: str = "shell", result: Any = "done", **fields: Any) -> Any:
        return self.manager.call_tool(name, {"password": SECRET}, lambda _: result, **fields)

    def wait_until_away(self) -> None:
        """Wait until the thread has noticed that nothing can be written."""
        writer, pause = self.plugin._writer, threading.Event()
        assert writer is not None
        for _ in range(10_000):
            if writer.away is not None:
                return
            pause.wait(0.005)
        raise AssertionError("it never noticed")

    def records(self) -> list[dict[str, Any]]:
        assert self.plugin.flush(60)
        files = sorted(self.folder.glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_bytes().splitlines()]

    def bodies(self, kind: str) -> list[dict[str, Any]]:
        return [each["body"] for each in self.records() if each["kind"] == kind]


@pytest.fixture
def host(folder: Path) -> Iterator[Host]:
    made = Host(folder)
    yield made
    made.plugin.close()


@contextmanager
def full_disk() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_call_is_recorded_with_all_that_is_known_of_it(host: Host) -> None:
    agent = SimpleNamespace(role="researcher")
    host.call(session_id="s1", agent=agent, run_id="r1", call_id="c1")
    (body,) = host.bodies("call")
    assert body.pop("us") >= 0
    assert body == {
        "tool": "shell",
        "status": "ok",
        "entered": True,
        "agent": "researcher",
        "run_id": "r1",
        "session_id": "s1",
        "call_id": "c1",
    }


def test_a_denial_is_recorded_with_who_said_so_and_why(host: Host) -> None:
    host.call("rm", on_denied="return", call_id="c1")
    (body,) = host.bodies("decision")
    assert body["us"] >= 0
    assert {**body, "us": 0} == {
        "point": "pre_tool_call",
        "outcome": "aborted",
        "tool": "rm",
        "call_id": "c1",
        "reason": "no removing",
        "source": "rules",
        "us": 0,
        "hooks": [
            {"plugin": "rules", "hook": "pre_tool_call", "verdict": "deny", "effect": "applied"}
        ],
    }
    assert host.bodies("call") == [
        {"tool": "rm", "status": "denied", "entered": False, "call_id": "c1"}
    ]


def test_neither_arguments_nor_results_nor_errors_are_written(host: Host) -> None:
    def fails(_: Any) -> None:
        raise KeyError(SECRET)

    host.call(result=SECRET)
    with pytest.raises(KeyError):
        host.manager.call_tool("shell", {"password": SECRET}, fails)
    assert [body.get("error") for body in host.bodies("call")] == [None, "KeyError"]
    assert SECRET not in json.dumps(host.records())


@pytest.mark.parametrize("name", ["\ud800\n\x00", "x" * 100_000, '"},{"seq":0}\n'])
def test_a_name_that_a_model_made_odd_is_one_record(host: Host, name: str) -> None:
    host.call(name)
    (body,) = host.bodies("call")
    assert len(body["tool"]) <= 500
    assert verify(host.folder).findings == []


def test_ids_and_agents_of_any_kind_are_told_by_their_class(host: Host) -> None:
    odd: Any = object()
    host.call(session_id=odd, run_id=2**80, agent=odd)
    (body,) = host.bodies("call")
    assert (body["session_id"], body["agent"]) == ("<object>", "object")
    assert body["run_id"] == str(2**80)
    assert verify(host.folder).findings == []


def test_that_this_plugin_alone_let_pass_is_no_decision(host: Host) -> None:
    host.call()
    assert host.bodies("decision") == []
    assert len(host.bodies("call")) == 1


def test_a_dry_run_writes_nothing(host: Host) -> None:
    host.manager.dispatch("tool_finished", ToolCallContext(tool_name="t", dry_run=True))
    assert host.bodies("call") == []


def test_calls_are_denied_while_nothing_can_be_written_and_recorded_once_it_can(
    host: Host, caplog: pytest.LogCaptureFixture
) -> None:
    with full_disk():
        host.call("last")  # it cannot be known yet
        host.wait_until_away()
        with pytest.raises(HookAborted) as denied:
            host.call("refused")
    assert denied.value.reason == (
        'audit: nothing can be recorded (OSError) and when_away is "deny"'
    )
    assert SECRET not in str(denied.value.message)
    host.plugin.flush(60)
    host.call("next")
    told = [(body["tool"], body["status"]) for body in host.bodies("call")]
    assert told == [("last", "ok"), ("refused", "denied"), ("next", "ok")]
    assert verify(host.folder).findings == []


def test_calls_go_on_while_nothing_can_be_written_where_the_settings_say_so(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    host = Host(folder, when_away="allow")
    with full_disk():
        host.call()
        host.wait_until_away()
        assert host.call() == "done"
    assert len(host.bodies("call")) == 2
    host.plugin.close()


def test_calls_are_denied_while_too_many_records_wait(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hookcore_audit._writer._FULL", 0)
    with pytest.raises(HookAborted, match="records wait"):
        host.call()


def test_a_disk_that_does_not_keep_what_is_written_is_a_failure_and_nothing_is_written_twice(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = Host(folder, fsync="always")

    def fails(_: int) -> None:
        raise OSError("no")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fails)
        host.call("last")
        host.plugin.flush(60)
        with pytest.raises(HookAborted, match="nothing can be recorded"):
            host.call("refused")
    host.plugin.close()
    assert [body["tool"] for body in host.bodies("call")] == ["last", "refused"]


def test_what_was_lost_is_told_in_the_log(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("hookcore_audit._writer._BOUND", 5)
    host = Host(folder, when_away="allow")
    with full_disk():
        for _ in range(20):
            host.call()
    assert host.bodies("lost") != []
    report = verify(folder)
    assert report.whole
    assert report.records - 1 + report.lost >= 20
    host.plugin.close()


def test_the_end_is_signed_and_told_when_the_log_is_closed(
    folder: Path,
    key: SigningKey,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("AUDIT_KEY", key.secret())
    caplog.set_level(logging.INFO, logger="hookcore_audit.anchor")
    host = Host(folder, sign_key_env="AUDIT_KEY")
    host.call()
    host.plugin.close()
    report = verify(folder, public_keys=[key.public])
    assert report.findings == []
    assert report.last is not None
    assert report.signed == report.last.seq - 1
    assert caplog.messages[-1] == f"hookcore-audit anchor {report.last}"


@pytest.mark.parametrize("where", ["file", "stderr"])
def test_an_anchor_is_told_where_the_settings_say(
    where: str, folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    anchors = tmp_path / "anchors"
    host = Host(folder, anchor=str(anchors) if where == "file" else where)
    host.call()
    host.plugin.close()
    text = anchors.read_text("utf-8") if where == "file" else capfd.readouterr().err
    assert text == f"hookcore-audit anchor {verify(folder).last}\n"


def test_an_anchor_that_cannot_be_told_is_logged_and_denies_nothing(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    host = Host(folder, anchor=str(tmp_path / "none" / "anchors"))
    host.call()
    host.plugin.close()
    assert "anchor cannot be written" in caplog.text
    assert host.call() == "done"
    host.plugin.close()


def test_a_folder_that_cannot_be_written_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        Audit(AuditSettings(path=tmp_path / "file" / "audit"))


@pytest.mark.parametrize(
    ("value", "why"), [("", "is not set"), ("abc", "is not 32 bytes in base64: make one with")]
)
def test_a_key_that_cannot_be_read_stops_the_start_and_is_not_shown(
    value: str, why: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIT_KEY", value)
    with pytest.raises(ValueError, match=why):
        Audit(AuditSettings(path=folder, sign_key_env="AUDIT_KEY"))


def test_settings_that_mean_nothing_are_refused() -> None:
    for given in ({"anchor": "https://x"}, {"max_mb": 0}, {"fsync": "no"}, {"pfad": "x"}):
        with pytest.raises(RegistrationError):
            HookManager().register(Audit, settings=given)


def test_the_distribution_offers_the_plugin_as_an_entry_point() -> None:
    (entry,) = entry_points(group="hookcore.plugins", name="audit")
    assert entry.load() is Audit
