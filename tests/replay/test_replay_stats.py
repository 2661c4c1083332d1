from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookctl.replay.findings import Finding, Ledger
from hookctl.replay.stats import Durations

TIMES = st.lists(st.floats(min_value=0.001, max_value=10_000), min_size=1, max_size=200)


@given(TIMES, st.sampled_from([0.5, 0.99]))
def test_a_quantile_is_right_to_two_percent(times: list[float], share: float) -> None:
    durations = Durations()
    for time in times:
        durations.add(time)
    exact = sorted(times)[max(1, math.ceil(share * len(times))) - 1]
    assert durations.quantile(share) == pytest.approx(exact, rel=0.02)


def test_without_times_there_is_no_quantile() -> None:
    assert Durations().quantile(0.5) is None


def finding(number: int) -> Finding:
    return Finding("r", number, "input", None, "p", "modify", "applied", None, "x" * 1000, "here")


def test_findings_come_back_in_order_however_many_there_are() -> None:
    with Ledger() as ledger:
        for number in range(20_000):
            ledger.add(finding(number))
        assert [one["step"] for one in ledger.findings()] == list(range(20_000))
        assert ledger.modified == 20_000


def test_malformed_lines_are_all_counted_and_the_first_named() -> None:
    with Ledger() as ledger:
        for number in range(5_000):
            ledger.complain(f"x:{number}", "not JSON")
        assert ledger.malformed == 5_000
        assert len(ledger.malformed_lines) == 1_000


@given(st.lists(st.floats(min_value=0, max_value=1e6)), st.lists(st.floats(0, 1e6)))
def test_merged_times_are_those_of_one_histogram(left: list[float], right: list[float]) -> None:
    parts, whole = [Durations(), Durations()], Durations()
    for part, values in zip(parts, (left, right), strict=True):
        for value in values:
            part.add(value)
            whole.add(value)
    parts[0].merge(parts[1])
    assert (parts[0].count, parts[0].longest_ms) == (whole.count, whole.longest_ms)
    assert parts[0].total_ms == pytest.approx(whole.total_ms)
    assert [parts[0].quantile(q / 10) for q in range(11)] == [
        whole.quantile(q / 10) for q in range(11)
    ]
