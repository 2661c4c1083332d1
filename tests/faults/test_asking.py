"""A person's answer holds for what was shown, and for nothing that a later hook makes (A14)."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookManager

from .kit import message, outcome, plugin_of, tool_call

Add = Callable[..., str]

STAGING = {"env": "staging"}


def ask(ctx: Any) -> None:
    ctx.request_human_input("Deploy?")


async def aask(ctx: Any) -> None:
    await ctx.arequest_human_input("Deploy?")


def ask_around(ctx: Any) -> Any:
    ask(ctx)
    return (yield)


def rewrite(ctx: Any) -> dict[str, str]:
    return {"env": "production"}


def edit(ctx: Any) -> None:
    ctx.payload["env"] = "production"


def assign(ctx: Any) -> None:
    ctx.payload = {"env": "production"}


def rename(ctx: Any) -> None:
    ctx.tool_name = "destroy"


def rewrite_around(ctx: Any) -> Any:
    yield
    return {"env": "production"}


ASKING: dict[str, tuple[Any, dict[str, Any]]] = {
    "plain": (ask, {}),
    "async": (aask, {}),
    "timed": (ask, {"timeout": 30}),
    "offloaded": (ask, {"offload": True}),
    "wrapper": (ask_around, {"wrapper": True}),
}
LATER: dict[str, tuple[Any, dict[str, Any]]] = {
    "returns": (rewrite, {}),
    "edits": (edit, {}),
    "assigns": (assign, {}),
    "renames": (rename, {}),
    "around": (rewrite_around, {"wrapper": True, "tryfirst": True}),
}


def calls(manager: HookManager) -> list[Any]:
    """Return the outcomes of a call of a sync and of an async host."""

    def resolve(name: str) -> Callable[[Any], Any]:
        return lambda used: (name, used)

    arguments: dict[str, Any] = {"resolve": resolve}
    return [
        outcome(lambda: manager.call_tool("deploy", dict(STAGING), lambda u: u, **arguments)),
        outcome(lambda: manager.acall_tool("deploy", dict(STAGING), lambda u: u, **arguments)),
    ]


@pytest.mark.parametrize("asking", ASKING)
@pytest.mark.parametrize("later", LATER)
@pytest.mark.parametrize("heard", [True, False])
def test_what_a_later_hook_makes_was_not_agreed_to(
    manager: HookManager, add: Add, asking: str, later: str, *, heard: bool
) -> None:
    if heard:
        manager.subscribe(lambda event: None)
    function, options = LATER[later]
    if later == "around":  # it begins first, and ends last
        add("pre_tool_call", function, **options)
    add("pre_tool_call", ASKING[asking][0], **ASKING[asking][1])
    if later != "around":
        add("pre_tool_call", function, **options)

    assert calls(manager) == ["denied", "denied"]


@pytest.mark.parametrize("asking", ASKING)
def test_an_answer_holds_for_what_was_shown(manager: HookManager, add: Add, asking: str) -> None:
    add("pre_tool_call", ASKING[asking][0], **ASKING[asking][1])
    add("pre_tool_call", lambda ctx: None)

    assert calls(manager) == [STAGING, STAGING]


def test_what_a_wrap_passes_on_was_not_agreed_to(manager: HookManager, add: Add) -> None:
    async def around(ctx: Any, call_next: Any) -> Any:
        return await call_next({"env": "production"})

    add("pre_tool_call", ask)
    add("wrap_tool_call", around)

    assert outcome(lambda: manager.acall_tool("deploy", STAGING, lambda used: used)) == "denied"


def test_a_wrap_that_passes_on_what_it_got_changes_nothing(manager: HookManager, add: Add) -> None:
    async def around(ctx: Any, call_next: Any) -> Any:
        return await call_next()

    add("pre_tool_call", ask)
    add("wrap_tool_call", around)

    assert outcome(lambda: manager.acall_tool("deploy", STAGING, lambda used: used)) == STAGING


def test_a_gate_asks_about_the_final_value(manager: HookManager, add: Add) -> None:
    shown: list[Any] = []

    def gate(ctx: Any) -> None:
        shown.append(dict(ctx.payload))
        ask(ctx)

    add("pre_tool_call", gate, gate=True)
    add("pre_tool_call", rewrite)

    assert (tool_call(manager, STAGING), shown) == ({"env": "production"}, [{"env": "production"}])


def test_a_hook_of_a_scope_is_a_later_one(manager: HookManager, add: Add) -> None:
    add("pre_tool_call", ask)

    with manager.scope(plugin_of("pre_tool_call", rewrite)):
        assert tool_call(manager, STAGING) == "denied"


def test_messages_and_model_calls_are_asked_about_like_tools(
    manager: HookManager, add: Add
) -> None:
    add("message_sending", ask)
    add("message_sending", lambda ctx: dataclasses.replace(ctx.payload, content="other"))
    add("pre_model_call", ask)
    add("pre_model_call", lambda ctx: ["other"])

    assert outcome(lambda: manager.send_message(message())) == "denied"
    assert outcome(lambda: manager.call_model(["hello"], lambda messages: messages)) == "denied"


def test_the_second_of_two_who_ask_may_change_the_payload_before_asking(
    manager: HookManager, add: Add
) -> None:
    def rewrite_and_ask(ctx: Any) -> Any:
        ctx.payload = {"env": "test"}
        ask(ctx)

    add("pre_tool_call", rewrite_and_ask)

    assert tool_call(manager, STAGING) == {"env": "test"}


def test_one_who_asks_and_is_no_gate_is_told_so_once(
    manager: HookManager, add: Add, caplog: pytest.LogCaptureFixture
) -> None:
    add("pre_tool_call", ask)

    with caplog.at_level(logging.WARNING, logger="hookcore"):
        tool_call(manager)
        tool_call(manager)
        asyncio.run(manager.acall_tool("tool", {}, lambda used: used))

    assert [record.getMessage().count("gate=True") for record in caplog.records] == [1]
