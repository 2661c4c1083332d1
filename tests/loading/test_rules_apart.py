"""Rules of a policy that the operator lets be monitored, rolled out, or in force for a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import (
    HookAborted,
    HookDispatchedEvent,
    HookManager,
    PluginLoadError,
    ToolCallContext,
)
from hookcore.config import Config, read_config
from hookcore.hooks import rules
from hookcore.testing import recorded
from hookcore.tracing import Change, trace_changes

from .conftest import World

POLICY = """
from hookcore import HookAborted, hookimpl

class Plugin:
    rule_names = ("no-rm", "no-etc")
    {pre}

    @hookimpl({options})
    {def_} {name}(self, ctx{more}):
        {before}
        for rule, word in {{"no-rm": "rm", "no-etc": "etc"}}.items():
            denial = HookAborted(f"{{word}} is not for you", rule=rule)
            if word in ctx.tool_input["command"] and ctx.enforces(denial):
                raise denial
        {after}
"""
On = Callable[..., dict[str, Any]]
Row = tuple[str, str, str | None]
FORMS: dict[str, dict[str, str]] = {
    "gate": {"options": "gate=True"},
    "hook": {"options": ""},
    "async": {"options": "gate=True", "def_": "async def"},
    "timed": {"options": "gate=True, timeout=30"},
    "offloaded": {"options": "gate=True, offload=True"},
    "wrapper": {"options": "wrapper=True", "after": "yield"},
    "wrap": {
        "options": "",
        "name": "wrap_tool_call",
        "more": ", call_next",
        "after": "return (yield)",
    },
    "async wrap": {
        "options": "",
        "name": "wrap_tool_call",
        "def_": "async def",
        "more": ", call_next",
        "after": "return await call_next()",
    },
}


def source(form: str = "gate") -> str:
    given = {"def_": "def", "name": "pre_tool_call", "more": "", "before": "pass", "after": "pass"}
    return POLICY.format(**{**given, "pre": "on_error = 'deny'", **FORMS[form]})


@pytest.fixture
def policy(world: World) -> World:
    world.install("policy", source())
    return world


async def called(manager: HookManager, command: str, **fields: Any) -> str:
    async def body(arguments: dict[str, Any]) -> str:
        return "done"

    ctx = ToolCallContext(tool_name="bash", tool_input={"command": command}, **fields)
    return str(await manager.acall_tool(ctx, body, on_denied="return"))


def call(manager: HookManager, command: str, **fields: Any) -> str:
    return asyncio.run(called(manager, command, **fields))


def rows(events: list[HookDispatchedEvent]) -> list[Row]:
    """Return what the plugin's records say: verdict, effect, rule."""
    return [(r.verdict, r.effect, r.rule) for event in events for r in event.records]


@pytest.mark.parametrize("form", FORMS)
def test_a_monitored_rule_stops_nothing_and_the_next_one_judges(
    world: World, on: On, form: str
) -> None:
    world.install("policy", source(form))
    manager = world.load({"policy": on(rules={"no-rm": {"mode": "monitor"}})})
    with recorded(manager) as events:
        assert call(manager, "rm a") == "done"
    observed = ("deny", "observed", "no-rm")
    assert rows(events) == [observed, ("allow", "applied", None)]
    assert events[0].hook_count == 1
    with recorded(manager) as events:
        assert call(manager, "rm /etc").startswith("denied")
    assert rows(events) == [observed, ("deny", "applied", "no-etc")]
    manager.close()


def test_a_monitored_rule_that_would_stop_nothing_is_told_too(policy: World, on: On) -> None:
    manager = policy.load({"policy": on(rules={"no-rm": {"mode": "monitor"}})})
    with recorded(manager) as events:
        call(manager, "ls")
    assert rows(events) == [("allow", "observed", "no-rm"), ("allow", "applied", None)]


def test_in_a_monitored_plugin_the_rules_are_told_apart(policy: World, on: On) -> None:
    manager = policy.load({"policy": on(mode="monitor", rules={"no-rm": {"mode": "monitor"}})})
    with recorded(manager) as events:
        assert call(manager, "rm /etc") == "done"
    assert rows(events) == [("deny", "observed", "no-rm"), ("deny", "observed", "no-etc")]


def test_a_sync_host_is_judged_alike(policy: World, on: On) -> None:
    manager = policy.load({"policy": on(rules={"no-rm": {"mode": "monitor"}})})
    assert manager.call_tool("bash", {"command": "rm a"}, lambda _: "done") == "done"
    with pytest.raises(HookAborted, match="etc is not for you"):
        manager.call_tool("bash", {"command": "rm /etc"}, lambda _: "done")


def test_a_rule_is_enforced_in_a_part_of_the_runs(policy: World, on: On) -> None:
    manager = policy.load({"policy": on(rules={"no-rm": {"rollout": 25}})})
    denied = [call(manager, "rm a", run_id=f"run {n}") != "done" for n in range(400)]
    assert 60 < sum(denied) < 140
    assert denied == [call(manager, "rm a", run_id=f"run {n}") != "done" for n in range(400)]
    assert all(call(manager, "etc", run_id=f"run {n}") != "done" for n in range(20))


def test_two_rules_are_rolled_out_in_runs_of_their_own(policy: World, on: On) -> None:
    half = {"rollout": 50}
    manager = policy.load({"policy": on(rules={"no-rm": half, "no-etc": half})})
    found = {
        tuple(call(manager, command, run_id=f"{n}") != "done" for command in ("rm", "etc"))
        for n in range(50)
    }
    assert len(found) == 4


@pytest.mark.parametrize(("day", "is_denied"), [("2027-01-31", True), ("2027-01-30", False)])
def test_a_rule_is_in_force_until_its_last_day(
    policy: World, on: On, monkeypatch: pytest.MonkeyPatch, day: str, *, is_denied: bool
) -> None:
    monkeypatch.setattr(rules, "datetime", Clock)
    manager = policy.load({"policy": on(rules={"no-rm": {"expires": day}})})
    with recorded(manager) as events:
        assert (call(manager, "rm a") != "done") is is_denied
    applied = ("deny", "applied", "no-rm") if is_denied else ("allow", "applied", None)
    assert rows(events) == [applied]
    assert call(manager, "rm /etc") != "done"


class Clock:
    """A clock that stands on the last day of January."""

    @staticmethod
    def now(zone: Any) -> Any:
        from datetime import datetime

        return datetime(2027, 1, 31, 12, tzinfo=zone)


@pytest.mark.parametrize(
    ("day", "words"),
    [
        ("2001-01-01", "so the rule stops nothing any more"),
        (None, "and the rule stops nothing after that day"),
    ],
)
def test_its_last_day_is_told_before_and_after(
    policy: World, on: On, caplog: pytest.LogCaptureFixture, day: str | None, words: str
) -> None:
    from hookcore.config import days

    said = day or days.today().isoformat()
    with caplog.at_level(logging.WARNING, "hookcore"):
        policy.load({"policy": on(rules={"no-rm": {"expires": said}})})
    assert f"rules.no-rm.expires = {said}, {words}" in caplog.text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no-mr", "has no rule 'no-mr'; did you mean \"no-rm\"?; its rules are 'no-rm', 'no-etc'"),
        ("xyz", "has no rule 'xyz'; its rules are"),
    ],
)
def test_a_rule_that_the_plugin_does_not_have_is_refused(
    policy: World, on: On, name: str, words: str
) -> None:
    with pytest.raises(PluginLoadError) as caught:
        policy.load({"policy": on(rules={name: {"mode": "monitor"}})})
    assert words in str(caught.value)
    assert "(see the arguments). Correct the rule's name" in str(caught.value)


def test_a_plugin_that_does_not_ask_can_only_be_put_apart_as_a_whole(world: World, on: On) -> None:
    world.install("policy", source().replace("rule_names", "others"))
    with pytest.raises(PluginLoadError, match="set mode, rollout or expires for the whole plugin"):
        world.load({"policy": on(rules={"no-rm": {"mode": "monitor"}})})


def test_a_denial_that_is_raised_unasked_is_enforced(world: World, on: On) -> None:
    world.install("policy", source().replace("and ctx.enforces(denial)", ""))
    manager = world.load({"policy": on(rules={"no-rm": {"mode": "monitor"}})})
    assert call(manager, "rm a") != "done"


def test_outside_of_a_dispatch_every_denial_is_to_be_raised() -> None:
    assert ToolCallContext(tool_name="x").enforces(HookAborted("no", rule="no-rm"))


def test_what_a_monitored_rule_would_have_stopped_is_traced(policy: World, on: On) -> None:
    manager = policy.load({"policy": on(rules={"no-rm": {"mode": "monitor"}})})
    changes: list[Change] = []
    with trace_changes(manager, changes.append):
        call(manager, "rm a")
    (change,) = changes
    assert (change.verdict, change.effect, change.reason) == (
        "deny",
        "observed",
        "rm is not for you",
    )


def test_a_configuration_with_rules_travels(world: World, on: On) -> None:
    table = on(rules={"no-rm": {"rollout": 5, "expires": "2027-01-31"}})
    config = read_config(world.site, {"plugins": {"policy": table}}, environ={})
    assert Config.from_json(config.to_json()) == config


def test_the_calls_of_one_dispatch_do_not_take_each_others_notes(policy: World, on: On) -> None:
    manager = policy.load({"policy": on(rules={"no-rm": {"mode": "monitor"}})})

    async def many() -> list[HookDispatchedEvent]:
        with recorded(manager) as events:
            await asyncio.gather(*(called(manager, "rm" if n % 2 else "ls") for n in range(20)))
        return events

    found = [row for row in rows(asyncio.run(many())) if row[2]]
    assert (
        sorted(found)
        == [("allow", "observed", "no-rm")] * 10 + [("deny", "observed", "no-rm")] * 10
    )
