"""``hookctl hook`` and ``hookctl serve`` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest


def hookctl(home: Any, *arguments: str, told: bytes = b"", **more: str) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "hookctl", *arguments],
        input=told,
        env={**home.environment, **more},
        cwd=home.project,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("name", ["hook", "serve"])
def test_the_command_is_offered(name: str) -> None:
    (entry,) = entry_points(group="hookctl.commands", name=name)
    command: Any = entry.load()
    assert command.name == name


def test_an_event_is_judged_in_the_process_itself(home: Any) -> None:
    done = hookctl(home, "hook", "codex", "--in-process", told=home.told())
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert home.status() is None
    assert hookctl(home, "hook", "nobody", "--in-process", told=b"{}").returncode == 2


def test_the_command_asks_the_daemon(home: Any) -> None:
    done = hookctl(home, "hook", "codex", told=home.told())
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert home.status() is not None


def test_what_a_policy_prints_does_not_turn_a_denial_into_a_pass(home: Any) -> None:
    package = home.root / "site"
    info = package / "loud-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[hookcore.plugins]\nloud = loud:Loud\n", "utf-8")
    (package / "loud.py").write_text(
        textwrap.dedent("""
            import os
            from hookcore import hookimpl

            class Loud:
                @hookimpl
                def pre_tool_call(self, ctx):
                    print("{")
                    os.write(1, b"hello")
        """),
        "utf-8",
    )
    with (home.project / "hookcore.toml").open("a", encoding="utf-8") as config:
        config.write("[plugins.loud]\nenabled = true\n")
    done = hookctl(home, "hook", "codex", "--in-process", told=home.told(), PYTHONPATH=str(package))
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert b"hello" in done.stderr


def test_the_status_of_a_daemon_is_shown(home: Any) -> None:
    assert json.loads(hookctl(home, "serve", "--status").stdout)["running"] is False
    home.hook("claude-code")
    found = json.loads(hookctl(home, "serve", "--status").stdout)
    assert (found["running"], found["answered"]) == (True, 1)
    assert found["socket"] == f"{home.base}.sock"
    assert found["url"].startswith("http://127.0.0.1:")
    assert json.loads(Path(found["token_file"]).read_text("utf-8"))["token"] not in str(found)


@pytest.mark.parametrize(("kind", "word"), [("systemd", "ExecStart="), ("launchd", "<string>-m<")])
def test_a_unit_is_printed(kind: str, word: str, home: Any) -> None:
    done = hookctl(home, "serve", "--unit", kind)
    assert word in done.stdout.decode()
    assert "serve" in done.stdout.decode()
