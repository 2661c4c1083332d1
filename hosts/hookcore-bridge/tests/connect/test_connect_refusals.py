"""Files that are broken, strange or elsewhere are refused with place and remedy, and left alone."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from hookcore_bridge.connect import files, plan, ready, records
from hookcore_bridge.connect.files import ClientFileError


@pytest.mark.parametrize(
    ("name", "scope", "content", "message"),
    [
        ("claude-code", "user", '{\n "a": 1,,\n}', "line 2: this is no JSON: the name of a member"),
        ("claude-code", "user", "[]", "line 1: this is no JSON: the outermost value is no object"),
        ("claude-code", "user", '{"hooks": []}', "hooks is no table of names .line 1."),
        ("claude-code", "user", '{"hooks": {"Stop": {}}}', "hooks.Stop is no list .line 1."),
        ("claude-code", "user", b'{"a": "\xff"}', "line 1: this is not UTF-8"),
        (
            "claude-code",
            "user",
            '{\n// c\n"a": 1}',
            "line 2: Claude Code does not read a file with",
        ),
        ("claude-code", "user", '{"a": 1,}', "Claude Code does not read a file with a comma"),
        ("codex", "user", '{"a": 1, "a": 2}', "the name a for the second time"),
        (
            "codex",
            "user",
            b"\xef\xbb\xbf{}",
            "Codex CLI does not read a file with a byte order mark",
        ),
        ("gemini-cli", "user", b"\xef\xbb\xbf{}", "Gemini CLI does not read a file with a byte"),
        ("codex", "managed", "a = \n", "line 1: this is no TOML"),
        ("codex", "managed", "[a]\n[a]\n", "this is no TOML"),
        ("codex", "managed", "hooks = 3\n", "hooks is no table: change that by hand"),
        (
            "opencode",
            "user",
            "export const Mine = 1;\n",
            "was not written by hookctl: move it away",
        ),
    ],
)
def test_a_file_that_cannot_be_edited_is_refused_with_its_place(
    machine: Any, name: str, scope: Any, content: str | bytes, message: str
) -> None:
    file: Path = machine.write(machine.file(name, scope), content)
    before = file.read_bytes()
    done = machine.hookctl("connect", name, f"--{scope}")
    assert done.code == 2
    assert str(file) in done.err
    assert re.search(message, done.err)
    assert "nothing was changed" in done.err or "try again" in done.err
    assert file.read_bytes() == before
    assert machine.records == []


@pytest.mark.parametrize("what", ["folder", "pipe"])
def test_what_is_no_ordinary_file_is_refused(machine: Any, what: str) -> None:
    file = machine.file("claude-code", "user")
    file.parent.mkdir()
    if what == "folder":
        file.mkdir()
    else:
        os.mkfifo(file)
    done = machine.hookctl("connect", "claude-code")
    assert (done.code, "is no ordinary file: move it away" in done.err) == (2, True)


@pytest.mark.parametrize("link", [".claude", ".claude/settings.json"])
def test_a_repository_cannot_lead_us_out_of_it(machine: Any, link: str) -> None:
    victim = machine.write(machine.home / "victim" / "settings.json", "{}")
    place = machine.project / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(victim if link.endswith("json") else victim.parent)
    done = machine.hookctl("connect", "claude-code", "--project")
    assert done.code == 2
    assert "does not follow links out of a project" in done.err
    assert victim.read_text() == "{}"


def test_a_file_that_changes_at_this_moment_is_not_overwritten(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = machine.write(machine.file("claude-code", "user"), "{}")
    (change,) = plan.plan_connect("claude-code", "user", machine.project)
    file.write_text('{"theme": "dark"}')
    with pytest.raises(ClientFileError, match="was changed by another program at this moment"):
        plan.apply(change)
    assert file.read_text() == '{"theme": "dark"}'
    assert machine.hookctl("disconnect", "claude-code").code == 0
    assert file.read_text() == '{"theme": "dark"}'


@pytest.mark.parametrize("was", [None, "{}\n"])
def test_what_is_killed_between_record_and_file_leaves_the_file_as_it_was(
    machine: Any, monkeypatch: pytest.MonkeyPatch, was: str | None
) -> None:
    file = machine.file("claude-code", "user")
    if was is not None:
        machine.write(file, was)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(files, "write", killed)
        assert machine.hookctl("connect", "claude-code").code == 130
    assert len(machine.records) == 1
    assert machine.hookctl("connect", "claude-code").code == 0
    assert machine.hookctl("disconnect", "claude-code").code == 0
    assert (file.read_text() if file.exists() else None) == was


def test_a_record_is_closed_to_everybody_else(machine: Any) -> None:
    machine.write(machine.file("claude-code", "user"), '{"apiKey": "sesame"}')
    machine.hookctl("connect", "claude-code")
    (record,) = machine.records
    assert record.stat().st_mode & 0o777 == 0o600
    assert record.parent.stat().st_mode & 0o777 == 0o700
    assert "sesame" not in record.read_text()


def test_a_record_of_other_content_gives_nothing_back(machine: Any) -> None:
    machine.write(machine.file("claude-code", "user"), "{}\n")
    machine.hookctl("connect", "claude-code")
    record = records.recall(machine.file("claude-code", "user"))
    assert record is not None
    assert records.undone(record, b"something else") == (False, None)


def test_a_record_that_was_edited_gives_nothing_back(machine: Any) -> None:
    file = machine.write(machine.file("claude-code", "user"), '{"a": 1}')
    machine.hookctl("connect", "claude-code")
    (record,) = machine.records
    told = json.loads(record.read_text())
    record.write_text(json.dumps({**told, "taken": "?", "at": "x"}))
    assert machine.hookctl("disconnect", "claude-code").code == 0
    assert json.loads(file.read_text()) == {"a": 1}


def test_two_scopes_at_once_are_refused(machine: Any) -> None:
    done = machine.hookctl("connect", "codex", "--user", "--managed")
    assert (done.code, "--user and --managed exclude each other" in done.err) == (2, True)


def test_a_client_without_an_administrators_file_is_refused_there(machine: Any) -> None:
    done = machine.hookctl("connect", "copilot", "--managed")
    assert (done.code, "use --user, or --project" in done.err) == (2, True)


def test_an_unknown_client_is_refused_with_the_known_ones(machine: Any) -> None:
    done = machine.hookctl("connect", "cursor")
    assert (done.code, "'claude-code', 'codex'" in done.err) == (2, True)


def test_a_file_below_a_closed_folder_is_out_of_reach(tmp_path: Path) -> None:
    file = tmp_path / "closed" / "python"
    file.parent.mkdir()
    file.touch(mode=0o755)
    file.parent.chmod(0o700)
    link = tmp_path / "link"
    link.symlink_to(file)
    assert ready.out_of_reach(link) in {file.parent, *tmp_path.parents, tmp_path}


def test_a_file_that_all_may_write_is_replaceable(tmp_path: Path) -> None:
    file = tmp_path / "thin.py"
    file.touch()
    file.chmod(0o666)
    assert ready.replaceable(file) is not None
