"""The client that agents run, and the daemon that it starts: real processes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hookcore_bridge.hook import thin
from tests.waiting import until

REASON = "denied by tool-policy: the tool Bash is not allowed by policy"


def reason(out: bytes) -> str:
    return str(json.loads(out)["hookSpecificOutput"]["permissionDecisionReason"])


def test_a_daemon_is_started_on_demand_and_asked_again(home: Any) -> None:
    code, out, err = home.hook("claude-code", "PreToolUse")
    assert (code, reason(out), err) == (0, REASON, b"")
    first = home.pid()
    assert home.hook("claude-code", told=home.told(tool_name="Read"))[:2] == (0, b"{}")
    assert home.pid() == first


def test_many_that_find_no_daemon_start_one(home: Any) -> None:
    processes = [home.start("claude-code") for _ in range(6)]
    for process in processes:
        process.stdin.write(home.told())
        process.stdin.close()
        process.stdin = None
    for process in processes:
        out, err = process.communicate()
        assert (process.returncode, reason(out), err) == (0, REASON, b"")
    assert home.log().count("loaded the configuration") == 1


def test_after_a_daemon_was_killed_another_one_is_started(home: Any) -> None:
    home.hook("claude-code")
    first = home.pid()
    os.kill(first, signal.SIGKILL)
    code, out, _ = home.hook("claude-code")
    assert (code, reason(out)) == (0, REASON)
    assert home.pid() != first


def test_the_clients_environment_reaches_neither_the_daemon_nor_its_log(home: Any) -> None:
    home.hook("claude-code")
    environ = Path(f"/proc/{home.pid()}/environ")
    if environ.exists():
        assert b"hunter2" not in environ.read_bytes()
    assert "hunter2" not in home.log()


def test_a_repository_that_sets_variables_for_its_clients_changes_nothing(home: Any) -> None:
    evil = home.project / "evil"
    (evil / "hookcore").mkdir(parents=True)
    (evil / "hookcore" / "hookcore.toml").write_text("[hooks]\nenabled = false\n", encoding="utf-8")
    home.environment |= {"XDG_CONFIG_HOME": str(evil), "XDG_STATE_HOME": str(evil),
                         "HOOKCORE_HOOKS__ENABLED": "false", "PYTHONPATH": str(evil)}  # fmt: skip
    home.environment |= {"HOME": str(evil), "XDG_RUNTIME_DIR": str(evil)}
    assert reason(home.hook("claude-code")[1]) == REASON
    assert home.status() is not None
    assert not list(evil.glob("**/*.sock"))


def test_a_configuration_that_changes_counts_from_the_next_event_on(home: Any) -> None:
    home.hook("claude-code")
    (home.project / "hookcore.toml").write_text("[hooks]\n", encoding="utf-8")
    assert home.hook("claude-code")[1] == b"{}"
    (home.project / "hookcore.toml").write_text("[broken", encoding="utf-8")
    assert "'hookctl doctor'" in reason(home.hook("claude-code")[1])


def test_an_idle_daemon_ends_and_leaves_no_socket(home: Any) -> None:
    command = [sys.executable, "-m", "hookctl", "serve", "--idle", "0.1", "--no-http"]
    daemon = subprocess.Popen(command, env=home.environment, cwd="/", stderr=subprocess.PIPE)
    _, err = daemon.communicate(timeout=60)
    assert (daemon.returncode, b"ending" in err) == (0, True)


def test_a_second_daemon_leaves_the_field_to_the_first(home: Any) -> None:
    home.hook("claude-code")
    done = subprocess.run(
        [sys.executable, "-m", "hookctl", "serve"],
        env=home.environment, cwd="/", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, "running already" in done.stderr) == (0, True)


FAILURES = [
    ("claude-code", "PreToolUse", 2, None),
    ("claude-code", "PostToolUse", 0, {"continue": False}),
    ("claude-code", "Stop", 1, None),
    ("qwen-code", "PostToolUse", 0, {"continue": False}),
    ("copilot", "preToolUse", 0, {"permissionDecision": "deny"}),
    ("copilot", "userPromptSubmitted", 0, {"decision": "block"}),
    ("nobody", "PreToolUse", 2, None),
    ("../x", "PreToolUse", 2, None),
    ("HOOME=/x", "PreToolUse", 2, None),
]


@pytest.mark.parametrize(("client", "event", "code", "answer"), FAILURES)
def test_without_a_daemon_that_can_be_started_everything_is_denied(
    client: str, event: str, code: int, answer: dict[str, Any] | None, home: Any
) -> None:
    Path(f"{home.base}.sock").mkdir()  # nobody can listen there
    got, out, err = home.hook(client, event)
    assert got == code
    assert b"hookcore could not judge this" in err
    if answer is None:
        assert out == b""
    else:
        assert answer.items() <= json.loads(out).items()


class Server:
    """A socket whose other end does not behave."""

    def __init__(self, base: str) -> None:
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(f"{base}.sock")
        self.listening.listen()

    def says(self, answer: bytes) -> None:
        connection, _ = self.listening.accept()
        connection.recv(65536)
        connection.sendall(answer)
        connection.close()


ODD = [
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
    b"HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n{broken",
    b"HTTP/1.1 500 Oh\r\ncontent-length: 2\r\n\r\n{}",
    b"HTTP/1.1 400 Oh\r\ncontent-length: 2\r\n\r\n{}",
    b"\x00\xff\r\n\r\n",
]


@pytest.mark.parametrize("answer", ODD)
def test_an_answer_that_is_not_whole_is_a_denial(answer: bytes, home: Any) -> None:
    server = Server(home.base)
    process = home.start("codex", "PreToolUse")
    process.stdin.write(home.told())
    process.stdin.close()
    process.stdin = None
    server.says(answer)
    out, err = process.communicate()
    server.listening.close()
    Path(f"{home.base}.sock").unlink()
    assert (process.returncode, out) == (2, b"")
    assert b"denied" in err


def test_a_daemon_that_does_not_answer_is_a_denial_in_time(
    home: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(home.base)
    monkeypatch.setattr(thin, "DEADLINE", 0.05)
    out, err, code = thin.run(home.places, "codex", "PreToolUse", home.told())
    server.listening.close()
    Path(f"{home.base}.sock").unlink()
    assert (out, code) == ("", 2)
    assert "denied" in err


def test_a_daemon_that_is_told_to_end_ends_while_somebody_is_connected(home: Any) -> None:
    home.hook("claude-code")
    with socket.socket(socket.AF_UNIX) as idle:
        idle.connect(f"{home.base}.sock")
        os.kill(home.pid(), signal.SIGTERM)
        until(lambda: home.status() is None)


def test_a_daemon_that_hangs_up_is_followed_by_another_one(home: Any) -> None:
    server = Server(home.base)
    process = home.start("codex", "PreToolUse")
    process.stdin.write(home.told())
    process.stdin.close()
    process.stdin = None
    connection, _ = server.listening.accept()
    server.listening.close()
    connection.close()
    out, _ = process.communicate()
    assert reason(out) == REASON


def test_a_new_distribution_starts_the_daemon_anew(home: Any) -> None:
    site = home.root / "site"
    site.mkdir()
    daemon = subprocess.Popen(
        [sys.executable, "-m", "hookctl", "serve", "--no-http"],
        env={**home.environment, "PYTHONPATH": str(site)}, cwd="/", stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    until(lambda: home.status() is not None)
    (site / "new-1.0.dist-info").mkdir()
    assert daemon.stderr is not None
    assert any("starting anew" in line for line in daemon.stderr)
    code, out, _ = home.hook("claude-code")
    assert (code, reason(out)) == (0, REASON)
    assert home.pid() == daemon.pid
    home.end()
    assert daemon.wait(60) == 0
    daemon.stderr.close()
