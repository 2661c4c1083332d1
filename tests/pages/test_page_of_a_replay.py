from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..running import Hookctl
from .conftest import CHANGED, HARMLESS, HIDDEN, STOPPED, run_of
from .reading import data_of

WriteRuns = Callable[..., Path]


@pytest.fixture
def shown(hookctl: Hookctl) -> Callable[..., dict[str, Any]]:
    """Replay with a page, and give what the page shows."""

    def replay(*arguments: object, code: int = 0) -> dict[str, Any]:
        result = hookctl("replay", *arguments, "--html", "page.html")
        assert result.code == code, result.err
        assert "page.html shows it" in result.err
        return data_of(hookctl.folder / "page.html")

    return replay


def totals(data: dict[str, Any]) -> dict[str, int]:
    return {name: number for name, number, _ in data["totals"]}


def told(data: dict[str, Any]) -> list[tuple[str, str, str, str | None]]:
    return [
        (data["runs"][one["run"]]["id"], one["state"], one["point"], one.get("tool"))
        for one in data["findings"]
    ]


def test_a_page_has_the_totals_and_each_finding(shown: Any, write_runs: WriteRuns) -> None:
    data = shown(write_runs(STOPPED, HARMLESS, CHANGED))
    assert {"runs": 3, "stopped": 1, "changed": 1, "failed": 0}.items() <= totals(data).items()
    assert told(data) == [
        ("runs:1", "stopped", "pre_tool_call", "delete_file"),
        ("runs:3", "changed", "post_tool_call", "read"),
    ]
    assert data["kinds"] == [
        [1, "changed", "guard", "post_tool_call", "read", None, None],
        [1, "stopped", "guard", "pre_tool_call", "delete_file", "no delete_file", "no-deletes"],
    ]


def test_the_report_is_printed_all_the_same(hookctl: Hookctl, write_runs: WriteRuns) -> None:
    path = write_runs(STOPPED)
    plain = hookctl("replay", path, "--json").json
    result = hookctl("replay", path, "--json", "--html", "page.html")
    assert result.json["findings"] == plain["findings"]


def test_each_run_has_its_moments_in_order_with_the_time_of_hooks(
    shown: Any, write_runs: WriteRuns
) -> None:
    data = shown(write_runs(run_of(("read", "x"), ("delete_all", "y"))))
    (run,) = data["runs"]
    assert [(step, point, tool) for step, point, tool, _ in run["moments"]] == [
        (0, "execution_start", None),
        (0, "input", None),
        (1, "pre_model_call", None),
        (1, "post_model_call", None),
        (2, "pre_tool_call", "read"),
        (2, "post_tool_call", "read"),
        (3, "pre_model_call", None),
        (3, "post_model_call", None),
        (4, "pre_tool_call", "delete_all"),
        (5, "execution_end", None),
    ]
    timed = {point for _, point, _, spent in run["moments"] if spent is not None}
    assert timed == {"pre_tool_call", "post_tool_call"}
    (finding,) = data["findings"]
    assert run["moments"][finding["moment"]][:3] == [4, "pre_tool_call", "delete_all"]


def test_a_call_whose_arguments_do_not_parse_has_its_moment(
    shown: Any, write_runs: WriteRuns
) -> None:
    run = run_of(("read", "x"))
    run["messages"][1]["tool_calls"][0]["function"]["arguments"] = "{"
    data = shown(write_runs(run))
    (finding,) = data["findings"]
    moment = data["runs"][0]["moments"][finding["moment"]]
    assert moment[1:] == ["pre_tool_call", "read", None]


def test_what_a_policy_hides_is_hidden_in_the_page_too(
    shown: Any, write_runs: WriteRuns, hookctl: Hookctl
) -> None:
    data = shown(write_runs(HIDDEN))
    assert "[KEY_1]" in data["findings"][0]["diff"]
    assert "characters hidden" in data["findings"][0]["diff"]
    assert "sk-secret" not in (hookctl.folder / "page.html").read_text("ascii")


@pytest.mark.parametrize("way", [("--jobs", "2"), ("--out", "kept")])
def test_a_page_is_the_same_in_whatever_way_the_replay_is_done(
    shown: Any, write_runs: WriteRuns, way: tuple[str, str]
) -> None:
    path = write_runs(STOPPED, HARMLESS, CHANGED, STOPPED)

    def lasting(data: dict[str, Any]) -> Any:
        runs = [(one["id"], [moment[:3] for moment in one["moments"]]) for one in data["runs"]]
        return runs, data["findings"], data["kinds"], data["totals"], data["trend"]

    assert lasting(shown(path, *way)) == lasting(shown(path))


def test_runs_whose_moments_nobody_kept_are_told_of(
    shown: Any, hookctl: Hookctl, write_runs: WriteRuns
) -> None:
    path = write_runs(STOPPED, CHANGED)
    assert hookctl("replay", path, "--out", "kept").code == 0
    data = shown(path, "--out", "kept", "--resume")
    assert [run["moments"] for run in data["runs"]] == [None, None]
    assert "they have no time-line" in " ".join(data["notes"])
    assert len(data["findings"]) == 2


def test_the_trend_goes_along_the_runs(shown: Any, write_runs: WriteRuns) -> None:
    data = shown(write_runs(*[HARMLESS] * 50, *[STOPPED] * 50))
    parts = data["trend"]["parts"]
    assert len(parts) == 40
    assert (parts[0][0], parts[-1][0]) == ("runs 1 to 3", "runs 99 to 100")
    assert sum(part[1] for part in parts) == 50
    assert all(part[1] == 0 for part in parts[:20])


def test_two_replays_show_what_is_other(shown: Any, write_runs: WriteRuns, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("[plugins.guard]\nenabled = false\n", encoding="utf-8")
    data = shown(write_runs(STOPPED, CHANGED), "--against", other)
    assert [one["change"] for one in data["findings"]] == ["newly stopped", "changed otherwise"]
    assert totals(data)["newly stopped"] == 1
    assert ["Compared with", str(other)] in data["about"]


def test_what_only_the_other_configuration_does_is_told_as_that(
    shown: Any, hookctl: Hookctl, write_runs: WriteRuns, tmp_path: Path
) -> None:
    other = tmp_path / "other.toml"
    other.write_text("[plugins.guard]\nenabled = true\n", encoding="utf-8")
    (hookctl.folder / "hookcore.toml").write_text("[hooks]\nenabled = true\n", encoding="utf-8")
    data = shown(write_runs(STOPPED), "--against", other)
    (finding,) = data["findings"]
    assert (finding["change"], finding["gone"]) == ("no longer stopped", True)


def test_in_monitor_mode_a_page_says_what_would_be(shown: Any, write_runs: WriteRuns) -> None:
    data = shown(write_runs(STOPPED, CHANGED), "--monitor")
    assert [one["state"] for one in data["findings"]] == ["would stop", "would change"]
    assert ["Judged by", "guard (monitor)"] in data["about"]


def test_input_that_cannot_be_read_is_told(shown: Any, write_runs: WriteRuns) -> None:
    path = write_runs(STOPPED)
    path.write_text(path.read_text("utf-8") + "<script>\n", encoding="utf-8")
    assert "runs.jsonl:2" in " ".join(shown(path)["notes"])


def test_a_transcript_is_never_written_over(hookctl: Hookctl, write_runs: WriteRuns) -> None:
    path = write_runs(STOPPED)
    before = path.read_bytes()
    result = hookctl("replay", path, "--html", path)
    assert result.code == 2
    assert "hookctl did not make it" in result.err
    assert path.read_bytes() == before


def test_a_share_of_the_parts_makes_no_page(hookctl: Hookctl, write_runs: WriteRuns) -> None:
    options = ("--out", "kept", "--shard", "1/2", "--html", "page.html")
    result = hookctl("replay", write_runs(STOPPED), *options)
    assert result.code == 2
    assert "--resume" in result.err


def test_a_gate_that_fails_leaves_the_page(shown: Any, write_runs: WriteRuns) -> None:
    assert shown(write_runs(STOPPED), "--fail-on", "abort", code=1)["findings"]
