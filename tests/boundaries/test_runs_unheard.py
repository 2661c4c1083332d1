"""Runs, turns and steps that no hook hears of when they begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookManager, hookimpl
from hookcore.hosting import current_run

Opens = Callable[[HookManager], Any]

OPENS: list[Opens] = [
    lambda manager: manager.run({"a": 1}, message="hi"),
    lambda manager: manager.turn(["hi"]),
    lambda manager: manager.step("in"),
]
NAMES = ["run", "turn", "step"]
each = pytest.mark.parametrize("opens", OPENS, ids=NAMES)


class Elsewhere:
    """Listens to what runs, turns and steps are made of, and to nothing in particular."""

    @hookimpl
    def pre_run(self, ctx: Any) -> None: ...

    @hookimpl
    def post_run(self, ctx: Any) -> None: ...

    @hookimpl
    def pre_turn(self, ctx: Any) -> None: ...

    @hookimpl
    def turn_finished(self, ctx: Any) -> None: ...

    @hookimpl
    def pre_step(self, ctx: Any) -> None: ...

    @hookimpl
    def step_finished(self, ctx: Any) -> None: ...


class Told:
    """Notes each end that it is told of."""

    def __init__(self) -> None:
        self.ends: list[Any] = []

    @hookimpl
    def execution_end(self, ctx: Any) -> None:
        self.ends.append(("execution_end", ctx.status, type(ctx.error)))

    @hookimpl
    def run_finished(self, ctx: Any) -> None:
        self.ends.append(("run_finished", ctx.status, ctx.entered))

    @hookimpl
    def turn_finished(self, ctx: Any) -> None:
        self.ends.append(("turn_finished", ctx.status, ctx.entered))

    @hookimpl
    def step_finished(self, ctx: Any) -> None:
        self.ends.append(("step_finished", ctx.status, ctx.entered))


def seen(boundary: Any) -> tuple[Any, ...]:
    """Return all that the block and its context show, but for ids that are always new."""
    ctx = boundary.ctx
    shown = ("inputs", "message", "result", "messages", "opening", "input", "output")
    public = {name: getattr(boundary, name) for name in shown if hasattr(boundary, name)}
    return public, ctx.payload, ctx.status, ctx.error, ctx.entered, ctx.parent_run_id


@each
def test_a_block_shows_the_same_as_one_that_hooks_hear_of(opens: Opens) -> None:
    heard = HookManager()
    heard.register(Elsewhere())
    both = []
    for manager in (HookManager(), heard):
        with opens(manager) as boundary:
            inside = seen(boundary)
        both.append((inside, seen(boundary)))
    assert both[0] == both[1]


@pytest.mark.asyncio
@each
async def test_an_async_block_shows_the_same_too(opens: Opens) -> None:
    heard = HookManager()
    heard.register(Elsewhere())
    both = []
    for manager in (HookManager(), heard):
        async with opens(manager) as boundary:
            inside = seen(boundary)
        both.append((inside, seen(boundary)))
    assert both[0] == both[1]


@each
def test_a_hook_that_is_registered_in_the_block_is_told_of_its_end(
    manager: HookManager, opens: Opens
) -> None:
    told = Told()
    with opens(manager):
        manager.register(told)
    assert told.ends[-1][1:] == ("ok", True)


def test_a_hook_that_is_registered_in_a_run_is_told_of_its_failure(manager: HookManager) -> None:
    told = Told()

    def fail() -> None:
        with manager.run():
            manager.register(told)
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        fail()
    assert told.ends == [("execution_end", "failed", OSError), ("run_finished", "error", True)]


def test_a_run_is_left_when_its_block_ends(manager: HookManager) -> None:
    with manager.run() as run:
        assert current_run().run_id == run.run_id
    assert current_run().run_id is None


def test_a_run_is_left_when_its_block_fails(manager: HookManager) -> None:
    with pytest.raises(OSError, match="disk full"), manager.run():
        raise OSError("disk full")
    assert current_run().run_id is None


def test_a_message_that_cannot_be_made_ends_the_run(manager: HookManager) -> None:
    def fail(_inputs: Any) -> Any:
        raise OSError("no message")

    with pytest.raises(OSError, match="no message"), manager.run(message=fail):
        pass
    assert current_run().run_id is None
