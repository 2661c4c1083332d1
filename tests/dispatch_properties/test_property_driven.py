"""Async hooks and wraps that an event loop, or whoever else drives them, goes on with in any way.

The quick ways begin a hook by hand and hand it over when it waits. Whatever is sent to it, thrown
into it, or closes it then has to come to what it comes to in the engine, which awaits it.
"""

from __future__ import annotations

import asyncio
import contextlib
import types
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore import HookAborted, HookManager, ToolCallContext, hookimpl
from hookcore.testing import register_configured

Way = Literal["adispatch", "awrap"]


class Stop(BaseException):
    """Like KeyboardInterrupt."""


class Hook(NamedTuple):
    """The acts of a hook each time that it waits, its end, and the meaning of its failure."""

    waits: list[str]
    end: str
    on_error: Literal["allow", "deny", "raise"]
    gate: bool


HOOKS = st.builds(
    Hook,
    waits=st.lists(st.sampled_from(["plainly", "catching", "turning"]), max_size=3),
    end=st.sampled_from(["nothing", "nothing", "replace", "fail", "abort", "stop"]),
    on_error=st.sampled_from(["allow", "deny", "raise"]),
    gate=st.booleans(),
)
DRIVES = st.lists(st.sampled_from(["next", "send", "throw", "stop", "close"]), max_size=6)


@types.coroutine
def pause(value: object) -> Generator[object, Any, Any]:
    """Yield a value to whoever drives; return what is sent."""
    return (yield value)


async def act(name: int, hook: Hook, seen: list[Any]) -> None:
    """Wait and end as a case says."""
    for number, how in enumerate(hook.waits):
        try:
            seen.append((name, number, await pause((name, number))))
        except GeneratorExit:
            seen.append((name, "closed"))
            raise
        except BaseException as error:
            seen.append((name, "caught", type(error)))
            if how == "turning":
                raise LookupError(name) from None
            if how == "plainly":
                raise
    if hook.end == "fail":
        raise ValueError(name)
    if hook.end == "abort":
        raise HookAborted(f"because {name}")
    if hook.end == "stop":
        raise Stop(name)


def plugin_of(name: int, hook: Hook, way: Way, seen: list[Any]) -> Any:
    """Return a plugin with a hook that does what its case says."""

    class Dispatched:
        @hookimpl(gate=hook.gate)
        async def pre_tool_call(self, ctx: Any) -> Any:
            await act(name, hook, seen)
            return {"by": name} if hook.end == "replace" and not hook.gate else None

    class Wrapping:
        @hookimpl
        async def wrap_tool_call(self, ctx: Any, call_next: Callable[..., Any]) -> Any:
            await act(name, hook, seen)
            result = await call_next()
            seen.append((name, "result", result))
            await pause((name, "after"))
            return "own" if hook.end == "replace" else result

    return Dispatched() if way == "adispatch" else Wrapping()


def outcome(hooks: list[Hook], drives: list[str], way: Way, *, watched: bool) -> Any:
    """Return all that is seen of one dispatch, or one operation, which is driven by hand."""
    seen: list[Any] = []
    manager = HookManager(track_mutations=watched)
    for name, hook in enumerate(hooks):
        plugin = plugin_of(name, hook, way, seen)
        register_configured(manager, plugin, f"p{name}", on_error=hook.on_error)
    ctx = ToolCallContext(tool_name="tool", payload={})

    async def body(payload: Any) -> Any:
        return await pause("body")

    async def main() -> Any:
        begun: Coroutine[Any, Any, Any] = (
            manager.adispatch("pre_tool_call", ctx)
            if way == "adispatch"
            else manager.awrap("wrap_tool_call", ctx, body)
        )
        try:
            return driven(begun, drives, seen)
        finally:
            begun.close()

    return seen, asyncio.run(main()), ctx.payload


def driven(begun: Coroutine[Any, Any, Any], drives: list[str], seen: list[Any]) -> Any:
    """Drive a coroutine to its end; return that, and note what it yields."""
    rest = iter(drives)
    step: Callable[[], Any] = lambda: begun.send(None)  # noqa: E731 - the first of several
    for _ in range(100):
        try:
            seen.append(("yields", step()))
        except StopIteration as stop:
            return None if isinstance(stop.value, ToolCallContext) else stop.value
        except BaseException as error:  # noqa: BLE001 - compared with the other way's
            return type(error), getattr(error, "reason", None), getattr(error, "source", None)
        how = next(rest, "next")
        if how == "close":
            begun.close()
            return "closed"
        step = {
            "next": lambda: begun.send(None),
            "send": lambda: begun.send("sent"),
            "throw": lambda: begun.throw(KeyError("thrown")),
            "stop": lambda: begun.throw(Stop("thrown")),
        }[how]
    return "endless"


@given(hooks=st.lists(HOOKS, min_size=1, max_size=3), drives=DRIVES)
@settings(max_examples=60)
@pytest.mark.parametrize("way", ["adispatch", "awrap"])
def test_hooks_that_wait_end_as_in_the_engine_however_they_are_driven(
    way: Way, hooks: list[Hook], drives: list[str]
) -> None:
    quick = outcome(hooks, drives, way, watched=False)
    assert quick == outcome(hooks, drives, way, watched=True)


@pytest.mark.parametrize("more", [0, 1])
def test_what_was_thrown_and_caught_is_no_context_of_a_later_error(more: int) -> None:
    class Late:
        @hookimpl(on_error="raise")
        async def pre_tool_call(self, ctx: Any) -> None:
            with contextlib.suppress(KeyError):
                await pause("here")
            raise LookupError

    manager = HookManager()
    for _ in range(more):
        manager.register(plugin_of(1, Hook([], "nothing", "raise", gate=False), "adispatch", []))
    manager.register(Late())
    begun = manager.adispatch("pre_tool_call", ToolCallContext(tool_name="tool", payload={}))
    begun.send(None)

    with pytest.raises(LookupError) as raised:
        begun.throw(KeyError())

    assert raised.value.__context__ is None
