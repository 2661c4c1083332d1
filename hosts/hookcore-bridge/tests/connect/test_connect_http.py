"""``connect --http`` lets Claude Code ask about tools by requests, which bear a token."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from hookcore_bridge.serve.places import Http, places

PROGRAMS = {"SessionStart", "SessionEnd", "UserPromptSubmit", "Stop"}


@pytest.fixture(autouse=True)
def runtime(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = machine.root / "run"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))


def handlers(file: Path) -> dict[str, dict[str, Any]]:
    told = json.loads(file.read_text())["hooks"]
    return {event: group["hooks"][0] for event, (group,) in told.items()}


def test_tools_are_asked_about_by_requests_and_all_else_by_programs(machine: Any) -> None:
    assert machine.hookctl("connect", "claude-code", "--http").code == 0
    found = handlers(machine.file("claude-code", "user"))
    known = places().http()
    assert known.port > 0
    assert {event for event, one in found.items() if one["type"] == "command"} == PROGRAMS
    assert found["PreToolUse"] == {
        "type": "http",
        "url": f"http://127.0.0.1:{known.port}/v1/hooks/claude-code/PreToolUse",
        "headers": {"Authorization": f"Bearer {known.token}"},
        "onFailure": "block",
        "timeout": 10,
    }


def test_nobody_else_can_read_the_token_and_the_permissions_come_back(machine: Any) -> None:
    file = machine.write(machine.file("claude-code", "user"), "{}")
    file.chmod(0o644)
    machine.hookctl("connect", "claude-code", "--http")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    machine.hookctl("disconnect", "claude-code")
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("{}", 0o644)


def test_connecting_again_stays_with_requests_until_they_are_taken_away(machine: Any) -> None:
    machine.hookctl("connect", "claude-code", "--http")
    file = machine.file("claude-code", "user")
    once = file.read_text()
    assert machine.hookctl("connect", "claude-code").out.startswith("Already connected")
    assert file.read_text() == once
    machine.hookctl("connect", "claude-code", "--no-http")
    assert {one["type"] for one in handlers(file).values()} == {"command"}


def test_without_a_record_requests_of_ours_are_taken_out_too(machine: Any) -> None:
    text = (
        '{"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:9/"}]}]}}'
    )
    file = machine.write(machine.file("claude-code", "user"), text)
    machine.hookctl("connect", "claude-code", "--http")
    machine.records[0].unlink()
    machine.hookctl("disconnect", "claude-code")
    assert file.read_text() == text


def test_a_dry_run_shows_no_token_and_chooses_no_port(machine: Any) -> None:
    done = machine.hookctl("connect", "claude-code", "--http", "--dry-run")
    assert '"type": "http"' in done.out
    known = places().http()
    assert known.port == 0
    assert known.token not in done.out


def test_the_record_does_not_hold_the_token(machine: Any) -> None:
    machine.hookctl("connect", "claude-code", "--http")
    (record,) = machine.records
    assert places().http().token not in record.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["codex", "--http"], "codex has no hooks that are HTTP requests"),
        (["claude-code", "--http", "--project"], "--http goes with --user only"),
    ],
)
def test_where_requests_cannot_be_they_are_refused(
    machine: Any, arguments: list[str], message: str
) -> None:
    done = machine.hookctl("connect", *arguments)
    assert (done.code, message in done.err) == (2, True)


def test_a_broken_file_of_the_daemon_is_told_of(machine: Any) -> None:
    machine.hookctl("connect", "claude-code", "--http")
    (kept,) = (machine.root / "state" / "hookcore").glob("bridge-*.json")
    kept.write_text("{}")
    done = machine.hookctl("connect", "claude-code")
    assert (done.code, "does not hold a port and a token" in done.err) == (3, True)
    assert machine.findings()["gone"]["severity"] == "error"


def test_doctor_finds_requests_that_lead_nowhere(machine: Any) -> None:
    machine.hookctl("connect", "claude-code", "--http")
    assert "gone" not in machine.findings()
    known = places().http()
    places().keep(Http(known.port + 1, known.token))
    assert "asks where no daemon of yours answers" in machine.findings()["gone"]["message"]
    machine.hookctl("connect", "claude-code")
    assert "gone" not in machine.findings()
    places().keep(Http(known.port + 1, "another"))
    assert machine.findings()["gone"]["fix"] == "hookctl connect claude-code --user"


def test_doctor_warns_when_others_can_read_the_token(machine: Any) -> None:
    machine.hookctl("connect", "claude-code", "--http")
    machine.file("claude-code", "user").chmod(0o644)
    found = machine.findings()["readable"]
    assert (found["severity"], found["fix"].split()[0]) == ("warning", "chmod")
