"""An empty manager, a plugin that notes down which points fired, and one that denies."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, hookimpl

POINTS = (
    "gateway_start",
    "gateway_stop",
    "heartbeat_tick",
    "session_start",
    "session_end",
    "message_received",
    "message_sending",
    "message_sent",
    "model_resolve",
    "prompt_build",
    "pre_model_call",
    "model_input",
    "model_output",
    "pre_tool_call",
    "post_tool_call",
    "tool_finished",
)

Policy = Callable[..., str]


@pytest.fixture
def manager() -> Iterator[HookManager]:
    """Return an empty manager, whose background loop ends with the test."""
    made = HookManager()
    yield made
    made.close()


def recorder(seen: list[tuple[str, Any]]) -> Any:
    def make(point: str) -> Any:
        def hook(ctx: Any) -> None:
            seen.append((point, ctx))

        return staticmethod(hookimpl(specname=point)(hook))

    return type("Recorder", (), {point: make(point) for point in POINTS})()


@pytest.fixture
def seen(manager: HookManager) -> list[tuple[str, Any]]:
    """Return the list of (point, context) of what fires from now on."""
    found: list[tuple[str, Any]] = []
    manager.register(recorder(found), name="recorder")
    return found


@pytest.fixture
def policy(manager: HookManager) -> Policy:
    """Return a way to register one function at one point: (point, function, **options)."""

    def register(
        point: str, function: Callable[..., Any], name: str = "policy", **options: Any
    ) -> str:
        marked = hookimpl(specname=point, **options)(function)
        return manager.register(type("Policy", (), {"hook": staticmethod(marked)})(), name=name)

    return register


@pytest.fixture
def deny(policy: Policy) -> Callable[..., None]:
    """Return a way to deny at a point, always or the first ``times``."""

    def register(point: str, message: str | None = None, times: int | None = None) -> None:
        left = [times]

        def hook(ctx: Any) -> None:
            if left[0] is not None:
                if left[0] == 0:
                    return
                left[0] -= 1
            raise HookAborted("the secret reason", message=message)

        policy(point, hook, name=f"no-{point}")

    return register


@pytest.fixture
def until() -> Callable[[Callable[[], object]], Awaitable[None]]:
    """Return a way to wait until something is so."""

    async def wait(is_so: Callable[[], object]) -> None:
        while not is_so():  # noqa: ASYNC110 - it is the outside of what is tested
            await asyncio.sleep(0.001)

    return wait
