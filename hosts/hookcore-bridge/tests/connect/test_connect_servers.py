"""``connect --mcp`` puts the proxy before the MCP servers that a client starts, and takes it away."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from hookcore_bridge.connect import calling, ready

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SERVERS: dict[str, dict[str, Any]] = {
    "files": {"command": "npx", "args": ["-y", "server-files", "--", "/srv"], "env": {"A": "b"}},
    "bare": {"command": "server"},
    "far": {"type": "http", "url": "https://mcp.example.org"},
}
TOML = """\
model = "large" # mine

[mcp_servers.files]
command = "npx" # theirs
args = ["-y", "server-files"]
[mcp_servers.far]
url = "https://mcp.example.org"
"""


@pytest.fixture(autouse=True)
def proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this be an installation that has the proxy."""
    monkeypatch.setattr(ready, "further_commands", lambda: {"mcp": None})


def proxied(name: str, *words: str) -> dict[str, Any]:
    command, *rest = calling.proxied(name, list(words))
    return {"command": command, "args": rest}


@pytest.mark.parametrize(
    ("name", "scope", "place"),
    [
        ("claude-code", "user", "home/.claude.json"),
        ("claude-code", "project", "project/.mcp.json"),
        ("gemini-cli", "user", "home/.gemini/settings.json"),
        ("gemini-cli", "project", "project/.gemini/settings.json"),
        ("qwen-code", "user", "home/.qwen/settings.json"),
        ("copilot", "user", "home/.copilot/mcp-config.json"),
    ],
)
def test_servers_that_a_command_starts_get_the_proxy_and_lose_it_again(
    machine: Any, name: str, scope: str, place: str
) -> None:
    text = json.dumps({"mcpServers": SERVERS, "other": 1}, indent=3)
    file: Path = machine.write(machine.root / place, text)
    done = machine.hookctl("connect", name, f"--{scope}", "--mcp")
    assert "'hookctl mcp' stands before files, bare" in done.out
    assert "The proxy is not put before far: no command starts them" in done.err
    told = json.loads(file.read_text())["mcpServers"]
    assert told == {
        "files": {
            **SERVERS["files"],
            **proxied("files", "npx", "-y", "server-files", "--", "/srv"),
        },
        "bare": proxied("bare", "server"),
        "far": SERVERS["far"],
    }
    machine.hookctl("disconnect", name, f"--{scope}")
    assert file.read_text() == text


def test_servers_of_one_project_in_claude_codes_own_file_get_it_too(machine: Any) -> None:
    told = {"projects": {"/p": {"mcpServers": {"bare": {"command": "server", "args": []}}}}}
    file = machine.write(machine.home / ".claude.json", json.dumps(told))
    machine.hookctl("connect", "claude-code", "--mcp")
    found = json.loads(file.read_text())["projects"]["/p"]["mcpServers"]["bare"]
    assert found == proxied("bare", "server")


def test_codex_names_servers_in_toml(machine: Any) -> None:
    file = machine.write(machine.home / ".codex" / "config.toml", TOML)
    machine.hookctl("connect", "codex", "--mcp")
    told = tomllib.loads(file.read_text())["mcp_servers"]
    assert told["files"] == proxied("files", "npx", "-y", "server-files")
    assert "# mine" in file.read_text()
    machine.hookctl("disconnect", "codex")
    assert file.read_text() == TOML


def test_opencode_has_command_and_arguments_in_one_list(machine: Any) -> None:
    text = '{\n  // mine\n  "mcp": {"files": {"type": "local", "command": ["npx", "x"]},},\n}\n'
    file = machine.write(machine.home / ".config" / "opencode" / "opencode.json", text)
    machine.hookctl("connect", "opencode", "--mcp")
    assert json.dumps(calling.proxied("files", ["npx", "x"])) in file.read_text()
    machine.hookctl("disconnect", "opencode")
    assert file.read_text() == text


def test_opencodes_other_file_is_found(machine: Any) -> None:
    text = json.dumps({"mcp": {"files": {"type": "local", "command": ["npx", "x"]}}})
    file = machine.write(machine.project / "opencode.jsonc", text)
    machine.hookctl("connect", "opencode", "--project", "--mcp")
    told = json.loads(file.read_text())["mcp"]["files"]["command"]
    assert told == calling.proxied("files", ["npx", "x"])
    machine.hookctl("disconnect", "opencode", "--project")
    assert file.read_text() == text


def test_where_no_server_is_named_it_says_so(machine: Any) -> None:
    done = machine.hookctl("connect", "claude-code", "--mcp")
    assert f"{machine.home / '.claude.json'} names no MCP server" in done.out
    assert not (machine.home / ".claude.json").exists()


def test_half_a_character_in_an_argument_stays_half_a_character(machine: Any) -> None:
    text = '{"mcpServers": {"s": {"command": "server", "args": ["\\ud800"]}}}'
    file = machine.write(machine.home / ".claude.json", text)
    assert machine.hookctl("connect", "claude-code", "--mcp").code == 0
    assert '"\\ud800"' in file.read_text()


def test_a_file_that_the_client_has_written_anew_loses_the_proxy_all_the_same(
    machine: Any,
) -> None:
    file = machine.write(machine.home / ".claude.json", json.dumps({"mcpServers": SERVERS}))
    machine.hookctl("connect", "claude-code", "--mcp")
    told = json.loads(file.read_text())
    file.write_text(json.dumps({**told, "numStartups": 2}, indent=2))
    machine.hookctl("disconnect", "claude-code")
    bare = {"command": "server", "args": []}
    expected = {"mcpServers": {**SERVERS, "bare": bare}, "numStartups": 2}
    assert json.loads(file.read_text()) == expected


def test_connecting_again_keeps_the_proxy_until_it_is_taken_away(machine: Any) -> None:
    text = json.dumps({"mcpServers": SERVERS})
    file = machine.write(machine.home / ".claude.json", text)
    machine.hookctl("connect", "claude-code", "--mcp")
    once = file.read_text()
    machine.hookctl("connect", "claude-code")
    assert file.read_text() == once
    machine.hookctl("connect", "claude-code", "--no-mcp")
    assert file.read_text() == text


def test_without_being_asked_no_server_is_touched_or_read(machine: Any) -> None:
    file = machine.write(machine.home / ".claude.json", "{broken")
    assert machine.hookctl("connect", "claude-code").code == 0
    assert file.read_text() == "{broken"
    done = machine.hookctl("connect", "claude-code", "--mcp")
    assert (done.code, f"{file}, line 1: this is no JSON" in done.err) == (2, True)


def test_the_difference_shows_no_secret_among_the_arguments(machine: Any) -> None:
    secret = {"command": "server", "args": ["--api-key", "sesame", "--url", "https://u:pw@x"]}
    file = machine.write(machine.home / ".claude.json", json.dumps({"mcpServers": {"s": secret}}))
    file.write_text(json.dumps(json.loads(file.read_text()), indent=2))
    done = machine.hookctl("connect", "claude-code", "--mcp", "--dry-run")
    assert '"--api-key"' in done.out
    assert "sesame" not in done.out
    assert "pw" not in done.out


def test_the_difference_in_toml_shows_no_secret_either(machine: Any) -> None:
    text = "[mcp_servers.s]\ncommand = 'server' # mine\nargs = ['--api-key', \"ses\\u0061me\"]\n"
    machine.write(machine.home / ".codex" / "config.toml", text)
    done = machine.hookctl("connect", "codex", "--mcp", "--dry-run")
    assert "--api-key" in done.out
    assert "ses" not in done.out.replace("session", "")


def test_an_installation_without_the_proxy_says_what_to_install(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready, "further_commands", dict)
    done = machine.hookctl("connect", "claude-code", "--mcp")
    assert (done.code, "pip install --upgrade hookcore-bridge" in done.err) == (2, True)


def test_the_administrator_has_no_servers(machine: Any) -> None:
    done = machine.hookctl("connect", "claude-code", "--managed", "--mcp")
    assert (done.code, "leave --managed out" in done.err) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ["npx", "mcp", "--", "x"],
        ["server", "--", "mcp"],
        ["/usr/bin/hookctl", "mcp"],
        ["hookctl", "replay", "mcp", "--", "x"],
        ["python", "-m", "hookctl", "mcp", "--", "x"],
        ["hookctl", "mcp", "--url", "https://x", "--", "x"],
        ["hookctl", "mcp", "--"],
    ],
)
def test_a_command_of_others_is_not_taken_for_the_proxy(words: list[str]) -> None:
    assert calling.unproxied(words) is None


@pytest.mark.parametrize("front", [["/a/hookctl"], ["/a/python3", "-I", "-m", "hookctl"]])
@pytest.mark.parametrize("options", [[], ["--name=mcp"], ["--name=--"]])
def test_the_proxy_of_any_installation_is_known(front: list[str], options: list[str]) -> None:
    server = ["npx", "mcp", "--", "x"]
    assert calling.unproxied([*front, "mcp", *options, "--", *server]) == server
