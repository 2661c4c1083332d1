"""Each client is connected in each scope that it has, and given back to the byte."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hookcore_bridge.connect import calling, hooks
from hookcore_bridge.connect.client import SCOPES
from hookcore_bridge.connect.clients import CLIENTS
from hookcore_bridge.dialects import CLIENTS as DIALECTS
from hookcore_bridge.hook import thin

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PLACES = [
    (name, scope)
    for name, client in CLIENTS.items()
    for scope in SCOPES
    if scope != "managed" or client.managed is not None
]
THEIRS = '{"hooks": [{"type": "command", "command": "audit.sh"}]}'
COMMENTED = f"""\
// mine
{{
  "theme": "dark", // at night
  "hooks": {{
    "PreToolUse": [
      {THEIRS}
    ],
    "BeforeTool": [{THEIRS}]
  }}
}}
"""
PLAIN = COMMENTED.replace("// mine\n", "").replace(" // at night", "")
TOML = """\
# the company's rules
[features]
web_search = false # not yet

[[hooks.PreToolUse]]
[[hooks.PreToolUse.hooks]]
type = "command"
command = "audit.sh" # theirs
"""


def before(name: str, scope: str) -> str | None:
    """Return a file that somebody has kept by hand, where a client has such a file."""
    shape = CLIENTS[name].shape_in("managed" if scope == "managed" else "user")
    if shape in ("script", "handlers"):
        return None
    if shape == "tables":
        return TOML
    return COMMENTED if "comments" in CLIENTS[name].accepts else PLAIN


@pytest.mark.parametrize(("name", "scope"), PLACES)
def test_a_client_without_a_file_is_connected_and_left_without_one(
    machine: Any, name: str, scope: Any
) -> None:
    file: Path = machine.file(name, scope)
    there = {path for path in machine.root.rglob("*") if "state" not in path.parts}
    done = machine.hookctl("connect", name, f"--{scope}")
    assert (done.code, file.exists()) == (0, True)
    assert f"Connected {name}: {file}" in done.out
    assert machine.hookctl("disconnect", name, f"--{scope}").code == 0
    assert {path for path in machine.root.rglob("*") if "state" not in path.parts} == there
    assert machine.records == []


@pytest.mark.parametrize(("name", "scope"), [place for place in PLACES if before(*place)])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_file_kept_by_hand_keeps_all_that_it_had_and_is_given_back_to_the_byte(
    machine: Any, name: str, scope: Any, newline: str
) -> None:
    text = (before(name, scope) or "").replace("\n", newline)
    file = machine.write(machine.file(name, scope), text)
    file.chmod(0o640)
    assert machine.hookctl("connect", name, f"--{scope}").code == 0
    connected = file.read_bytes().decode()
    assert '"dark"' in connected or "# not yet" in connected
    assert (THEIRS if '"dark"' in connected else "# theirs") in connected
    assert connected.count(newline) == connected.count("\n")
    assert machine.hookctl("disconnect", name, f"--{scope}").code == 0
    assert file.read_bytes().decode() == text
    if scope != "managed":
        assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize(("name", "scope"), PLACES)
def test_connecting_again_changes_nothing(machine: Any, name: str, scope: Any) -> None:
    machine.hookctl("connect", name, f"--{scope}")
    once = machine.file(name, scope).read_bytes()
    again = machine.hookctl("connect", name, f"--{scope}")
    assert again.out.startswith(f"Already connected {name}: ")
    assert machine.file(name, scope).read_bytes() == once


@pytest.mark.parametrize(("name", "scope"), PLACES)
def test_every_event_of_the_dialect_calls_the_thin_client(
    machine: Any, name: str, scope: Any
) -> None:
    machine.hookctl("connect", name, f"--{scope}")
    client, text = CLIENTS[name], machine.file(name, scope).read_text()
    found = hooks.found(client, client.shape_in(scope), text)
    if client.shape == "script":
        assert f'"{sys.executable}", "-I", "-S"' in text
        assert all(f'"{event}"' in text for event in DIALECTS[name].events)
        assert '.join("\\n")' in text
        return
    assert list(found) == list(DIALECTS[name].events)
    for event, (command,) in found.items():
        words = shlex.split(command)
        at = words.index(str(calling.thin_client()))
        assert words[at - 3 : at] == [sys.executable, "-I", "-S"]
        assert words[-2:] == [name, event]
        assert words[0] in (sys.executable, "/bin/sh")


@pytest.mark.parametrize(
    ("was", "becomes"), [(0, 0), (1, 1), (2, 2), (126, 2), (127, 2), ("kill", 2), ("gone", 2)]
)
def test_a_hook_whose_program_is_gone_or_killed_denies(
    machine: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, was: int | str, becomes: int
) -> None:
    program = tmp_path / "it's python"
    if was != "gone":
        program.write_text(f"#!/bin/sh\n{'kill -9 $$' if was == 'kill' else f'exit {was}'}\n")
        program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    command = calling.hook_command("codex", "PreToolUse", "user")
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == becomes
    denied_by_us = becomes == 2 and was != 2
    assert ("reinstall hookcore-bridge" in done.stderr) is denied_by_us


def test_a_hook_is_told_where_your_files_are_when_they_are_not_where_they_usually_are(
    machine: Any,
) -> None:
    machine.hookctl("connect", "codex")
    assert f"HOME={machine.home}" in machine.file("codex", "user").read_text()
    machine.hookctl("connect", "codex", "--managed")
    assert "HOME=" not in machine.file("codex", "managed").read_text()


def test_nothing_is_told_of_usual_places(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, place in thin.surroundings({}).items():
        monkeypatch.setenv(name, place)
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    if "XDG_RUNTIME_DIR" not in thin.surroundings({}):
        monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    assert not any("=" in word for word in calling.hook_words("codex", "user"))


def test_a_hook_at_an_end_goes_on_when_its_program_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    done = subprocess.run(
        calling.hook_command("codex", "Stop", "user"), shell=True, capture_output=True, check=False
    )
    assert done.returncode == 127  # with 2 an agent would be told to go on, again and again


@pytest.mark.parametrize(("name", "scope"), [place for place in PLACES if before(*place)])
def test_what_others_add_meanwhile_stays_when_a_client_is_disconnected(
    machine: Any, name: str, scope: Any
) -> None:
    file = machine.write(machine.file(name, scope), before(name, scope) or "")
    machine.hookctl("connect", name, f"--{scope}")
    text = file.read_text()
    if file.suffix == ".toml":
        file.write_text(text + '\n[other]\nkey = "added"\n')
        expected = {**tomllib.loads(TOML), "other": {"key": "added"}}
        machine.hookctl("disconnect", name, f"--{scope}")
        assert tomllib.loads(file.read_text()) == expected
        assert "# theirs" in file.read_text()
        return
    file.write_text(text.replace('"dark"', '"light"'))
    assert machine.hookctl("disconnect", name, f"--{scope}").code == 0
    assert file.read_text() == (before(name, scope) or "").replace('"dark"', '"light"')


def test_a_file_of_ours_that_others_have_added_to_is_kept_with_what_they_added(
    machine: Any,
) -> None:
    machine.hookctl("connect", "claude-code")
    file = machine.file("claude-code", "user")
    file.write_text(json.dumps({**json.loads(file.read_text()), "theme": "dark"}))
    machine.hookctl("disconnect", "claude-code")
    assert json.loads(file.read_text()) == {"theme": "dark"}


def test_without_a_record_ours_is_still_told_from_theirs(machine: Any) -> None:
    file = machine.write(machine.file("claude-code", "user"), PLAIN)
    machine.hookctl("connect", "claude-code")
    for record in machine.records:
        record.write_text("{broken")
    assert machine.hookctl("disconnect", "claude-code").code == 0
    assert file.read_text() == PLAIN


def test_an_entry_of_another_installation_is_replaced(machine: Any, python: str) -> None:
    machine.hookctl("connect", "claude-code")
    file = machine.file("claude-code", "user")
    file.write_text(file.read_text().replace(python, "/opt/old/bin/python"))
    assert machine.hookctl("connect", "claude-code").out.startswith("Connected")
    assert "/opt/old" not in file.read_text()
    assert len(json.loads(file.read_text())["hooks"]["PreToolUse"]) == 1


def test_an_administrators_codex_keeps_hooks_on_and_the_old_value_comes_back(machine: Any) -> None:
    text = "[features]\nhooks = false # off\n"
    file = machine.write(machine.file("codex", "managed"), text)
    machine.hookctl("connect", "codex", "--managed")
    assert tomllib.loads(file.read_text())["features"] == {"hooks": True}
    assert "# off" in file.read_text()
    file.write_text(file.read_text() + "\n# added\n")
    machine.hookctl("disconnect", "codex", "--managed")
    assert file.read_text() == f"{text}\n# added\n"


def test_an_administrators_hooks_outside_of_the_marks_are_not_guessed_at(machine: Any) -> None:
    machine.hookctl("connect", "codex", "--managed")
    file = machine.file("codex", "managed")
    file.write_text(file.read_text().replace("# hookctl connect: end\n", ""))
    done = machine.hookctl("disconnect", "codex", "--managed")
    assert (done.code, "stand outside of '# hookctl connect: begin'" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("name", "switch"),
    [("gemini-cli", {"hooksConfig": {"enabled": True}}), ("qwen-code", {"disableAllHooks": False})],
)
def test_an_administrators_settings_keep_hooks_on(machine: Any, name: str, switch: Any) -> None:
    machine.hookctl("connect", name, "--managed")
    told = json.loads(machine.file(name, "managed").read_text())
    assert {key: told[key] for key in switch} == switch


def test_opencodes_administrator_names_the_plugin(machine: Any) -> None:
    text = '{\n  "plugin": ["theirs"], // mine\n}\n'
    listing = machine.file("opencode", "managed").with_name("opencode.json")
    machine.write(listing, text)
    done = machine.hookctl("connect", "opencode", "--managed")
    assert f"Changed {listing}" in done.out
    plugin = machine.file("opencode", "managed").as_uri()
    assert f'"plugin": ["theirs", "{plugin}"], // mine' in listing.read_text()
    once = listing.read_text()
    machine.hookctl("connect", "opencode", "--managed")
    assert listing.read_text() == once
    listing.write_text(once.replace("mine", "ours"))
    machine.hookctl("disconnect", "opencode", "--managed")
    assert listing.read_text() == text.replace("mine", "ours")


def test_an_administrators_file_can_be_read_by_everybody(machine: Any) -> None:
    before = os.umask(0o077)
    try:
        machine.hookctl("connect", "claude-code", "--managed")
    finally:
        os.umask(before)
    file = machine.file("claude-code", "managed")
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o755


def test_a_hook_has_a_name_that_a_repository_cannot_know(machine: Any) -> None:
    names = []
    for scope in ("user", "managed"):
        machine.hookctl("connect", "gemini-cli", f"--{scope}")
        text = machine.file("gemini-cli", scope).read_text()
        names += sorted(set(re.findall(r'"name": "(hookctl-[0-9a-f]{16})"', text)))
    assert len(names) == len(set(names)) == 2


def test_a_name_that_a_repository_brings_along_is_not_taken(machine: Any) -> None:
    told = {
        "hooks": {"BeforeTool": [{"hooks": [{"name": "hookctl-0", "command": "hookctl hook x"}]}]},
        "hooksConfig": {"disabled": ["hookctl-0"]},
    }
    file = machine.write(machine.file("gemini-cli", "project"), json.dumps(told))
    done = machine.hookctl("connect", "gemini-cli", "--project")
    handlers = [group["hooks"][0] for (group,) in json.loads(file.read_text())["hooks"].values()]
    assert {one["name"] for one in handlers} & {"hookctl-0"} == set()
    assert "Mind" not in done.err


def test_a_switch_that_is_off_already_is_told_of(machine: Any) -> None:
    off = machine.write(machine.project / ".claude" / "settings.json", '{"disableAllHooks": true}')
    done = machine.hookctl("connect", "claude-code")
    assert f"Mind: {off}: disableAllHooks = true there keeps claude-code from" in done.err


def test_a_link_to_a_file_stays_a_link(machine: Any) -> None:
    real = machine.write(machine.home / "dotfiles" / "claude.json", PLAIN)
    link = machine.file("claude-code", "user")
    link.parent.mkdir()
    link.symlink_to(real)
    machine.hookctl("connect", "claude-code")
    assert link.is_symlink()
    assert "hookcore_bridge" in real.read_text()
    machine.hookctl("disconnect", "claude-code")
    assert real.read_text() == PLAIN


def test_the_folder_that_a_variable_names_is_used(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(machine.root / "elsewhere"))
    machine.hookctl("connect", "codex")
    assert (machine.root / "elsewhere" / "hooks.json").exists()


def test_a_dry_run_shows_the_difference_and_writes_nothing(machine: Any) -> None:
    file = machine.write(machine.file("claude-code", "user"), PLAIN)
    done = machine.hookctl("connect", "claude-code", "--dry-run")
    assert f"--- {file}" in done.out
    assert '+            "onFailure": "block",' in done.out
    assert (file.read_text(), machine.records) == (PLAIN, [])
    machine.hookctl("connect", "claude-code")
    once = file.read_text()
    assert "-            " in machine.hookctl("disconnect", "claude-code", "--dry-run").out
    assert file.read_text() == once
    again = machine.hookctl("connect", "claude-code", "--dry-run")
    assert again.out == f"{file} says so already.\n"


def test_a_difference_shows_no_secret_that_stands_nearby(machine: Any) -> None:
    text = json.dumps({"apiKey": "sesame-1", "env": {"DB_PASSWORD": "sesame-2"}}, indent=2)
    machine.write(machine.file("claude-code", "user"), text)
    done = machine.hookctl("connect", "claude-code", "--dry-run")
    assert "sesame" not in done.out
    assert '"apiKey": "********"' not in done.err


def test_disconnecting_what_is_not_connected_says_where_it_is(machine: Any) -> None:
    machine.hookctl("connect", "claude-code", "--project")
    done = machine.hookctl("disconnect", "claude-code")
    assert done.code == 0
    assert done.out == "claude-code is not connected by --user. It is by --project.\n"


def test_a_second_scope_is_told_of(machine: Any) -> None:
    machine.hookctl("connect", "claude-code", "--project")
    done = machine.hookctl("connect", "claude-code")
    assert "is connected by --project too" in done.err
    assert "hookctl disconnect claude-code --project" in done.err


@pytest.mark.parametrize(
    ("name", "scope", "words"),
    [
        ("codex", "user", "Trust all and continue"),
        ("copilot", "project", "trust the folder when copilot asks"),
        ("gemini-cli", "project", "trust the folder when gemini asks"),
    ],
)
def test_it_says_what_has_to_be_pressed_and_presses_nothing(
    machine: Any, name: str, scope: str, words: str
) -> None:
    done = machine.hookctl("connect", name, f"--{scope}")
    assert words in done.out
    home = CLIENTS[name].home()
    assert not (home / "config.toml").exists()
    assert not (home / "config.json").exists()
    assert not (home / "trustedFolders.json").exists()
