"""``hookctl approvals``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hookcore_approval import call_digest
from hookcore_approval.command import command

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in a folder whose configuration names the store of the test's host."""
    file = tmp_path / "own" / "approvals.sqlite3"

    def configured(*more: str) -> None:
        lines = ["[plugins.approval.settings]", 'tools = ["pay*"]', f'path = "{file}"', *more]
        (tmp_path / "hookcore.toml").write_text("\n".join(lines), "utf-8")

    configured()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    def run(*arguments: object, settings: tuple[str, ...] = ()) -> Result:
        configured(*settings)
        return CliRunner().invoke(command, [str(each) for each in arguments])

    return run


def test_requests_are_listed_shown_and_approved(run: Run, host: Any) -> None:
    assert run("list").stdout == "No request waits.\n"
    host.call()
    (ident,) = host.pending()
    (line,) = run("list").stdout.splitlines()
    assert line.startswith(f"{ident}  pending  ")
    assert line.endswith('pay {"to": "bob", "amount": 10}')
    shown = run("show", ident).stdout
    assert f"digest:     {call_digest('pay', {'to': 'bob', 'amount': 10})}\n" in shown
    assert '    "amount": 10\n' in shown
    done = run("approve", ident, "--by", "ann")
    assert (done.exit_code, done.stdout) == (0, f"Request {ident} (pay) is approved\n")
    assert host.call() == "ran"
    assert run("list").stdout == "No request waits.\n"
    (line,) = run("list", "--all").stdout.splitlines()
    assert line.startswith(f"{ident}  taken by ann  ")


def test_a_request_is_denied(run: Run, host: Any) -> None:
    host.call()
    (ident,) = host.pending()
    assert run("deny", ident, "--by", "bob").exit_code == 0
    assert host.call().endswith("was denied by bob")


def test_who_decides_is_the_user_unless_somebody_is_named(run: Run, host: Any) -> None:
    import getpass

    host.call()
    (ident,) = host.pending()
    run("deny", ident)
    assert host.call().endswith(f"was denied by {getpass.getuser()}")


def test_the_lists_can_be_read_by_programs(run: Run, host: Any) -> None:
    host.call()
    (found,) = json.loads(run("list", "--json").stdout)
    assert (found["state"], found["tool"], found["arguments"]) == (
        "pending",
        "pay",
        {"to": "bob", "amount": 10},
    )
    assert json.loads(run("show", found["id"], "--json").stdout) == found


def test_decisions_that_do_not_count_exit_with_2(run: Run, host: Any) -> None:
    host.call()
    (ident,) = host.pending()
    other = run("approve", ident, "--digest", "0" * 64)
    assert (other.exit_code, "it is of another call" in other.stderr) == (2, True)
    run("approve", ident)
    again = run("deny", ident)
    assert (again.exit_code, "it is approved" in again.stderr) == (2, True)
    missing = run("approve", "x\x1b[2J")
    assert missing.exit_code == 2
    assert "\x1b" not in missing.stderr


def test_two_people_are_told_of_each_other(run: Run, make_host: Callable[..., Any]) -> None:
    host = make_host(two_people=["pay"])
    host.call()
    (ident,) = host.pending()
    assert "needs another person's approval" in run("approve", ident, "--by", "ann").stdout
    assert run("approve", ident, "--by", "ann").exit_code == 2
    assert "is approved" in run("approve", ident, "--by", "bob").stdout


def test_only_approvers_decide_where_they_are_named(run: Run, host: Any) -> None:
    host.call()
    (ident,) = host.pending()
    settings = ('approvers = ["ann", "bob"]',)
    refused = run("approve", ident, "--by", "eve", settings=settings)
    assert (refused.exit_code, "none of the approvers" in refused.stderr) == (2, True)
    assert run("approve", ident, "--by", "bob", settings=settings).exit_code == 0


def test_what_a_model_wrote_moves_no_cursor_and_forges_no_line(run: Run, host: Any) -> None:
    host.call({"x": "a\x1b[2K\r\nb", "y\n": "\u202e"}, tool="pay\nfake")
    (ident,) = host.pending()
    listed = run("list").stdout
    assert len(listed.splitlines()) == 1
    for text in (listed, run("show", ident).stdout):
        assert all(char.isprintable() or char == "\n" for char in text)


def test_serving_needs_a_secret(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOOKCORE_APPROVAL_SECRET", raising=False)
    done = run("serve")
    assert (done.exit_code, "HOOKCORE_APPROVAL_SECRET is not set" in done.stderr) == (2, True)


def test_hookctl_has_the_command_and_ends_mistakes_well(tmp_path: Path) -> None:
    (tmp_path / "hookcore.toml").write_text(
        '[plugins.approval.settings]\nstore = "redis"\nurl_env = "NO_SUCH_VARIABLE"\n', "utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", "hookctl", "approvals", "list"],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "NO_SUCH_VARIABLE is not set" in done.stderr
    assert "Traceback" not in done.stderr
