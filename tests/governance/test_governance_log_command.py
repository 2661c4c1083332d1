"""``hookctl log``, and the roll-out of a policy in monitor mode that it serves."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from hookcore import HookAborted, HookDispatchedEvent, HookRecord, ToolCallContext
from hookcore.log.store import Store
from hookcore.log.writer import writer_of

NOW = datetime.now(timezone.utc)
EVENTS = [
    HookDispatchedEvent(
        "pre_tool_call",
        "aborted",
        1,
        2.0,
        "deletes are not allowed",
        "guard",
        NOW - timedelta(days=2),
        "run-1",
        tool="delete_file",
        records=[HookRecord("guard", "pre_tool_call", "deny", "applied", 4.0)],
    ),
    HookDispatchedEvent(
        "pre_tool_call",
        "proceeded",
        2,
        1.0,
        timestamp=NOW - timedelta(minutes=1),
        run_id="run-2",
        tool="ls\x1b[31m",
        records=[
            HookRecord("guard", "pre_tool_call", "allow", "applied", 1.0),
            HookRecord("trial", "pre_tool_call", "deny", "observed", 2.0),
        ],
    ),
    HookDispatchedEvent(
        "output",
        "proceeded",
        1,
        1.0,
        timestamp=NOW,
        run_id="run-2",
        records=[HookRecord("redact", "output", "error", "ignored", 3.0, "ValueError")],
    ),
]


def write(machine: Any, *events: HookDispatchedEvent, dropped: int = 0) -> None:
    machine.state.mkdir(parents=True, exist_ok=True)
    store = Store(machine.state / "decisions.sqlite3", max_megabytes=100, max_days=30)
    store.write(events, dropped)
    store.close()


@pytest.fixture
def logged(machine: Any) -> Any:
    write(machine, *EVENTS, dropped=7)
    return machine


@pytest.mark.parametrize(
    ("arguments", "runs"),
    [
        ((), ["run-1", "run-2", "run-2"]),
        (("--last", "1"), ["run-2"]),
        (("--last", "0"), ["run-1", "run-2", "run-2"]),
        (("--since", "1h"), ["run-2", "run-2"]),
        (("--since", "1w"), ["run-1", "run-2", "run-2"]),
        (("--since", "2001-01-01T00:00:00Z"), ["run-1", "run-2", "run-2"]),
        (("--since", "2999-01-01"), []),
        (("--plugin", "redact"), ["run-2"]),
        (("--outcome", "aborted"), ["run-1"]),
        (("--tool", "delete_*"), ["run-1"]),
        (("--run", "run-1"), ["run-1"]),
    ],
)
def test_the_events_asked_for_are_a_json_array(logged: Any, arguments: Any, runs: Any) -> None:
    assert [event["run_id"] for event in logged.hookctl("log", "--json", *arguments).json] == runs


def test_people_get_a_table_without_control_characters(logged: Any) -> None:
    result = logged.hookctl("log")
    assert "delete_file  aborted    guard: deny" in result.out
    assert "deletes are not allowed (guard)" in result.out
    assert "guard: allow, trial: deny (observed)" in result.out
    assert "\x1b" not in result.out
    assert "7 decisions were dropped" in result.err


def test_the_summary_counts_per_plugin_and_point(logged: Any) -> None:
    told = logged.hookctl("log", "--summary", "--json").json
    assert (told["events"], told["dropped"]) == (3, 7)
    assert told["outcomes"] == {"aborted": 1, "proceeded": 2}
    rows = {(row["plugin"], row["point"]): row for row in told["plugins"]}
    guard = rows["guard", "pre_tool_call"]
    assert (guard["calls"], guard["allow"], guard["deny"], guard["would_deny"]) == (2, 1, 1, 0)
    assert (guard["p50_ms"], guard["p99_ms"]) == (4.0, 4.0)
    assert rows["trial", "pre_tool_call"]["would_deny"] == 1
    assert rows["redact", "output"]["error"] == 1
    assert told["would_have_stopped"] == [
        {
            "plugin": "trial",
            "point": "pre_tool_call",
            "tool": "ls\x1b[31m",
            "rule": None,
            "count": 1,
        }
    ]


def test_the_summary_reads_well(logged: Any) -> None:
    out = logged.hookctl("log", "--summary", "--since", "7d").out
    assert out.startswith("3 decisions: 1 aborted, 2 proceeded\n7 more were dropped")
    assert "In monitor mode, this would have been stopped:" in out


@pytest.mark.parametrize(
    ("verdict", "calls", "quiet", "said"),
    [
        ("allow", 1000, True, "trial is quiet in monitor mode (1000 calls): enforce it"),
        ("modify", 1000, True, "trial is quiet in monitor mode (1000 calls): enforce it"),
        ("allow", 999, None, "trial is quiet in monitor mode so far (999 calls): wait for 1000"),
        ("deny", 4, False, "of 4 calls it would have stopped 4 (100 %), and it failed in 0"),
        ("error", 2000, False, "it would have stopped 0 (0 %), and it failed in 2000"),
    ],
)
def test_the_summary_tells_whether_a_monitored_plugin_is_quiet_enough_to_enforce(
    machine: Any, verdict: Any, calls: int, *, quiet: bool | None, said: str
) -> None:
    records = [HookRecord("trial", "pre_tool_call", verdict, "observed", 1.0)]
    event = HookDispatchedEvent(
        "pre_tool_call", "proceeded", 1, 1.0, timestamp=NOW, tool="ls", records=records
    )
    write(machine, *[event] * calls)
    (told,) = machine.hookctl("log", "--summary", "--json").json["monitored"]
    assert (told["plugin"], told["calls"], told["quiet"]) == ("trial", calls, quiet)
    assert said in machine.hookctl("log", "--summary").out


def ruled(rule: str | None, effect: Any = "observed") -> HookDispatchedEvent:
    records = [HookRecord("trial", "pre_tool_call", "deny", effect, 1.0, rule=rule)]
    return HookDispatchedEvent("pre_tool_call", "proceeded", 1, 1.0, timestamp=NOW, records=records)


QUIET = HookDispatchedEvent(
    "pre_tool_call",
    "proceeded",
    1,
    1.0,
    timestamp=NOW,
    records=[HookRecord("trial", "pre_tool_call", "allow", "observed", 1.0)],
)


def test_the_summary_counts_by_rule(machine: Any) -> None:
    write(machine, ruled("no-rm"), ruled("no-rm", "applied"), ruled("late"), ruled(None))
    told = machine.hookctl("log", "--summary", "--json").json
    assert told["rules"] == [
        {"plugin": "trial", "rule": "no-rm", "deny": 1, "would_deny": 1},
        {"plugin": "trial", "rule": "late", "deny": 0, "would_deny": 1},
    ]
    assert "trial   no-rm  1     1" in machine.hookctl("log", "--summary").out
    (shown, *_) = machine.hookctl("log", "--json", "--last", "0").json
    assert shown["records"][0]["rule"] == "no-rm"


@pytest.mark.parametrize(
    ("events", "others"),
    [
        ([ruled("no-rm"), *[QUIET] * 1000], True),
        ([ruled("no-rm"), *[QUIET] * 10], None),
        ([ruled("no-rm"), ruled(None), *[QUIET] * 1000], False),
    ],
)
def test_rules_that_would_have_stopped_nothing_are_told_to_be_quiet(
    machine: Any, events: Any, *, others: bool | None
) -> None:
    write(machine, *events)
    (told,) = machine.hookctl("log", "--summary", "--json").json["monitored"]
    assert (told["loud_rules"], told["other_rules_quiet"]) == (["no-rm"], others)
    assert ("enforce them" in machine.hookctl("log", "--summary").out) is bool(others)


def test_the_summary_of_one_plugin_is_about_no_other(logged: Any) -> None:
    told = logged.hookctl("log", "--summary", "--json", "--plugin", "trial").json
    assert [row["plugin"] for row in told["plugins"]] == ["trial"]


def test_without_a_log_it_says_how_to_begin_one(machine: Any) -> None:
    result = machine.hookctl("log")
    assert result.code == 0
    assert "[log] enabled = true" in result.err
    assert machine.hookctl("log", "--json").json == []
    assert machine.hookctl("log", "--summary", "--json").json["events"] == 0


@pytest.mark.parametrize(
    "arguments", [("--since", "yesterday"), ("--since", "9d9"), ("--follow", "--summary")]
)
def test_wrong_usage_is_exit_code_2(logged: Any, arguments: Any) -> None:
    assert logged.hookctl("log", *arguments).code == 2


def test_a_log_that_is_broken_is_exit_code_3(machine: Any) -> None:
    machine.state.mkdir(parents=True)
    (machine.state / "decisions.sqlite3").write_bytes(b"nonsense" * 100)
    result = machine.hookctl("log")
    assert result.code == 3
    assert "move it away" in result.err


def test_follow_shows_what_comes_until_it_is_interrupted(logged: Any) -> None:
    # A shell's background job ignores interrupts, and so would all that these tests start in one.
    interruptible = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from hookctl.main import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", interruptible, "log", "--follow", "--json", "--last", "1"],
        env=logged.environment(),
        cwd=logged.root,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["point"] == "output"
    write(logged, EVENTS[0])
    assert json.loads(process.stdout.readline())["run_id"] == "run-1"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 0
    process.stdout.close()


def test_a_policy_is_tried_out_in_monitor_mode_and_then_enforced(machine: Any) -> None:
    machine.install("guard")
    machine.user.write_text("[log]\nenabled = true\n")
    machine.hookctl("enable", "guard", "--monitor")
    manager = machine.load()
    manager.dispatch("pre_tool_call", ToolCallContext(tool_name="delete_file", payload={}))
    writer = writer_of(manager)
    assert writer is not None
    assert writer.flush(10)
    told = machine.hookctl("log", "--summary", "--json").json
    assert told["would_have_stopped"] == [
        {
            "plugin": "guard",
            "point": "pre_tool_call",
            "tool": "delete_file",
            "rule": None,
            "count": 1,
        }
    ]
    machine.hookctl("enable", "guard")
    with pytest.raises(HookAborted):
        machine.load().dispatch("pre_tool_call", ToolCallContext(tool_name="x", payload={}))


def test_a_tool_cannot_be_named_so_that_it_forges_a_line(machine: Any) -> None:
    forged = HookDispatchedEvent(
        "pre_tool_call",
        "proceeded",
        1,
        1.0,
        timestamp=NOW,
        tool="ls\n2031-01-01 00:00:00Z  pre_tool_call  delete_file  proceeded",
        records=[HookRecord("guard", "pre_tool_call", "deny", "observed", 4.0)],
    )
    write(machine, forged)
    assert len(machine.hookctl("log").out.splitlines()) == 2
    summary = machine.hookctl("log", "--summary").out
    assert not any(line.startswith("2031") for line in summary.splitlines())
    assert r"ls\n2031-01-01" in summary


RULED = """
from hookcore import HookAborted, hookimpl

class Plugin:
    rule_names = ("no-rm", "late")

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx):
        denial = HookAborted("no", rule="no-rm")
        if ctx.tool_name == "rm" and ctx.enforces(denial):
            raise denial
"""


def test_a_rule_is_tried_out_in_monitor_mode(machine: Any) -> None:
    machine.install("guard", RULED)
    apart = (
        "[plugins.guard.rules.no-rm]\nmode = 'monitor'\n[plugins.guard.rules.late]\nrollout = 0\n"
    )
    machine.user.write_text(f"[log]\nenabled = true\n[plugins.guard]\nenabled = true\n{apart}")
    manager = machine.load()
    for tool in ["ls"] * 999 + ["rm"]:
        ctx = ToolCallContext(tool_name=tool, payload={}, run_id="r")
        manager.dispatch("pre_tool_call", ctx)
    writer = writer_of(manager)
    assert writer is not None
    assert writer.flush(10)
    told = machine.hookctl("log", "--summary", "--json").json
    assert [(row["plugin"], row["calls"], row["allow"]) for row in told["plugins"]] == [
        ("guard", 1000, 1000)
    ]
    assert [(one["rule"], one["would_deny"], one["quiet"]) for one in told["monitored"]] == [
        ("late", 0, True),
        ("no-rm", 1, False),
    ]
    assert told["would_have_stopped"] == [
        {"plugin": "guard", "point": "pre_tool_call", "tool": "rm", "rule": "no-rm", "count": 1}
    ]
    out = machine.hookctl("log", "--summary").out
    assert "rule late of guard is quiet in monitor mode (1000 calls): enforce it" in out
    assert "rule no-rm of guard is in monitor mode: of 1000 calls it would have stopped 1" in out
