"""A page with as many findings as a busy week has."""

from __future__ import annotations

from typing import Any

from hookctl.pages.shape import Page

STATES = ("stopped", "changed", "failed", "would stop")
DIFF = "@@ tool_result\n- write to [13 characters hidden] soon\n+ write to [EMAIL_1] soon"


def big_page(findings: int = 10_000, runs: int = 500, longest: int = 150) -> dict[str, Any]:
    page = Page("replay", "Replay of recorded runs")
    page.about = [("Replayed", "runs.jsonl"), ("Judged by", "plugin-0, plugin-1")]
    page.totals = [("runs", runs, ""), ("stopped", findings // 4, "stopped")]
    parts = [[f"run {part + 1}", part, 2, 1] for part in range(40)]
    page.trend = {
        "along": "the runs, in the order of the inputs",
        "unit": "Runs",
        "series": ["stopped", "changed", "failed"],
        "parts": parts,
    }
    page.plugins = [
        {
            "plugin": f"plugin-{number}",
            "calls": 100,
            "modified": 1,
            "aborted": 2,
            "errors": 3,
            "p50_ms": 0.5,
            "p99_ms": 2.0,
            "total_ms": 50.0 + number,
        }
        for number in range(7)
    ]
    each = findings // runs
    for run in range(runs):
        steps, points = each if run else longest, ("pre_tool_call", "post_tool_call")
        moments = [(step, point, "read", 0.5) for step in range(steps) for point in points]
        page.run(f"run-{run}", f"runs.jsonl:{run + 1}", moments)
    for number in range(findings):
        state, step = STATES[number % 4], number % each
        page.add(
            number // each,
            {
                "state": state,
                "plugin": f"plugin-{number % 7}",
                "point": "post_tool_call" if state == "changed" else "pre_tool_call",
                "tool": f"tool_{number % 300}",
                "reason": None if state == "changed" else f"rule {number % 50}: not that one",
                "rule": None if state == "changed" else f"no-{number % 10}",
                "diff": DIFF if state == "changed" else None,
                "where": f"runs.jsonl:{number // each + 1} messages[{step}]",
                "step": step,
                "moment": step * 2 + (state == "changed"),
            },
        )
    return page.to_data()
