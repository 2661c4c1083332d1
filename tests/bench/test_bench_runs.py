from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bench.growth import Curve, exponent, measure
from bench.race import Claim, judge, race

LIMITED = {
    "unused point / one dict look-up",
    "pluggy / hookcore, one no-op hook",
    "each further hook / a bare call (1 to 101)",
    "hookcore with a listener / pluggy",
    "1,000 hooks, a filter leaves 1 / 1 hook",
    "gate / plain hook",
    "hook_dispatched hook / subscriber",
    "async hook / bare await",
    "100 async hooks / 100 bare awaits",
    "10 async hooks, sync host, wall",
    "sync wrap / plain hook",
    "call_model, no plugins / call_tool, no plugins",
    "@tool, no plugins / call_tool, no plugins",
    "run, no plugins",
    "scope with a plugin, and a dispatch",
    "stream, no hook / bare stream of 1,000 chunks",
    "stream, 1 wrap / bare generator around it",
    "stream, no hook, sync / bare stream, sync",
    "stream of 1,000 chunks, a window",
    "a gate on 1 MB of rows",
    "a tracked hook on a text of 1 MB",
    "a monitored hook on a text of 1 MB",
    "import HookManager / import pluggy",
    "load, nothing enabled / import HookManager",
    "load of 20 plugins, without the import",
    "hookctl list, 20 distributions / import click",
    "growth: a dispatch, by hooks",
    "growth: registering, by plugins",
    "growth: the log, by decisions",
    "growth: a new tool name, by rules",
    "growth: one more message, by the history",
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
    # Peers are raced where somebody has installed them, policies on stores where these are.
    elsewhere = ("hookcore, ", "tool call, a rate in ")
    assert {name for name in judged if not name.startswith(elsewhere)} == LIMITED


def test_a_rate_is_measured_in_each_store_that_is_here(quick: Any) -> None:
    pytest.importorskip("hookcore_limits")
    _, report = quick
    stores = ["memory", "sqlite"]
    stores += ["redis"] if shutil.which("redis-server") and find_spec("redis") else []
    names = {ratio["name"]: ratio for ratio in report["ratios"]}
    for store in stores:
        assert names[f"tool call, a rate in {store} / tool call, a gate"]["limit"] is not None


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


def test_a_claim_that_the_best_times_decide_is_not_judged_by_the_median() -> None:
    rounds = [{"a": 9.0, "b": 1.0}, {"a": 9.0, "b": 1.0}, {"a": 2.0, "b": 1.0}]
    claim = Claim("a / b", lambda times: times["a"] / times["b"], "<=", 3.0, by_best=True)
    assert judge([claim], rounds)[0].kept is True


@pytest.mark.parametrize(("power", "found"), [(0, 0.0), (1, 1.0), (2, 2.0)])
def test_the_exponent_of_a_curve_is_the_power_that_it_grows_with(power: int, found: float) -> None:
    sizes = [10, 100, 1000]
    assert exponent(sizes, [3e-6 * size**power for size in sizes]) == pytest.approx(found)


def test_a_curve_that_grows_faster_than_its_limit_is_missed() -> None:
    curve = Curve("squares", [10, 20], lambda size: size**2 * 1e-6, 1.1)
    verdict, least = measure(curve, rounds=2)
    assert verdict.kept is False
    assert verdict.best == pytest.approx(2.0)
    assert least == {10: pytest.approx(1e-4), 20: pytest.approx(4e-4)}


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
