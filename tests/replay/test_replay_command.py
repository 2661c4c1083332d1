from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hookctl.replay.findings import Finding, Ledger
from hookctl.replay.report import Shown, text_lines

from ..running import Hookctl

PLUGIN = """
from hookcore import HookAborted, hookimpl


class Policy:
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx):
        if ctx.tool_name == "delete":
            raise HookAborted("no deletes\\x1b[31m")

    @hookimpl
    def post_tool_call(self, ctx):
        print("a plugin's own words")
        return "cleaned" if ctx.payload == "dirty" else None


class Interrupted:
    @hookimpl
    def pre_tool_call(self, ctx):
        if ctx.tool_name == "delete":
            raise HookAborted("no")
        raise KeyboardInterrupt


class Broken:
    def __init__(self):
        raise RuntimeError("cannot start")
"""
ENTRY_POINTS = (
    "[hookcore.plugins]\ndemo = demo_policy:Policy\nbroken = demo_policy:Broken\n"
    "interrupted = demo_policy:Interrupted\n"
)
METADATA = "Metadata-Version: 2.1\nName: demo-policy\nVersion: 1.0\n"


def asks(name: str, arguments: str = "{}") -> dict[str, object]:
    call = {"id": name, "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def tells(name: str, content: str) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": name, "content": content}


USER = {"role": "user", "content": "hi"}
STOPPED = {"messages": [USER, asks("delete"), tells("delete", "gone")]}
CHANGED = {"messages": [USER, asks("read"), tells("read", "dirty")]}
HARMLESS = {"messages": [USER, asks("read"), tells("read", "clean")]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    metadata = site / "demo_policy-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "demo_policy.py").write_text(PLUGIN, encoding="utf-8")
    (metadata / "METADATA").write_text(METADATA, encoding="utf-8")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    work = tmp_path / "work"
    work.mkdir()
    return work


@pytest.fixture
def hookctl(folder: Path) -> Hookctl:
    """Run hookctl in a folder of its own, with the demo policy installed."""
    home = str(folder.parent)
    return Hookctl(folder, folder.parent / "site", {"HOME": home, "XDG_CONFIG_HOME": home})


def enable(folder: Path, text: str = "[plugins.demo]\nenabled = true\n") -> None:
    (folder / "hookcore.toml").write_text(text, encoding="utf-8")


def write(folder: Path, *runs: object) -> Path:
    path = folder / "runs.jsonl"
    lines = [run if isinstance(run, str) else json.dumps(run) for run in runs]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_the_json_report_has_a_summary_and_findings(hookctl: Hookctl, folder: Path) -> None:
    enable(folder)
    result = hookctl("replay", write(folder, STOPPED, "oops", CHANGED), "--json")
    summary, findings = result.json["summary"], result.json["findings"]
    assert result.code == 0
    assert [summary[key] for key in ("runs", "aborted", "modified", "errors", "malformed")] == [
        2,
        1,
        1,
        0,
        1,
    ]
    assert summary["malformed_lines"][0]["where"].endswith("runs.jsonl:2")
    assert summary["plugins"]["demo"]["calls"] == 3
    assert summary["plugins"]["demo"]["p99_ms"] > 0
    assert [(one["run"], one["verdict"], one["tool"]) for one in findings] == [
        ("runs:1", "deny", "delete"),
        ("runs:3", "modify", "read"),
    ]


def test_the_report_for_people_shows_reason_and_diff_and_no_control_characters(
    hookctl: Hookctl, folder: Path
) -> None:
    enable(folder)
    result = hookctl("replay", write(folder, STOPPED, CHANGED))
    assert "no deletes\\x1b[31m" in result.out
    assert "\x1b" not in result.out
    assert "- dirty" in result.out
    assert "+ cleaned" in result.out
    assert "words" not in result.out


def test_a_plugin_that_is_not_enabled_can_be_named(hookctl: Hookctl, folder: Path) -> None:
    path = write(folder, STOPPED)
    assert hookctl("replay", path, "--json").json["findings"] == []
    result = hookctl("replay", path, "--json", "--plugin", "demo")
    assert [one["plugin"] for one in result.json["findings"]] == ["demo"]
    assert not (folder / "hookcore.toml").exists()


def test_monitor_mode_only_observes(hookctl: Hookctl, folder: Path) -> None:
    enable(folder)
    result = hookctl("replay", write(folder, STOPPED, CHANGED), "--json", "--monitor").json
    assert [one["effect"] for one in result["findings"]] == ["observed", "observed"]
    assert [result["summary"][key] for key in ("aborted", "modified", "observed")] == [1, 1, 2]


@pytest.mark.parametrize(
    ("gates", "run", "code"),
    [
        (["abort"], STOPPED, 1),
        (["abort"], CHANGED, 0),
        (["modified"], CHANGED, 1),
        (["modified", "abort"], HARMLESS, 0),
        (["error"], {"messages": [USER, asks("read", "{")]}, 1),
    ],
)
def test_a_gate_that_fails_exits_with_one(
    hookctl: Hookctl, folder: Path, gates: list[str], run: object, code: int
) -> None:
    enable(folder)
    options = [word for gate in gates for word in ("--fail-on", gate)]
    assert hookctl("replay", write(folder, run), *options).code == code


def test_standard_input_is_read(hookctl: Hookctl, folder: Path) -> None:
    enable(folder)
    result = hookctl("replay", "-", "--json", stdin=json.dumps(STOPPED))
    assert [one["where"] for one in result.json["findings"]] == ["stdin:1 messages[1]"]


def test_an_unknown_format_exits_with_two_and_keeps_what_was_found(
    hookctl: Hookctl, folder: Path
) -> None:
    enable(folder)
    good = write(folder, STOPPED)
    bad = folder / "bad.json"
    bad.write_text('{"a": 1}', encoding="utf-8")
    result = hookctl("replay", bad, good, "--json", "--fail-on", "abort")
    assert result.code == 2
    assert "an object with the keys a" in result.err
    assert result.json["summary"]["aborted"] == 1


def test_a_missing_file_exits_with_two_and_no_traceback(hookctl: Hookctl) -> None:
    result = hookctl("replay", "nowhere.jsonl")
    assert result.code == 2
    assert "nowhere.jsonl" in result.err
    assert "Traceback" not in result.err


@pytest.mark.skipif(os.name != "posix", reason="needs a shell, pipes and signals")
@pytest.mark.parametrize(
    ("shell", "code"),
    [
        ("{replay} | true; exit ${{PIPESTATUS[0]}}", 141),
        ("timeout --preserve-status -s INT 2 {replay} - < /dev/zero", 130),
        ("{replay} >&- 2>&-", 0),
        ("test ! -e /dev/full || {replay} > /dev/full; test $? != 1", 0),
    ],
    ids=["nobody reads", "interrupted", "closed", "full"],
)
def test_an_end_from_outside_is_no_failed_gate(
    hookctl: Hookctl, folder: Path, shell: str, code: int
) -> None:
    enable(folder)
    runs = write(folder, *[{**STOPPED, "id": str(number)} for number in range(3000)])
    replay = f"'{sys.executable}' -m hookctl replay {runs.name}"
    command = ["bash", "-c", shell.format(replay=replay)]
    result = subprocess.run(
        command, cwd=folder, env=hookctl.environment(), capture_output=True, check=False
    )
    assert result.returncode == code
    assert b"Traceback" not in result.stderr


def test_an_unknown_plugin_exits_with_two_and_a_suggestion(hookctl: Hookctl, folder: Path) -> None:
    result = hookctl("replay", write(folder, STOPPED), "--plugin", "demmo")
    assert result.code == 2
    assert "demo" in result.err


def test_a_broken_plugin_exits_with_three(hookctl: Hookctl, folder: Path) -> None:
    result = hookctl("replay", write(folder, STOPPED), "--plugin", "broken")
    assert result.code == 3
    assert "Traceback" not in result.err


def test_without_any_plugin_the_user_is_told(hookctl: Hookctl, folder: Path) -> None:
    result = hookctl("replay", write(folder, STOPPED))
    assert result.code == 0
    assert "no plugin is enabled" in result.err


def test_a_terminal_that_knows_only_ascii_is_no_problem(hookctl: Hookctl, folder: Path) -> None:
    enable(folder)
    run = {"messages": [{"role": "user", "content": "é"}, asks("read"), tells("read", "dirty")]}
    path = write(folder, {**run, "id": "é…"})
    assert hookctl.process("replay", path, PYTHONIOENCODING="ascii").code == 0


def test_the_help_has_examples(hookctl: Hookctl) -> None:
    result = hookctl("replay", "--help")
    assert "hookctl replay runs.jsonl" in result.out


def test_the_totals_come_last(hookctl: Hookctl, folder: Path) -> None:
    enable(folder)
    lines = hookctl("replay", write(folder, STOPPED, CHANGED)).out.splitlines()
    assert lines[0] == "run runs:1"
    assert lines[-2].startswith("2 runs, ")
    assert lines[-1].split() == ["aborted", "1", "modified", "1", "errors", "0"]


def test_malformed_input_fails_on_request(hookctl: Hookctl, folder: Path) -> None:
    enable(folder)
    path = write(folder, HARMLESS, "no json")
    assert hookctl("replay", path).code == 0
    assert hookctl("replay", path, "--fail-on", "malformed").code == 1
    assert hookctl("replay", write(folder, HARMLESS), "--fail-on", "malformed").code == 0


def test_an_interrupt_leaves_what_was_found_until_then(hookctl: Hookctl, folder: Path) -> None:
    enable(folder, "[plugins.interrupted]\nenabled = true\n")
    result = hookctl("replay", write(folder, STOPPED, CHANGED), "--json")
    assert result.code == 130
    assert [one["verdict"] for one in result.json["findings"]] == ["deny"]
    assert result.json["summary"]["aborted"] == 1
    shown = hookctl("replay", folder / "runs.jsonl")
    assert shown.out.splitlines()[-1] == "interrupted: that is what was found until then"


def test_watching_is_for_files_that_can_be_read_again(hookctl: Hookctl, folder: Path) -> None:
    enable(folder)
    for arguments in (["-"], ["x.jsonl", "--out", "parts"]):
        result = hookctl("replay", *arguments, "--watch")
        assert result.code == 2
        assert "--watch is for files" in result.err


def test_a_terminal_gets_the_first_findings_and_their_number() -> None:
    with Ledger() as ledger:
        for number in range(25):
            ledger.add(
                Finding(
                    run=f"run:{number}",
                    step=1,
                    point="output",
                    tool=None,
                    plugin="demo",
                    verdict="deny",
                    effect="applied",
                    reason="no",
                    diff=None,
                    where="here",
                    stops=True,
                )
            )
        lines = list(text_lines(ledger, lambda text, **_: text, shown=Shown(most=20)))
        whole = list(text_lines(ledger, lambda text, **_: text))
    assert sum(line.startswith("run ") for line in lines) == 20
    assert "... and 5 more findings: --all shows them" in lines
    assert lines[-1].startswith("  aborted 25")
    assert sum(line.startswith("run ") for line in whole) == 25
