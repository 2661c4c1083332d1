"""A payload that a host goes on with is the one that was judged (A7)."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import ChannelMessage, Denied, HookAborted, HookManager, ModelChoice
from hookcore_specs import HookContext

from .kit import message, refuse

Add = Callable[..., str]

PAYLOADS: dict[str, Any] = {
    "setup_tools": ["search"],
    "setup_state": {"user": "mia"},
    "setup_message": "hello",
    "model_resolve": ModelChoice("provider", "model"),
    "prompt_build": "You are helpful.",
    "message_received": message(),
    "message_sending": message(),
}


@pytest.fixture
def attacked(manager: HookManager, add: Add) -> Callable[[str], None]:
    """Return a way to let a listener change a context that a hook has kept, after the gates."""

    def attack(point: str) -> None:
        kept: list[HookContext] = []

        def keep(ctx: HookContext) -> None:
            kept.append(ctx)

        add(point, keep)
        add(point, lambda ctx: None, gate=True)

        def change(event: Any) -> None:
            kept[0].payload = "never judged"

        manager.subscribe(change)

    return attack


@pytest.mark.parametrize("point", PAYLOADS)
def test_what_a_listener_makes_of_a_context_is_not_used(
    manager: HookManager, attacked: Callable[[str], None], point: str
) -> None:
    attacked(point)

    assert manager.settle(point, PAYLOADS[point]) == PAYLOADS[point]
    assert asyncio.run(manager.asettle(point, PAYLOADS[point])) == PAYLOADS[point]


@pytest.mark.parametrize("name", ["send_message", "receive_message"])
def test_what_is_delivered_is_what_was_judged(
    manager: HookManager, attacked: Callable[[str], None], name: str
) -> None:
    attacked("message_sending" if name == "send_message" else "message_received")
    given: list[Any] = []

    getattr(manager, name)(message(), given.append)
    asyncio.run(getattr(manager, "a" + name)(message(), given.append))

    assert given == [message(), message()]


def test_what_was_sent_is_told_and_observers_cannot_change_it(
    manager: HookManager, add: Add
) -> None:
    told: list[str] = []

    def edits(ctx: Any) -> None:
        told.append(ctx.payload.content)
        object.__setattr__(ctx.payload, "content", "changed")

    add("message_sending", lambda ctx: dataclasses.replace(ctx.payload, content="redacted"))
    add("message_sent", edits)
    delivered: list[ChannelMessage] = []

    manager.send_message(message("secret"), delivered.append)

    assert (told, delivered[0].content) == (["redacted"], "redacted")


def test_a_message_that_was_not_delivered_is_not_told(
    manager: HookManager, watch: Callable[..., Any]
) -> None:
    sent = watch("message_sent")

    def fail(given: Any) -> None:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        manager.send_message(message(), fail)

    assert sent.payloads == []


@pytest.mark.parametrize("name", ["send_message", "receive_message"])
def test_a_message_that_is_denied_is_not_handed_on(
    manager: HookManager, add: Add, name: str
) -> None:
    add("message_sending" if name == "send_message" else "message_received", refuse)
    given: list[Any] = []

    with pytest.raises(HookAborted):
        getattr(manager, name)(message(), given.append)
    denied = getattr(manager, name)(message(), given.append, on_denied="return")

    assert given == []
    assert isinstance(denied, Denied)
