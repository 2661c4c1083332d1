from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.running import Hookctl

SERVER = [sys.executable, str(Path(__file__).with_name("made_up_server.py"))]
PLUGIN = """
from hookcore import Abort, hookimpl
print("printed while it is imported")

class Noisy:
    on_error = "deny"

    @hookimpl(tools=["mcp__files__delete"], gate=True)
    def pre_tool_call(self, ctx):
        print('{"jsonrpc": "2.0", "id": 1, "result": {"content": []}}', flush=True)
        import os
        os.write(1, b"straight to the descriptor\\n")
        return Abort("rule 7", message="no deleting")
"""
ENTRY = "[hookcore.plugins]\nnoisy = noisy_policy:Noisy\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    info = folder / "noisy_policy-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy-policy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY)
    (folder / "noisy_policy.py").write_text(PLUGIN)
    return folder


@pytest.fixture
def hookctl(bare_machine: Path, site: Path) -> Hookctl:
    (bare_machine / "hookcore.toml").write_text("[plugins.noisy]\nenabled = true\n")
    return Hookctl(bare_machine, site)


def talk(hookctl: Hookctl, *messages: Any, options: tuple[str, ...] = ()) -> Any:
    """Run the command with these messages; return what it wrote, line by line."""
    return subprocess.run(
        [sys.executable, "-m", "hookctl", "mcp", *options, "--", *SERVER],
        cwd=hookctl.folder,
        input="".join(json.dumps(message) + "\n" for message in messages),
        capture_output=True,
        text=True,
        check=False,
        env=hookctl.environment(),
    )


def call(name: str) -> dict[str, Any]:
    params = {"name": name, "arguments": {"text": "hi"}}
    return {"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": params}


def test_what_policies_print_cannot_pass_for_an_answer(hookctl: Hookctl) -> None:
    done = talk(hookctl, call("delete"), call("read"), options=("--name", "files"))
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert "no deleting" in answers["delete"]["result"]["content"][0]["text"]
    assert answers["read"]["result"]["content"][0]["text"] == "hi"
    assert answers.keys() == {"delete", "read"}
    for text in ("printed while it is imported", '"content": []', "straight to the descriptor"):
        assert text in done.stderr
    assert done.returncode == 0


def test_without_a_name_policies_see_the_servers_own(hookctl: Hookctl) -> None:
    done = talk(hookctl, call("delete"))
    assert json.loads(done.stdout)["result"]["content"][0]["text"] == "hi"


def test_a_server_that_is_not_there_is_told(hookctl: Hookctl) -> None:
    done = hookctl.process("mcp", "--", "no-such-server", "--key=hunter2")
    assert done.code == 2
    assert "the server no-such-server cannot be started: No such file" in done.err
    assert "hunter2" not in done.err


def test_without_a_server_the_command_says_what_it_needs(hookctl: Hookctl) -> None:
    done = hookctl("mcp")
    assert done.code == 2
    assert "hookctl mcp -- COMMAND" in done.err


def test_no_server_is_started_under_a_broken_configuration(hookctl: Hookctl) -> None:
    (hookctl.folder / "hookcore.toml").write_text("[plugins.nothing]\nenabled = true\n")
    done = talk(hookctl, call("read"))
    assert done.returncode == 3
    assert done.stdout == ""


def test_calls_are_in_the_log_of_decisions(hookctl: Hookctl) -> None:
    with (hookctl.folder / "hookcore.toml").open("a") as file:
        file.write("[log]\nenabled = true\n")
    talk(hookctl, call("delete"), options=("--name", "files"))
    (row,) = hookctl("log", "--json").json
    assert (row["tool"], row["outcome"]) == ("mcp__files__delete", "aborted")
