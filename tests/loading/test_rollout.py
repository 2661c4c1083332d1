"""A plugin that is enforced in a part of the runs, and one whose days are numbered."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore import HookAborted, HookDispatchedEvent, HookManager, ToolCallContext
from hookcore.config import days
from hookcore.hooks.rollout import is_chosen

from .conftest import World

GATE = """
from hookcore import HookAborted, hookimpl

class Plugin:
    @hookimpl(gate=True{more})
    def pre_tool_call(self, ctx):
        raise HookAborted(reason="no", source="gate")
"""
On = Callable[..., dict[str, Any]]


@pytest.fixture(params=["", ', tools=["read"]'])
def gate(request: pytest.FixtureRequest, world: World) -> World:
    world.install("gate", GATE.replace("{more}", request.param))
    return world


def is_denied(manager: HookManager, **fields: Any) -> bool:
    ctx = ToolCallContext(tool_name="read", payload={}, **fields)
    try:
        manager.dispatch("pre_tool_call", ctx)
    except HookAborted:
        return True
    return False


def test_a_quarter_of_the_runs_is_denied_and_the_rest_is_watched(gate: World, on: On) -> None:
    manager = gate.load({"gate": on(rollout=25)})
    events: list[HookDispatchedEvent] = []
    manager.subscribe(events.append)
    denied = [is_denied(manager, run_id=f"run {number}") for number in range(1000)]
    assert 200 < sum(denied) < 300
    effects = [event.records[0].effect for event in events]
    assert effects == ["applied" if was_denied else "observed" for was_denied in denied]
    assert {event.records[0].verdict for event in events} == {"deny"}


def test_all_calls_of_one_run_are_treated_alike(gate: World, on: On) -> None:
    manager = gate.load({"gate": on(rollout=50)})
    for number in range(50):
        assert len({is_denied(manager, run_id=f"{number}") for _ in range(3)}) == 1


def test_an_async_host_denies_the_same_runs(gate: World, on: On) -> None:
    manager = gate.load({"gate": on(rollout=50)})

    async def is_denied_there(run: str) -> bool:
        ctx = ToolCallContext(tool_name="read", payload={}, run_id=run)
        try:
            await manager.adispatch("pre_tool_call", ctx)
        except HookAborted:
            return True
        return False

    for number in range(50):
        run = f"run {number}"
        assert asyncio.run(is_denied_there(run)) == is_denied(manager, run_id=run)


def test_boundaries_deny_the_same_runs(gate: World, on: On) -> None:
    manager = gate.load({"gate": on(rollout=50)})
    for number in range(50):
        run = f"run {number}"
        with manager.run(run_id=run):
            result = manager.call_tool("read", {}, lambda _: "done", on_denied="return")
        assert (result != "done") == is_denied(manager, run_id=run)


def test_a_session_stands_in_for_a_run(gate: World, on: On) -> None:
    manager = gate.load({"gate": on(rollout=50)})
    found = {is_denied(manager, session_id=f"{number}") for number in range(50)}
    assert found == {True, False}


def test_what_belongs_to_no_run_is_denied(gate: World, on: On) -> None:
    assert is_denied(gate.load({"gate": on(rollout=0)}))


@pytest.mark.parametrize(("rollout", "denied"), [(0, False), (100, True)])
def test_none_and_all(gate: World, on: On, rollout: int, *, denied: bool) -> None:
    manager = gate.load({"gate": on(rollout=rollout)})
    assert {is_denied(manager, run_id=f"{number}") for number in range(50)} == {denied}


@given(run=st.text(), percent=st.floats(0, 100), more=st.floats(0, 100))
def test_a_run_that_is_chosen_stays_chosen_when_the_share_grows(
    run: str, percent: float, more: float
) -> None:
    low, high = sorted((percent, more))
    assert is_chosen("p", run, low) <= is_chosen("p", run, high)


class TestExpiry:
    """``expires``."""

    @pytest.fixture(autouse=True)
    def january(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(days, "today", lambda: date(2027, 1, 31))

    def test_a_plugin_acts_on_its_last_day(self, gate: World, on: On) -> None:
        assert is_denied(gate.load({"gate": on(expires=date(2027, 1, 31))}))

    def test_a_plugin_is_not_loaded_after_its_last_day_and_a_warning_tells(
        self, gate: World, on: On, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.WARNING, "hookcore"):
            manager = gate.load({"gate": on(expires="2027-01-30")})
        assert not manager.plugins()
        assert caplog.messages == [
            "plugin gate: the arguments says expires = 2027-01-30, so it is not loaded any more"
        ]

    @pytest.mark.parametrize(("day", "told"), [("2027-02-14", True), ("2027-02-15", False)])
    def test_a_warning_tells_two_weeks_before(
        self, gate: World, on: On, caplog: pytest.LogCaptureFixture, day: str, *, told: bool
    ) -> None:
        with caplog.at_level(logging.WARNING, "hookcore"):
            gate.load({"gate": on(expires=day)})
        assert ("it is not loaded after that day" in caplog.text) == told
