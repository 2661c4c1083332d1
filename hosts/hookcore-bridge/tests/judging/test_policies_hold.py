"""The policies that are installed hold for every client as they do everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookcore_bridge.dialects import CLIENTS
from hookcore_bridge.serve.answering import Answering
from hookcore_bridge.serve.policies import Policies
from tests.conftest import bare_machine

from .telling import call_of

__all__ = ["bare_machine"]

SHELLS = {"claude-code": "Bash", "codex": "Bash", "gemini-cli": "run_shell_command",
          "qwen-code": "run_shell_command", "copilot": "bash", "opencode": "bash"}  # fmt: skip
READS = {"claude-code": ("Read", "file_path"), "gemini-cli": ("read_file", "absolute_path"),
         "qwen-code": ("read_file", "absolute_path"), "copilot": ("view", "path"),
         "opencode": ("read", "filePath")}  # fmt: skip
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2

Ask = Callable[..., str]


@pytest.fixture
def ask(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function: the answer to an event, as text, under a configuration."""
    monkeypatch.chdir("/")  # as a daemon does
    policies = Policies()
    answering = Answering(policies, 20.0)

    def answer(config: str, client: str, role: str, **facts: Any) -> str:
        (bare_machine / "hookcore.toml").write_text(config, encoding="utf-8")
        event, told = call_of(CLIENTS[client], role, **{"cwd": str(bare_machine), **facts})
        body = json.dumps(told).encode()
        return json.dumps(answering.answer(client, event, body))

    yield answer
    policies.close()


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("name", ["shell", "Bash", "run_shell_command", "exec_command"])
def test_one_name_of_a_tool_in_tool_policy_holds_for_every_client(
    client: str, name: str, ask: Ask
) -> None:
    config = f'[plugins.tool-policy]\nenabled = true\nsettings = {{ deny = ["{name}"] }}\n'
    facts = {"tool": SHELLS[client], "tool_input": {"command": "ls"}, "call_id": "c"}
    assert "not allowed by policy" in ask(config, client, "tool_before", **facts)


@pytest.mark.parametrize("client", CLIENTS)
def test_the_shell_guard_reads_the_commands_of_every_client(client: str, ask: Ask) -> None:
    config = "[plugins.shell-guard]\nenabled = true\n"
    facts = {"tool": SHELLS[client], "call_id": "c"}
    for command, is_denied in (("rm -rf / --no-preserve-root", True), ("ls", False)):
        answer = ask(config, client, "tool_before", tool_input={"command": command}, **facts)
        assert (answer != "{}") is is_denied


@pytest.mark.parametrize("client", READS)
def test_the_path_guard_knows_the_folder_of_every_client(client: str, ask: Ask) -> None:
    config = "[plugins.path-guard]\nenabled = true\n"
    tool, key = READS[client]
    for path, is_denied in (("/etc/passwd", True), ("notes.txt", False), ("../x", True)):
        answer = ask(config, client, "tool_before", tool=tool, tool_input={key: path}, call_id="c")
        assert (answer != "{}") is is_denied, (path, answer)


@pytest.mark.parametrize("client", CLIENTS)
def test_redact_keeps_keys_from_the_model(client: str, ask: Ask) -> None:
    result: Any = f"the key is {KEY}"
    if client == "claude-code":
        result = {"stdout": result, "stderr": "", "interrupted": False, "isImage": False}
    facts = {"tool": SHELLS[client], "tool_input": {"command": "env"}, "call_id": "c"}
    config = "[plugins.redact]\nenabled = true\n"
    ask(config, client, "tool_before", **facts)
    answer = ask(config, client, "tool_after", result=result, **facts)
    assert KEY not in answer
    assert "the key is [" in answer


def test_a_required_redact_is_in_force(ask: Ask) -> None:
    config = "[plugins.redact]\nenabled = true\nrequired = true\n"
    facts = {"tool": "Bash", "tool_input": {"command": "env"}, "call_id": "c"}
    answer = ask(config, "codex", "tool_after", result=f"the key is {KEY}", **facts)
    assert "the key is [" in answer
