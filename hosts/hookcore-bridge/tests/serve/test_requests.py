"""Requests over HTTP: who is let in, and what each gets."""

from __future__ import annotations

import json
import socket
import time
from typing import Any

import pytest

from hookcore_bridge.hook.thin import ask
from hookcore_bridge.serve.asking import get
from tests.waiting import until

SHELL = {
    "session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash",
    "tool_input": {"command": "ls"}, "tool_use_id": "c1",
}  # fmt: skip
DENIED = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "denied by no-shell.pre_tool_call: No commands today.",
    }
}
PATH = "/v1/hooks/claude-code"


def test_events_are_answered_one_after_the_other_on_one_connection(client: Any) -> None:
    assert client.post(PATH, SHELL) == (200, DENIED)
    assert client.post(PATH, {**SHELL, "tool_name": "Read"}) == (200, {})
    assert client.post(f"{PATH}/PreToolUse", SHELL) == (200, DENIED)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer"}, 401),
        ({"Authorization": ""}, 401),
        ({"Origin": "http://localhost"}, 403),
        ({"Host": "evil.example"}, 403),
    ],
)
def test_who_does_not_bear_the_token_or_comes_from_a_browser_is_refused(
    headers: dict[str, str], status: int, client: Any
) -> None:
    got, answer = client.post(PATH, SHELL, **headers)
    assert got == status
    assert "error" in answer


@pytest.mark.parametrize("body", [b"{broken", b"[]", b'{"session_id": 3}', b"\xff", b"[" * 100_000])
def test_what_cannot_be_read_is_denied_where_the_event_is_known(body: bytes, client: Any) -> None:
    status, answer = client.post(f"{PATH}/PreToolUse", body)
    assert status == 200
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/hooks/emacs", 400),
        ("/v1/hooks/", 400),
        (f"{PATH}/PreCompact", 400),
        (PATH, 400),
        ("/other", 404),
    ],
)
def test_what_no_hook_asks_is_an_error_and_never_a_pass(
    path: str, status: int, client: Any
) -> None:
    got, answer = client.post(path, b"{}")
    assert got == status
    assert "error" in answer


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("Content-Length: 1000000000000", 413),
        ("Transfer-Encoding: chunked", 411),
        ("Content-Length: -1", 411),
        ("X-None: 1", 411),
    ],
)
def test_a_body_without_a_length_or_with_too_much_is_refused(
    header: str, status: int, socket_path: str
) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(socket_path)
        one.sendall(f"POST {PATH} HTTP/1.1\r\n{header}\r\n\r\n".encode())
        assert one.recv(64).split(b" ")[1] == str(status).encode()


def test_the_socket_needs_no_token(socket_path: str) -> None:
    known = {"XDG_RUNTIME_DIR": socket_path.rsplit("/", 2)[0]}
    answer = ask(known, PATH, json.dumps(SHELL).encode(), time.monotonic() + 20)
    assert json.loads(answer) == DENIED

    def status() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(get(socket_path, "/v1/status"))
        return found

    until(lambda: status()["active"] == 0)
    assert (status()["answered"], status()["open_calls"]) == (1, 0)


def test_a_client_that_hangs_up_in_the_middle_harms_nobody(socket_path: str) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(socket_path)
        one.sendall(f"POST {PATH} HTTP/1.1\r\nContent-Length: 99\r\n\r\n{{".encode())
    known = {"XDG_RUNTIME_DIR": socket_path.rsplit("/", 2)[0]}
    answer = ask(known, PATH, json.dumps(SHELL).encode(), time.monotonic() + 20)
    assert json.loads(answer) == DENIED


def test_a_session_keeps_the_configuration_of_the_folder_that_it_began_in(
    answering: Any, tmp_path: Any
) -> None:
    asked: list[str] = []
    real = answering._policies.judge_of

    def judge_of(folder: str, deadline: Any) -> Any:
        asked.append(folder)
        return real(folder, deadline)

    answering._policies.judge_of = judge_of
    for session, cwd in (("s", "/"), ("s", str(tmp_path)), ("t", str(tmp_path))):
        told = {**SHELL, "session_id": session, "cwd": cwd}
        answering.answer("claude-code", None, json.dumps(told).encode())
    assert asked == ["/", "/", str(tmp_path)]
