"""``hookctl log --html``: the log of decisions as a web page."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from hookcore import HookDispatchedEvent, HookRecord
from hookcore.log.store import Store

from ..pages.reading import data_of

AT = datetime(2026, 5, 1, 12, tzinfo=timezone.utc)


def event(minute: int, outcome: str, *records: HookRecord, **more: Any) -> HookDispatchedEvent:
    told = {"tool": "delete_file", "run_id": "r1", **more}
    return HookDispatchedEvent(
        "pre_tool_call",
        outcome,  # type: ignore[arg-type] # one of the three
        len(records),
        1.5,
        timestamp=AT + timedelta(minutes=minute),
        records=list(records),
        **told,
    )


def said(verdict: Any, effect: Any = "applied", plugin: str = "guard", **more: Any) -> HookRecord:
    return HookRecord(plugin, "pre_tool_call", verdict, effect, 1.0, **more)


EVENTS = (
    event(0, "proceeded", said("allow")),
    event(
        1,
        "aborted",
        said("modify", plugin="redact"),
        said("deny"),
        abort_reason="no </script><b>",
        abort_source="guard",
    ),
    event(2, "proceeded", said("deny", "observed", "trial", rule="late"), run_id="r2"),
    event(3, "proceeded", said("error", "ignored", error="ValueError"), run_id=None),
)


@pytest.fixture
def logged(machine: Any) -> Any:
    machine.state.mkdir(parents=True, exist_ok=True)
    store = Store(machine.state / "decisions.sqlite3", max_megabytes=100, max_days=30_000)
    store.write(EVENTS, 0)
    store.close()
    return machine


def shown(machine: Any, *arguments: str) -> Any:
    page = machine.root / "page.html"
    result = machine.hookctl("log", "--html", str(page), *arguments)
    assert result.code == 0, result.err
    assert result.out == ""
    return data_of(page)


def test_the_page_has_totals_findings_and_the_time_line_of_each_run(logged: Any) -> None:
    data = shown(logged)
    totals = {name: number for name, number, _ in data["totals"]}
    assert totals == {"decisions": 4, "stopped": 1, "changed": 0, "failed": 1, "would stop": 1}
    assert [run["id"] for run in data["runs"]] == ["run r1", "run r2", "no run"]
    assert [(m[0][11:16], m[1], m[2], m[3]) for m in data["runs"][0]["moments"]] == [
        ("12:00", "pre_tool_call", "delete_file", 1.5),
        ("12:01", "pre_tool_call", "delete_file", 1.5),
    ]
    found = [(one["run"], one["moment"], one["plugin"], one["state"]) for one in data["findings"]]
    assert found == [
        (0, 1, "redact", "changed"),
        (0, 1, "guard", "stopped"),
        (1, 0, "trial", "would stop"),
        (2, 0, "guard", "failed"),
    ]


def test_a_reason_belongs_to_the_hook_that_stopped(logged: Any) -> None:
    reasons = [one.get("reason") for one in shown(logged)["findings"]]
    assert reasons == [None, "no </script><b>", None, None]


def test_a_rule_is_named_where_nothing_was_stopped(logged: Any) -> None:
    assert [one.get("rule") for one in shown(logged)["findings"]] == [None, None, "late", None]


def test_the_page_says_how_quiet_a_watching_plugin_is(logged: Any) -> None:
    assert any("trial is in monitor mode" in note for note in shown(logged)["notes"])


def test_what_is_not_shown_is_counted_and_told(logged: Any) -> None:
    data = shown(logged, "--last", "1")
    assert len(data["findings"]) == 1
    assert data["totals"][0][:2] == ["decisions", 4]
    assert "3 older ones are not" in data["notes"][0]
    assert len(shown(logged, "--last", "0")["runs"]) == 3


def test_the_filters_hold_and_are_told(logged: Any) -> None:
    data = shown(logged, "--run", "r2")
    assert [run["id"] for run in data["runs"]] == ["run r2"]
    assert ["Run", "r2"] in data["about"]


def test_the_trend_goes_along_the_time(logged: Any) -> None:
    parts = shown(logged)["trend"]["parts"]
    assert parts[0][0] == "2026-05-01 12:00:00"
    assert sum(part[1] for part in parts) == 1


@pytest.mark.parametrize("other", ["--summary", "--follow", "--json"])
def test_a_page_excludes_the_other_forms(logged: Any, other: str) -> None:
    result = logged.hookctl("log", "--html", "page.html", other)
    assert result.code == 2
    assert "leave the other forms out" in result.err


def test_without_a_log_there_is_no_page(machine: Any) -> None:
    result = machine.hookctl("log", "--html", str(machine.root / "page.html"))
    assert result.code == 2
    assert "[log] enabled = true" in result.err
    assert not (machine.root / "page.html").exists()


def test_a_log_without_decisions_makes_a_page(logged: Any) -> None:
    data = shown(logged, "--tool", "none")
    assert (data["findings"], data["runs"], data["trend"]["parts"]) == ([], [], [])
