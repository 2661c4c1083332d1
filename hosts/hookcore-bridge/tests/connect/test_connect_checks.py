"""``hookctl doctor`` tells whether a connected client's hooks are in force, and their limits."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from hookcore_bridge.connect import checks, trusting
from hookcore_bridge.connect.clients import CLIENTS

OURS = {"skipped", "partial", "gone", "off", "loose", "untrusted", "connected-twice", "unseen"}


def errors(machine: Any) -> dict[str, dict[str, Any]]:
    return {code: one for code, one in machine.findings().items() if one["severity"] == "error"}


def test_nothing_is_said_of_clients_that_are_not_connected(machine: Any) -> None:
    machine.write(machine.project / ".claude" / "settings.json", '{"disableAllHooks": true}')
    assert OURS.isdisjoint(machine.findings())


@pytest.mark.parametrize("name", [name for name in CLIENTS if name != "codex"])
def test_a_client_that_is_connected_has_no_error(machine: Any, name: str) -> None:
    machine.hookctl("connect", name)
    assert errors(machine) == {}


@pytest.mark.parametrize(
    ("name", "file", "switch"),
    [
        ("claude-code", "project/.claude/settings.json", {"disableAllHooks": True}),
        ("claude-code", "project/.claude/settings.local.json", {"disableAllHooks": True}),
        ("gemini-cli", "project/.gemini/settings.json", {"hooksConfig": {"enabled": False}}),
        ("gemini-cli", "home/.gemini/settings.json", {"hooksConfig": {"enabled": False}}),
        ("qwen-code", "project/.qwen/settings.json", {"disableAllHooks": True}),
        ("copilot", "project/.github/copilot/settings.json", {"disableAllHooks": True}),
    ],
)
def test_a_file_that_switches_hooks_off_is_named(
    machine: Any, name: str, file: str, switch: Any
) -> None:
    machine.hookctl("connect", name)
    place: Path = machine.root / file
    told = json.loads(place.read_text()) if place.exists() else {}
    machine.write(place, json.dumps({**told, **switch}))
    found = errors(machine)["off"]
    assert found["subject"] == str(place)
    assert f"keeps {name} from running the hooks of" in found["message"]
    assert f"take it out of {place}" in found["fix"]


def test_a_codex_project_that_switches_hooks_off_is_named(machine: Any) -> None:
    machine.hookctl("connect", "codex")
    file = machine.project / ".codex" / "config.toml"
    machine.write(file, "[features]\nhooks = false\n")
    found = errors(machine)["off"]
    assert found["subject"] == str(file)
    assert "sudo hookctl connect codex --managed" in found["fix"]


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini-cli", "qwen-code"])
def test_an_administrators_hooks_hold_against_a_projects_switch(machine: Any, name: str) -> None:
    machine.hookctl("connect", name, "--managed")
    for file in ("claude", "qwen", "gemini"):
        told = {"disableAllHooks": True, "hooksConfig": {"enabled": False}}
        machine.write(machine.project / f".{file}" / "settings.json", json.dumps(told))
    machine.write(machine.project / ".codex" / "config.toml", "[features]\nhooks = false\n")
    assert errors(machine) == {}
    assert "loose" not in machine.findings()


def test_an_administrators_file_that_lost_its_switch_is_an_error(machine: Any) -> None:
    machine.hookctl("connect", "codex", "--managed")
    file = machine.file("codex", "managed")
    file.write_text(file.read_text().replace("hooks = true", "hooks = false"))
    found = errors(machine)["loose"]
    assert "without features.hooks = true" in found["message"]
    assert found["fix"] == "sudo hookctl connect codex --managed"


def test_an_administrators_plugin_that_nothing_names_is_an_error(machine: Any) -> None:
    machine.hookctl("connect", "opencode", "--managed")
    assert errors(machine) == {}
    listing = machine.file("opencode", "managed").with_name("opencode.json")
    listing.write_text("{}")
    assert errors(machine)["partial"]["subject"] == str(listing)


@pytest.mark.parametrize("scope", ["user", "managed"])
def test_a_project_that_knows_the_name_of_a_hook_is_told_of(machine: Any, scope: str) -> None:
    machine.hookctl("connect", "gemini-cli", f"--{scope}")
    told = json.loads(machine.file("gemini-cli", scope).read_text())
    name = told["hooks"]["BeforeTool"][0]["hooks"][0]["name"]
    switch = json.dumps({"hooksConfig": {"disabled": [name]}})
    machine.write(machine.project / ".gemini" / "settings.json", switch)
    assert f"{name} in hooksConfig.disabled" in errors(machine)["off"]["message"]


@pytest.mark.parametrize(
    ("name", "file", "text", "variable"),
    [
        ("claude-code", ".claude/settings.json", '{"env": {"LD_PRELOAD": "s3"}}', "LD_PRELOAD"),
        ("gemini-cli", ".env", "A=1\nexport SHELLOPTS=noexec\n", "SHELLOPTS"),
        ("gemini-cli", ".gemini/.env", "BASH_ENV = s3.sh\n", "BASH_ENV"),
        ("qwen-code", ".env", "LD_LIBRARY_PATH: s3\n", "LD_LIBRARY_PATH"),
        ("qwen-code", ".qwen/.env", "DYLD_INSERT_LIBRARIES=s3", "DYLD_INSERT_LIBRARIES"),
    ],
)
def test_a_variable_that_disarms_hooks_is_named_without_its_value(
    machine: Any, name: str, file: str, text: str, variable: str
) -> None:
    place = machine.write(machine.project / file, text)
    done = machine.hookctl("connect", name, "--managed")
    assert f"Mind: {place}: it sets {variable} for" in done.err
    found = errors(machine)["variable"]
    assert found["subject"] == str(place)
    assert "s3" not in json.dumps(found).replace(str(machine.root), "")


def test_variables_of_a_program_are_no_finding(machine: Any) -> None:
    machine.write(machine.project / ".env", "ENV=test\n# LD_PRELOAD=x\nMY_LD_PRELOAD=1\nPATH=x\n")
    machine.hookctl("connect", "gemini-cli")
    assert errors(machine) == {}


def test_a_comment_that_makes_a_client_skip_the_file_is_an_error(machine: Any) -> None:
    machine.hookctl("connect", "claude-code")
    file = machine.file("claude-code", "user")
    file.write_text("{\n// mine" + file.read_text().removeprefix("{"))
    found = errors(machine)["skipped"]
    assert "line 2 has a comment, and Claude Code reads no such file" in found["message"]


@pytest.mark.parametrize(("name", "line"), [("claude-code", 1), ("gemini-cli", 1)])
def test_a_file_that_was_broken_since_is_an_error(machine: Any, name: str, line: int) -> None:
    machine.hookctl("connect", name)
    file = machine.file(name, "user")
    file.write_text(file.read_text()[:-10])
    found = errors(machine)["broken-client"]
    assert found["subject"] == str(file)
    assert "has no hook of ours: line" in found["message"]


def test_an_administrators_file_that_was_broken_since_is_an_error_for_everybody(
    machine: Any,
) -> None:
    machine.hookctl("connect", "codex", "--managed")
    for record in machine.records:
        record.unlink()
    file = machine.file("codex", "managed")
    file.write_text(file.read_text() + "broken\n")
    assert errors(machine)["broken-client"]["subject"] == str(file)


def test_hooks_that_somebody_has_taken_out_are_missed(machine: Any) -> None:
    machine.hookctl("connect", "claude-code")
    machine.file("claude-code", "user").write_text('{"theme": "dark"}')
    assert "are gone" in errors(machine)["broken-client"]["message"]
    machine.hookctl("disconnect", "claude-code")
    assert "broken-client" not in machine.findings()


def test_an_event_without_a_hook_is_an_error(machine: Any) -> None:
    machine.hookctl("connect", "claude-code")
    file = machine.file("claude-code", "user")
    told = json.loads(file.read_text())
    del told["hooks"]["PreToolUse"]
    file.write_text(json.dumps(told))
    found = errors(machine)["partial"]
    assert found["message"] == "it has no hook at PreToolUse"
    assert found["fix"] == "hookctl connect claude-code --user"


@pytest.mark.parametrize("name", ["claude-code", "opencode", "copilot"])
def test_a_command_that_is_gone_is_an_error(machine: Any, name: str, python: str) -> None:
    machine.hookctl("connect", name)
    file = machine.file(name, "user")
    file.write_text(file.read_text().replace(python, "/opt/gone/python"))
    assert "it calls /opt/gone/python, which is not there" in errors(machine)["gone"]["message"]


def test_an_administrators_hook_that_others_may_change_is_an_error(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.hookctl("connect", "claude-code", "--managed")
    monkeypatch.setattr(checks, "replaceable", lambda path: path)
    assert "others than root may change" in errors(machine)["writable"]["message"]


def test_an_administrators_hook_that_others_cannot_run_is_an_error(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.hookctl("connect", "claude-code", "--managed")
    monkeypatch.setattr(checks, "out_of_reach", lambda path: path.parent)
    assert "other users cannot run" in errors(machine)["out-of-reach"]["message"]


def codex_trusts(machine: Any, **more: Any) -> None:
    """Write what Codex writes when it is told to trust all hooks."""
    place = machine.file("codex", "user")
    lines = ["[hooks.state]\n"]
    for event, (group,) in json.loads(place.read_text())["hooks"].items():
        name = re.sub("(?<!^)(?=[A-Z])", "_", event).lower()
        told = {"event_name": name, "hooks": [{**group["hooks"][0], "async": False}]}
        text = json.dumps(told, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(text.encode()).hexdigest()
        lines += [f'[hooks.state."{place}:{name}:0:0"]\ntrusted_hash = "sha256:{digest}"\n']
        lines += ["enabled = false\n"] if more.get(name) is False else []
    machine.write(machine.home / ".codex" / "config.toml", "".join(lines))


def test_codex_is_asked_for_its_trust_until_all_hooks_have_it(machine: Any) -> None:
    machine.hookctl("connect", "codex")
    found = errors(machine)["untrusted"]
    assert "nobody has trusted those at SessionStart, SessionEnd, " in found["message"]
    assert "Trust all and continue" in found["fix"]
    codex_trusts(machine)
    assert errors(machine) == {}


def test_a_codex_project_that_is_not_trusted_is_an_error(machine: Any) -> None:
    machine.hookctl("connect", "codex", "--project")
    assert "the project is not trusted" in errors(machine)["untrusted"]["message"]
    text = f'[projects."{machine.project}"]\ntrust_level = "trusted"\n'
    machine.write(machine.home / ".codex" / "config.toml", text)
    assert "nobody has trusted those at" in errors(machine)["untrusted"]["message"]


def test_what_codex_was_told_to_trust_before_a_change_is_a_warning(
    machine: Any, python: str
) -> None:
    machine.hookctl("connect", "codex")
    codex_trusts(machine)
    file = machine.file("codex", "user")
    file.write_text(file.read_text().replace('"timeout": 10', '"timeout": 9', 1))
    found = machine.findings()["untrusted"]
    assert (found["severity"], "at SessionStart" in found["message"]) == ("warning", True)


def test_the_digest_is_the_one_that_codex_has_written() -> None:
    group = {"hooks": [{"type": "command", "command": "/srv/probe.py h"}]}
    told = trusting.codex_digest("pre_tool_use", group, 0)
    text = (
        '{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"/srv/probe.py h",'
        '"timeout":600,"type":"command"}]}'
    )
    assert told == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def test_a_hook_that_codex_was_told_to_leave_out_is_an_error(machine: Any) -> None:
    machine.hookctl("connect", "codex")
    codex_trusts(machine, pre_tool_use=False)
    assert errors(machine)["off"]["message"].endswith("leave out our hooks at PreToolUse")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("claude-code", '{"allowManagedHooksOnly": true}'),
        ("claude-code", '{"disableAllHooks": true}'),
        ("codex", "allow_managed_hooks_only = true\n"),
        ("gemini-cli", '{"hooksConfig": {"enabled": false}}'),
        ("qwen-code", '{"disableAllHooks": true}'),
    ],
)
def test_an_administrator_who_lets_no_other_hooks_run_is_named(
    machine: Any, name: str, text: str
) -> None:
    machine.hookctl("connect", name)
    file = machine.write(machine.file(name, "managed"), text)
    found = errors(machine)["off"]
    assert (found["subject"], found["fix"]) == (str(file), f"sudo hookctl connect {name} --managed")


def test_copilot_needs_the_project_among_its_trusted_folders(machine: Any) -> None:
    machine.hookctl("connect", "copilot", "--project")
    assert "trusted_folders" in errors(machine)["untrusted"]["fix"]
    told = json.dumps({"trusted_folders": [str(machine.project)]})
    machine.write(machine.home / ".copilot" / "config.json", told)
    assert "untrusted" not in machine.findings()


def test_being_connected_twice_is_a_warning(machine: Any) -> None:
    machine.hookctl("connect", "claude-code")
    machine.hookctl("connect", "claude-code", "--managed")
    found = machine.findings()["connected-twice"]
    assert (found["severity"], found["fix"]) == (
        "warning",
        "hookctl disconnect claude-code --user",
    )


def test_what_no_hook_sees_and_what_starts_without_hooks_are_notes(machine: Any) -> None:
    machine.hookctl("connect", "claude-code")
    found = machine.hookctl("doctor", "--json").json["findings"]
    notes = {(one["code"], one["subject"]) for one in found if one["severity"] == "note"}
    assert notes == {("loose", "claude-code"), ("unseen", "claude-code")}


def test_a_working_folder_that_is_gone_is_no_failure(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.hookctl("connect", "claude-code")

    def gone() -> Path:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "cwd", gone)
    assert {one.severity for one in checks.check()} == {"note"}
