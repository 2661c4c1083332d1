"""Random dispatches end as the naive model says."""

from __future__ import annotations

from hypothesis import given

from .cases import Act, Case, cases
from .harness import check


@given(case=cases())
def test_any_dispatch_ends_as_the_model_says(case: Case) -> None:
    check(case)


@given(case=cases(acts=(Act.PASS, Act.EDIT, Act.BIND, Act.RETURN, Act.EDIT_RETURN)))
def test_hooks_run_in_order_and_each_sees_what_those_before_it_made(case: Case) -> None:
    check(case)


@given(case=cases(roles=("hook", "gate", "gate"), points=("pre_tool_call", "pre_model_call")))
def test_gates_judge_the_final_value_under_the_final_tool_name(case: Case) -> None:
    check(case)


@given(case=cases(roles=("wrapper", "wrapper", "hook")))
def test_wrappers_see_and_settle_what_the_chain_inside_them_did(case: Case) -> None:
    check(case)


@given(case=cases(watchers=("subscriber", "hook", "async hook")))
def test_events_tell_what_happened(case: Case) -> None:
    check(case)


@given(case=cases(points=("tool_finished",)))
def test_observers_change_and_stop_nothing(case: Case) -> None:
    check(case)
