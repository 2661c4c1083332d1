"""The policy under the dispatcher: what is counted, held and spent, and what is told."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any

import pytest

from hookcore import Denied, HookAborted, HookManager, ModelCallContext, ModelResponse, hookimpl
from hookcore.testing import recorded, register_configured
from hookcore_limits import Limits, LimitsSettings

MESSAGES: list[Any] = [{"role": "user", "content": "hi"}]
TENANT = {"tenant": "a"}


def budget(**given: Any) -> dict[str, Any]:
    return {"per": ["tenant"], "tokens": 10_000, "reserve": 1000, **given}


def answer(tokens: int = 100) -> ModelResponse:
    return ModelResponse("x", usage={"input_tokens": tokens - 10, "output_tokens": 10})


def call(manager: HookManager, response: Any = None, **fields: Any) -> Any:
    fields.setdefault("attributes", TENANT)
    given = answer() if response is None else response
    return manager.call_model(MESSAGES, lambda _: given, on_denied="return", **fields)


def state(manager: HookManager) -> tuple[int, int]:
    """Tell what the tenant has spent and holds, as the denial of far too much tells it."""
    denied = call(manager, attributes={**TENANT, "max_tokens": 10**9})
    assert isinstance(denied, Denied)
    told = denied.reason.split(": ")[2].split()
    return int(told[0]), int(told[2])


def tool(manager: HookManager, name: str = "send", **fields: Any) -> bool:
    return not isinstance(
        manager.call_tool(name, {}, lambda _: 1, on_denied="return", **fields), Denied
    )


def memory(**settings: Any) -> HookManager:
    manager = HookManager()
    manager.register(Limits, "limits", settings=settings)
    return manager


def test_a_reached_rate_denies_and_says_when_to_come_back(place: Any) -> None:
    manager = place.manager(rates=[{"per": ["tenant", "tool"], "limit": "1/31 days"}])
    assert tool(manager, attributes=TENANT)
    denied = manager.call_tool("send", {}, len, on_denied="return", attributes=TENANT)
    told, _, rest = denied.reason.partition("; free again in ")
    assert told == "limits: rates[0] (tenant,tool) reached: 1/31 days"
    assert denied.message == f"Too many calls; wait {rest.removesuffix(' s')} seconds."
    assert denied.source == "limits"


@pytest.mark.parametrize(
    ("per", "first", "other"),
    [
        ("tenant", {"attributes": {"tenant": "a"}}, {"attributes": {"tenant": "b"}}),
        ("tenant", {"attributes": {"tenant": "-"}}, {}),
        ("session", {"session_id": "a"}, {"session_id": "b"}),
        ("session", {"session_id": "a"}, {"run_id": "a"}),
        ("session", {"run_id": "a"}, {"run_id": "b"}),
        ("agent", {"agent": "a"}, {"agent": "b"}),
        ("agent", {"agent": "-"}, {}),
        ("tool", {"name": "read"}, {"name": "write"}),
    ],
)
def test_each_scope_is_counted_apart(
    per: str, first: dict[str, Any], other: dict[str, Any]
) -> None:
    manager = memory(rates=[{"per": [per], "limit": "1/hour"}])
    calls = [first, first, other, other]
    assert [tool(manager, **fields) for fields in calls] == [True, False, True, False]


def test_all_calls_together_are_one_scope() -> None:
    manager = memory(rates=[{"per": ["global"], "limit": "2/hour"}])
    names = ("a", "b", "c")
    assert [tool(manager, name, session_id=name) for name in names] == [True, True, False]


@pytest.mark.parametrize(
    "name",
    [
        "Delete File",
        "DELETE_FILE",
        "deleteFile",
        "DeLeTe_FiLe",
        "\uff44elete-file",
        "de\u200blete_file",
    ],
)
def test_another_spelling_of_a_tool_has_no_rate_of_its_own(name: str) -> None:
    manager = memory(rates=[{"per": ["tool"], "limit": "1/hour"}])
    assert [tool(manager, "delete_file"), tool(manager, name)] == [True, False]


def test_names_in_other_scripts_are_counted_apart() -> None:
    manager = memory(rates=[{"per": ["tool"], "limit": "1/hour"}])
    assert [tool(manager, name) for name in ("поиск_1", "письмо_1", "поиск_1")] == [
        True,
        True,
        False,
    ]


def test_a_rate_may_be_about_some_tools_only() -> None:
    manager = memory(rates=[{"per": ["global"], "tools": ["send_*"], "limit": "1/hour"}])
    names = ("read", "send_mail", "read", "Send Letter")
    assert [tool(manager, name) for name in names] == [True, True, True, False]
    plugin: Any = manager.plugins()[0].plugin
    assert plugin.tool_patterns == ["send_*"]


def test_calls_of_models_have_rates_of_their_own() -> None:
    manager = memory(rates=[{"per": ["model"], "calls": "model", "limit": "1/hour"}])
    called = [call(manager, model=name) for name in ("m", "n", "m")]
    assert [isinstance(each, Denied) for each in called] == [False, False, True]
    assert tool(manager)


def test_what_another_gate_denies_is_not_counted() -> None:
    class No:
        @hookimpl(tools=["send"], gate=True)
        def pre_tool_call(self, ctx: Any) -> None:
            raise HookAborted("no")

    manager = memory(rates=[{"per": ["global"], "limit": "1/hour"}])
    manager.register(No())
    assert [tool(manager, name) for name in ("send", "send", "read", "read")] == [
        False,
        False,
        True,
        False,
    ]


def test_a_call_spends_what_it_used(place: Any) -> None:
    manager = place.manager(budgets=[budget()])
    call(manager, answer(123))
    assert state(manager) == (123, 0)


def test_a_budget_is_held_while_the_model_answers(place: Any) -> None:
    manager = place.manager(budgets=[budget()])
    seen: list[tuple[int, int]] = []

    def model(_: Any) -> ModelResponse:
        seen.append(state(manager))
        return answer()

    manager.call_model(MESSAGES, model, attributes=TENANT)
    assert seen == [(0, 1000)]


def test_a_used_up_budget_denies_before_anything_is_sent(place: Any) -> None:
    manager = place.manager(budgets=[budget()])
    call(manager, answer(9500))
    sent: list[Any] = []
    denied = manager.call_model(MESSAGES, sent.append, on_denied="return", attributes=TENANT)
    told = "9500 spent, 0 reserved, 1000 asked, 10000 allowed"
    assert denied.reason == f"limits: budgets[0] (tenant): {told}"
    assert denied.message == "The budget for this is used up."
    assert sent == []


def test_the_request_says_how_much_it_may_use() -> None:
    manager = memory(budgets=[budget()])
    assert not isinstance(call(manager, attributes={**TENANT, "max_tokens": 10_000}), Denied)
    assert isinstance(call(manager, attributes={**TENANT, "max_tokens": 9901}), Denied)


@pytest.mark.parametrize("odd", [True, -1, 0, "1", 1.5, None])
def test_a_request_that_says_it_oddly_takes_what_others_do(odd: Any) -> None:
    manager = memory(budgets=[budget()])
    seen: list[tuple[int, int]] = []
    attributes = {**TENANT, "max_tokens": odd}

    def model(_: Any) -> str:
        seen.append(state(manager))
        return "x"

    manager.call_model(MESSAGES, model, attributes=attributes)
    assert seen == [(0, 1000)]


@pytest.mark.parametrize(
    "response", ["text", {"usage": {"total_tokens": 0}}, {"usage": {"total_tokens": -5}}]
)
def test_unknown_usage_is_charged_as_reserved(response: Any) -> None:
    manager = memory(budgets=[budget()])
    call(manager, response)
    assert state(manager) == (1000, 0)


def test_a_half_known_usage_is_charged_as_reserved_or_more() -> None:
    manager = memory(budgets=[budget()])
    call(manager, {"usage": {"output_tokens": 10}})
    assert state(manager) == (1000, 0)
    call(manager, {"usage": {"output_tokens": 3000}})
    assert state(manager) == (4000, 0)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, asyncio.CancelledError])
def test_a_call_that_fails_after_it_was_sent_is_charged_as_reserved(
    error: type[BaseException],
) -> None:
    manager = memory(budgets=[budget()])

    def model(_: Any) -> Any:
        raise error

    with pytest.raises(error):
        manager.call_model(MESSAGES, model, attributes=TENANT)
    assert state(manager) == (1000, 0)


def test_a_call_that_is_denied_before_it_is_sent_is_charged_nothing() -> None:
    class Late:
        @hookimpl
        def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
            raise HookAborted("no")
            yield

    manager = memory(budgets=[budget()])
    manager.register(Late(), "late")
    assert isinstance(call(manager), Denied)
    manager.unregister("late")
    assert state(manager) == (0, 0)


def test_a_response_that_is_withheld_is_charged() -> None:
    class Withhold:
        @hookimpl
        def post_model_call(self, ctx: Any) -> None:
            raise HookAborted("no")

    manager = memory(budgets=[budget()])
    manager.register(Withhold(), "withhold")
    assert isinstance(call(manager, answer(77)), Denied)
    assert state(manager) == (77, 0)


def test_a_cached_answer_is_charged_nothing() -> None:
    class Cache:
        @hookimpl
        def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
            return "cached"
            yield

    manager = memory(budgets=[budget()])
    manager.register(Cache(), "cache")
    assert call(manager) == "cached"
    assert state(manager) == (0, 0)


def test_a_call_that_a_wrap_changes_is_held_once() -> None:
    class Change:
        @hookimpl
        async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
            return await call_next([*ctx.messages, {"role": "user", "content": "more"}])

    manager = memory(budgets=[budget()])
    manager.register(Change(), "change")
    seen: list[int] = []

    async def main() -> None:
        await manager.acall_model(MESSAGES, model, attributes=TENANT)

    def model(messages: Any) -> ModelResponse:
        seen.append(len(messages))
        return answer()

    asyncio.run(main())
    manager.unregister("change")
    assert seen == [2]
    assert state(manager) == (100, 0)


def test_a_streams_usage_is_spent_at_its_end(place: Any) -> None:
    manager = place.manager(budgets=[budget()])

    def model(_: Any) -> Any:
        yield "a"
        yield answer(50)

    assert len(list(manager.stream_model(MESSAGES, model, attributes=TENANT))) > 0
    assert state(manager) == (50, 0)


def test_a_stream_that_is_left_is_charged_as_reserved(place: Any) -> None:
    manager = place.manager(budgets=[budget()])

    def model(_: Any) -> Any:
        yield "a"
        yield "b"

    stream = manager.stream_model(MESSAGES, model, attributes=TENANT)
    next(stream)
    stream.close()
    assert state(manager) == (1000, 0)


def test_an_async_stream_is_settled_too(place: Any) -> None:
    manager = place.manager(budgets=[budget()])

    async def model(_: Any) -> Any:
        yield "a"
        yield answer(60)

    async def main() -> None:
        async for _ in manager.astream_model(MESSAGES, model, attributes=TENANT):
            pass

    asyncio.run(main())
    assert state(manager) == (60, 0)


def test_a_cancelled_call_is_charged_as_reserved(place: Any) -> None:
    manager = place.manager(budgets=[budget()])

    async def main() -> None:
        begun = asyncio.Event()

        async def model(_: Any) -> Any:
            begun.set()
            await asyncio.Event().wait()

        task = asyncio.ensure_future(manager.acall_model(MESSAGES, model, attributes=TENANT))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert state(manager) == (1000, 0)


def test_threads_share_a_budget(place: Any) -> None:
    manager = place.manager(budgets=[budget(tokens=10_000, reserve=1000)])
    entered: list[int] = []

    def model(_: Any) -> ModelResponse:
        entered.append(1)
        return answer(1000)

    def work() -> None:
        for _ in range(10):
            manager.call_model(MESSAGES, model, on_denied="return", attributes=TENANT)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(entered) == 10
    assert state(manager) == (10_000, 0)


def test_sub_agents_use_what_their_session_has() -> None:
    manager = memory(budgets=[budget(per=["session"])])
    with manager.run(session_id="s"):
        call(manager, answer(4000))
        with manager.run():
            call(manager, answer(5500))
            assert isinstance(call(manager), Denied)
    assert isinstance(call(manager, session_id="s"), Denied)
    assert not isinstance(call(manager, session_id="t"), Denied)


def test_without_a_session_sub_agents_use_what_their_first_run_has() -> None:
    manager = memory(budgets=[budget(per=["session"])])
    with manager.run() as first, manager.run(parent_run_id=first.run_id) as second:
        with manager.run(parent_run_id=second.run_id):
            call(manager, answer(9500))
        assert isinstance(call(manager), Denied)
    with manager.run():
        assert not isinstance(call(manager), Denied)


PRICES = {
    "small-*": {"input": 1.0, "output": 4.0, "cached": 0.5},
    "free": {"input": 0, "output": 0},
}


def money(cost: float = 1.0, **given: Any) -> HookManager:
    rule = {"per": ["tenant"], "cost": cost, "reserve": 1000, **given}
    return memory(budgets=[rule], prices=PRICES)


def used(manager: HookManager) -> str:
    denied = call(manager, model="small-1", attributes={**TENANT, "max_tokens": 10**9})
    return str(denied.reason.split(": ")[2].split(",")[0])


def test_a_budget_of_money_spends_the_price_of_what_was_used() -> None:
    manager = money()
    usage = {
        "prompt_tokens": 100_000,
        "prompt_tokens_details": {"cached_tokens": 40_000},
        "completion_tokens": 50_000,
    }
    call(manager, {"usage": usage}, model="small-1")
    assert used(manager) == "0.28 spent"


def test_a_budget_of_money_holds_the_dearest_price() -> None:
    manager = money(cost=0.004)
    call(manager, {"usage": {"input_tokens": 10, "output_tokens": 0}}, model="small-1")
    denied = call(manager, model="small-1")
    assert denied.reason == (
        "limits: budgets[0].cost (tenant): 0.00001 spent, 0 reserved, 0.004 asked, 0.004 allowed"
    )


@pytest.mark.parametrize(
    ("model", "told"),
    [("large", "'large'"), (None, "a call that tells no model"), ("m" * 99, "mmm'")],
)
def test_a_model_without_a_price_is_denied(model: str | None, told: str) -> None:
    denied = call(money(), model=model)
    assert (
        "limits: budgets[0].cost (tenant) needs prices for every model; none for" in denied.reason
    )
    assert denied.reason.endswith(told)
    assert len(denied.reason) < 200


def test_a_free_model_passes_an_empty_budget() -> None:
    manager = money(cost=0.0)
    assert not isinstance(call(manager, model="free"), Denied)
    assert isinstance(call(manager, model="small-1"), Denied)


def test_a_budget_warns_once_when_it_is_nearly_used(caplog: pytest.LogCaptureFixture) -> None:
    manager = memory(budgets=[budget(warn_at=0.5)])
    with caplog.at_level(logging.WARNING, "hookcore_limits"):
        for _ in range(5):
            call(manager, answer(1500))
    assert [record.getMessage() for record in caplog.records] == [
        "limits: budgets[0] (tenant): 5500 of 10000 are used or reserved"
    ]


def test_a_dry_run_counts_nothing(place: Any) -> None:
    manager = place.manager(budgets=[budget()], rates=[{"per": ["global"], "limit": "1/31 days"}])
    assert all(tool(manager, dry_run=True) for _ in range(3))
    call(manager, answer(9999), dry_run=True)
    assert state(manager) == (0, 0)
    assert tool(manager)


def test_in_monitor_mode_it_counts_and_stops_nothing() -> None:
    manager = HookManager()
    settings = LimitsSettings.model_validate(
        {"budgets": [budget()], "rates": [{"per": ["global"], "limit": "1/hour"}]}
    )
    plugin = Limits(settings)
    register_configured(manager, plugin, "limits", mode="monitor")
    assert [tool(manager) for _ in range(3)] == [True] * 3
    assert not isinstance(call(manager, answer(9999)), Denied)
    assert not isinstance(call(manager, answer(500)), Denied)
    enforcing = HookManager()
    enforcing.register(plugin, "limits")
    assert state(enforcing) == (10_499, 0)


def test_two_calls_with_one_id_at_once_are_both_charged() -> None:
    manager = memory(budgets=[budget()])

    def outer(_: Any) -> ModelResponse:
        call(manager, answer(30), call_id="same")
        return answer(40)

    manager.call_model(MESSAGES, outer, call_id="same", attributes=TENANT)
    assert state(manager) == (70, 0)


def test_a_call_whose_end_is_never_told_stays_held() -> None:
    manager = memory(budgets=[budget()])
    ctx = ModelCallContext(messages=[], attributes=TENANT)
    manager.dispatch("pre_model_call", ctx)
    assert state(manager) == (0, 1000)


def test_a_late_end_is_counted_and_charged_as_reserved(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = memory(budgets=[budget()], ttl_s=1.0)
    plugin: Any = manager.plugins()[0].plugin

    def slow(_: Any) -> ModelResponse:
        plugin._asking._store._began += 2.0
        state(manager)
        return answer(1)

    manager.call_model(MESSAGES, slow, attributes=TENANT)
    assert state(manager) == (1000, 0)
    assert plugin.stats().late == 1


def test_the_statistics_tell_what_happened() -> None:
    manager = memory(rates=[{"per": ["global"], "limit": "1/hour"}], budgets=[budget()])
    plugin: Any = manager.plugins()[0].plugin
    tool(manager)
    tool(manager)
    seen: list[int] = []

    def model(_: Any) -> str:
        seen.append(plugin.stats().under_way)
        return "x"

    manager.call_model(MESSAGES, model, attributes=TENANT)
    assert (plugin.stats().denied, seen, plugin.stats().under_way) == (1, [1], 0)


def test_without_limits_it_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "hookcore_limits"):
        manager = memory()
    assert "lets every call through" in caplog.text
    assert tool(manager)
    assert not isinstance(call(manager), Denied)


def test_the_reason_shows_no_id_and_no_name_that_a_model_wrote() -> None:
    manager = memory(rates=[{"per": ["tenant", "session", "tool"], "limit": "1/hour"}])
    fields: dict[str, Any] = {"session_id": "s-hunter2", "attributes": {"tenant": "t-hunter2"}}
    tool(manager, "hunter2", **fields)
    denied = manager.call_tool("hunter2", {}, len, on_denied="return", **fields)
    assert "hunter2" not in denied.reason + denied.message


def test_a_tool_is_counted_under_each_name_that_it_is_known_by() -> None:
    manager = memory(rates=[{"per": ["global"], "tools": ["shell"], "limit": "1/hour"}])
    known: dict[str, Any] = {"attributes": {"tool_aliases": ["shell"]}}
    assert [tool(manager, "Bash", **known), tool(manager, "Bash", **known)] == [True, False]
    assert tool(manager, "Bash")


def test_a_call_that_was_given_up_while_it_was_judged_holds_nothing() -> None:
    manager = memory(budgets=[budget()])
    plugin: Any = manager.plugins()[0].plugin
    ctx = ModelCallContext(messages=[], attributes=TENANT, call_id="c", status="cancelled")
    plugin.model_finished(ctx)  # the host has gone on, and the gate's thread answers now
    plugin.pre_model_call(ctx)
    assert state(manager) == (0, 0)
    assert plugin.stats().under_way == 0


def test_an_end_that_comes_after_very_many_other_calls_is_late_and_not_charged_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    manager = memory(budgets=[budget()], ttl_s=1.0)
    plugin: Any = manager.plugins()[0].plugin

    def slow(_: Any) -> ModelResponse:
        plugin._ledger._asking._store._began += 2.0
        for number in range(3):
            call(manager, answer(10), call_id=str(number))
        return answer(500)

    manager.call_model(MESSAGES, slow, attributes=TENANT)
    assert state(manager) == (1030, 0)


def test_an_agent_whose_name_cannot_be_read_is_no_agent() -> None:
    class Odd:
        @property
        def role(self) -> str:
            raise RuntimeError("no role")

    manager = memory(rates=[{"per": ["agent"], "limit": "1/hour"}])
    assert [tool(manager, agent=Odd()), tool(manager, agent=Odd())] == [True, False]


def test_another_spelling_of_a_model_has_no_price() -> None:
    manager = money(cost=0.0)
    assert isinstance(call(manager, model="FREE"), Denied)


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"rates": [{"per": ["global"], "limit": "1/hour", "calls": "model"}]}, "rates[0]"),
        ({"budgets": [budget(tokens=1000)]}, "budgets[0]"),
        (
            {
                "budgets": [{"per": ["tenant"], "cost": 1.0}],
                "prices": {"other": {"input": 1, "output": 1}},
            },
            "budgets[0]",
        ),
    ],
)
def test_a_denial_names_its_rule(settings: dict[str, Any], rule: str) -> None:
    manager = memory(**settings)
    with recorded(manager) as events:
        for _ in range(2):
            call(manager)
    denied = [r.rule for event in events for r in event.records if r.verdict == "deny"]
    assert set(denied) == {rule}


def test_a_rate_that_is_only_monitored_leaves_calls_to_the_others() -> None:
    manager = HookManager()
    rates = [{"per": ["global"], "limit": "1/hour"}, {"per": ["global"], "limit": "3/day"}]
    limits = Limits(LimitsSettings.model_validate({"rates": rates}))
    register_configured(manager, limits, "limits", rules={"rates[0]": {"mode": "monitor"}})
    with recorded(manager) as events:
        assert [tool(manager) for _ in range(4)] == [True, True, True, False]
    told = [(r.verdict, r.effect, r.rule) for r in events[-1].records]
    assert told == [("deny", "observed", "rates[0]"), ("deny", "applied", "rates[1]")]
    assert limits.stats().denied == 1
