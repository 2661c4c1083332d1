from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.race import Claim, judge, race

LIMITED = {
    "unused point / one dict look-up",
    "pluggy / hookcore, one no-op hook",
    "each further hook / a bare call (1 to 101)",
    "hookcore with a listener / pluggy",
    "1,000 hooks, a filter leaves 1 / 1 hook",
    "hookctl list, 20 distributions / import click",
}


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Any]:
    """A quick run, whose times mean nothing, and its JSON."""
    script = Path(__file__).resolve().parents[2] / "bench" / "run.py"
    file = tmp_path_factory.mktemp("bench") / "report.json"
    command = [sys.executable, str(script), "--quick", "--json", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    return done, json.loads(file.read_text(encoding="utf-8"))


def test_a_run_exits_with_1_exactly_when_something_was_missed(quick: Any) -> None:
    done, report = quick
    assert done.returncode == (0 if report["ok"] else 1)


def test_the_report_judges_every_ratio_that_has_a_limit(quick: Any) -> None:
    _, report = quick
    judged = {ratio["name"] for ratio in report["ratios"] if ratio["ok"] is not None}
    assert judged == LIMITED


def test_every_ratio_of_the_report_has_a_median_within_its_quartiles(quick: Any) -> None:
    _, report = quick
    for ratio in report["ratios"]:
        low, high = ratio["quartiles"]
        assert low <= ratio["median"] <= high, ratio["name"]


def test_every_contestant_of_the_report_has_a_time(quick: Any) -> None:
    _, report = quick
    times = [time for timing in report["timings"].values() for time in timing.values()]
    assert times
    assert min(times) > 0


def test_the_printed_table_has_a_line_for_every_ratio(quick: Any) -> None:
    done, report = quick
    missing = [ratio["name"] for ratio in report["ratios"] if ratio["name"] not in done.stdout]
    assert missing == []


def test_hookcore_starts_without_what_few_need(quick: Any) -> None:
    _, report = quick
    assert report["heavy_imports"] == []


def taking(microseconds: float, calls: list[float]) -> Callable[[int], float]:
    def burst(count: int) -> float:
        calls.append(microseconds)
        return count * microseconds / 1e6

    return burst


def test_contestants_take_turns_in_alternating_order() -> None:
    calls: list[float] = []
    pair = {"fast": taking(2.0, calls), "slow": taking(6.0, calls)}
    race(pair, rounds=2, burst_s=0.001)
    assert calls[-4:] == [2.0, 6.0, 6.0, 2.0]


def test_a_race_takes_the_empty_loop_off_all_others() -> None:
    calls: list[float] = []
    pair = {"empty": taking(1.0, calls), "work": taking(4.0, calls)}
    rounds = race(pair, rounds=3, burst_s=0.001, baseline="empty")
    assert [one["work"] for one in rounds] == pytest.approx([3000.0] * 3)


def test_a_claim_is_judged_by_its_median_and_not_by_one_bad_round() -> None:
    rounds = [{"a": 1.0, "b": 1.0}, {"a": 90.0, "b": 1.0}, {"a": 1.2, "b": 1.0}]
    claim = Claim("a / b", lambda times: times["a"] / times["b"], "<=", 1.5)
    assert judge([claim], rounds)[0].kept is True


def test_a_claim_beyond_its_limit_is_missed() -> None:
    claim = Claim("a / b", lambda times: times["a"] / times["b"], ">=", 3.0)
    assert judge([claim], [{"a": 2.0, "b": 1.0}])[0].kept is False


def test_a_soak_of_the_gateway_has_no_wrong_reply(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="the extra hookcore-gateway[http] is not installed")
    script = Path(__file__).resolve().parents[2] / "bench" / "soak.py"
    file = tmp_path / "soak.json"
    command = [sys.executable, str(script), "--json", str(file), "--sqlite"]
    done = subprocess.run(
        [*command, "--messages", "60", "--sessions", "20", "--connections", "4"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(file.read_text())
    assert (result["messages"], result["sessions"], result["wrong"]) == (60, 20, [])
    assert len(result["memory"]) == 3
