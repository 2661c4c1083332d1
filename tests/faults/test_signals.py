"""Signals and cancellations go on, whatever hooks make of them (B1, B2)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from hookcore import Abort, HookAborted, HookManager, Replace, ToolCallContext
from hookcore.hooks.options import OperatorOptions

from .kit import cancelled_while, either, plugin_of

Add = Callable[..., str]
Form = Callable[..., Any]

tells_cancellations = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="nothing tells of a task's cancellations before 3.11"
)


class Pause(Exception):  # noqa: N818 - a host's control flow, not an error
    """Control flow of the host's."""


async def returns(ctx: Any, call_next: Any) -> Any:
    try:
        return await call_next()
    except BaseException:  # noqa: BLE001 - what is tested
        return "fallback"


async def fails(ctx: Any, call_next: Any) -> Any:
    try:
        return await call_next()
    except BaseException:  # noqa: BLE001
        raise ValueError from None


async def aborts(ctx: Any, call_next: Any) -> Any:
    try:
        return await call_next()
    except BaseException:  # noqa: BLE001
        raise HookAborted("no") from None


async def replaces(ctx: Any, call_next: Any) -> Any:
    try:
        return await call_next()
    except BaseException:  # noqa: BLE001
        return Replace(None)


async def tries_again(ctx: Any, call_next: Any) -> Any:
    for _ in range(3):
        try:
            return await call_next()
        except BaseException:  # noqa: BLE001
            continue
    return Abort("gave up")


async def gathers(ctx: Any, call_next: Any) -> Any:
    await asyncio.gather(call_next(), return_exceptions=True)
    return "fallback"


async def streams(ctx: Any, call_next: Any) -> Any:
    try:
        async for item in call_next():
            yield item
    except Exception:  # noqa: BLE001
        yield "fallback"


async def stream_aborts(ctx: Any, call_next: Any) -> Any:
    try:
        async for item in call_next():
            yield item
    except Exception:  # noqa: BLE001
        raise HookAborted("no") from None


def yields(ctx: Any, call_next: Any) -> Any:
    try:
        yield
    except BaseException:  # noqa: BLE001
        return "fallback"


def yield_aborts(ctx: Any, call_next: Any) -> Any:
    try:
        yield
    except BaseException:  # noqa: BLE001
        raise HookAborted("no") from None


def yield_fails(ctx: Any, call_next: Any) -> Any:
    try:
        yield
    except BaseException:  # noqa: BLE001
        raise ValueError from None


FORMS: list[Form] = [
    *(returns, fails, aborts, replaces, tries_again, streams, stream_aborts),
    *(yields, yield_aborts, yield_fails),
]
PLAIN: list[Form] = [yields, yield_aborts, yield_fails]


def raising(error: type[BaseException]) -> Callable[[Any], Any]:
    def body(arguments: Any) -> None:
        raise error

    return body


@pytest.fixture
def pausing() -> HookManager:
    """Return a manager of a host with control flow of its own."""
    return HookManager(control_flow=[Pause])


def around(manager: HookManager, form: Form, on_error: Any, *, monitor: bool) -> list[Any]:
    """Register a wrap; return the list that the ends of tool calls go into."""
    operator = OperatorOptions(mode="monitor") if monitor else None
    plugin = plugin_of("wrap_tool_call", form, on_error=on_error)
    manager.register_configured(plugin, operator=operator)
    ends: list[Any] = []
    manager.register(plugin_of("tool_finished", lambda ctx: ends.append(ctx.status)))
    return ends


@pytest.mark.parametrize("form", [*FORMS, gathers])
@pytest.mark.parametrize("on_error", ["allow", "deny", "raise"])
@pytest.mark.parametrize("monitor", [True, False])
def test_a_signal_of_the_operation_passes_every_wrap(
    pausing: HookManager, form: Form, on_error: str, *, monitor: bool
) -> None:
    ends = around(pausing, form, on_error, monitor=monitor)

    assert either(pausing, raising(Pause), sync=False) == "Pause"
    assert ends == ["cancelled"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("monitor", [True, False])
def test_an_interrupt_of_the_operation_passes_every_wrap(
    pausing: HookManager, form: Form, error: type[BaseException], *, monitor: bool
) -> None:
    ends = around(pausing, form, "deny", monitor=monitor)

    assert either(pausing, raising(error), sync=False) == error.__name__
    assert ends == ["cancelled"]


@pytest.mark.parametrize("form", PLAIN)
@pytest.mark.parametrize("error", [Pause, KeyboardInterrupt])
@pytest.mark.parametrize("on_error", ["allow", "deny", "raise"])
def test_a_signal_passes_the_wraps_of_a_sync_host(
    pausing: HookManager, form: Form, error: type[BaseException], on_error: str
) -> None:
    ends = around(pausing, form, on_error, monitor=False)

    assert either(pausing, raising(error), sync=True) == error.__name__
    assert ends == ["cancelled"]


async def returns_a_stream(ctx: Any, call_next: Any) -> Any:
    async def fallback() -> Any:
        try:
            async for item in call_next():
                yield item
        except Exception:  # noqa: BLE001 - what is tested
            yield "fallback"

    return fallback()


@pytest.mark.parametrize(
    "form", [streams, stream_aborts, yields, yield_aborts, yield_fails, returns_a_stream]
)
@pytest.mark.parametrize("on_error", ["allow", "deny", "raise"])
def test_a_signal_passes_the_wraps_of_a_stream(
    pausing: HookManager, form: Form, on_error: str
) -> None:
    ends: list[Any] = []
    pausing.register(plugin_of("wrap_model_call", form, on_error=on_error))
    pausing.register(plugin_of("model_finished", lambda ctx: ends.append(ctx.status)))

    async def model(messages: Any) -> Any:
        yield {"type": "text", "text": "hello"}
        raise Pause

    async def main() -> None:
        async for _ in pausing.astream_model([], model):
            pass

    with pytest.raises(Pause):
        asyncio.run(main())

    assert ends == ["cancelled"]


def test_an_operation_that_has_paused_is_not_run_again(pausing: HookManager) -> None:
    around(pausing, tries_again, "allow", monitor=False)
    ran: list[int] = []

    def body(arguments: Any) -> str:
        ran.append(1)
        if len(ran) == 1:
            raise Pause
        return "ran again"

    assert either(pausing, body, sync=False) == "Pause"
    assert ran == [1]


@pytest.mark.parametrize("outer", FORMS)
@pytest.mark.parametrize("inner", FORMS)
def test_a_signal_passes_wraps_in_wraps(pausing: HookManager, outer: Form, inner: Form) -> None:
    ends = around(pausing, outer, "deny", monitor=False)
    pausing.register(plugin_of("wrap_tool_call", inner, on_error="deny"))

    assert either(pausing, raising(Pause), sync=False) == "Pause"
    assert ends == ["cancelled"]


@pytest.mark.parametrize("point", ["pre_tool_call", "post_tool_call"])
@pytest.mark.parametrize("answer", ["value", "failure", "abort"])
def test_a_signal_of_a_hook_passes_the_wrapper_hooks(
    pausing: HookManager, point: str, answer: str
) -> None:
    def wrapper(ctx: Any) -> Any:
        try:
            yield
        except Exception:  # noqa: BLE001 - what is tested
            if answer == "failure":
                raise ValueError from None
            if answer == "abort":
                raise HookAborted("no") from None
            return {"another": "value"}

    def pause(ctx: Any) -> None:
        raise Pause

    pausing.register(plugin_of(point, wrapper, wrapper=True, on_error="deny"))
    pausing.register(plugin_of(point, pause, on_error="deny"))

    assert either(pausing, lambda arguments: "ran", sync=True) == "Pause"
    assert either(pausing, lambda arguments: "ran", sync=False) == "Pause"


def test_a_body_that_pauses_a_wrap_may_still_look_at_ordinary_errors(pausing: HookManager) -> None:
    around(pausing, returns, "deny", monitor=False)

    assert either(pausing, raising(ValueError), sync=False) == "fallback"


async def swallow(ctx: Any) -> None:
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(60)


async def fail_instead(ctx: Any) -> None:
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        raise ValueError from None


async def deny_instead(ctx: Any) -> None:
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        raise HookAborted("no") from None


@tells_cancellations
@pytest.mark.parametrize("hook", [swallow, fail_instead, deny_instead])
@pytest.mark.parametrize("on_error", ["allow", "deny", "raise"])
@pytest.mark.parametrize("gate", [True, False])
@pytest.mark.parametrize("kind", ["plain", "timed", "monitored", "recorded", "tracked"])
@pytest.mark.parametrize("point", ["pre_tool_call", "post_tool_call"])
def test_a_cancellation_that_a_hook_swallowed_ends_the_call(
    hook: Callable[[Any], Any], on_error: Any, kind: str, point: str, *, gate: bool
) -> None:
    manager = HookManager(track_mutations=kind == "tracked")
    if kind == "recorded":
        manager.subscribe(lambda event: None)
    timeout = 30 if kind == "timed" else None
    plugin = plugin_of(point, hook, gate=gate, on_error=on_error, timeout=timeout)
    operator = OperatorOptions(mode="monitor") if kind == "monitored" else None
    manager.register_configured(plugin, operator=operator)
    ends: list[Any] = []
    manager.register(plugin_of("tool_finished", lambda ctx: ends.append(ctx.status)))
    ran: list[Any] = []

    result = asyncio.run(cancelled_while(manager.acall_tool("tool", {}, ran.append)))

    assert (result, ends) == ("CancelledError", ["cancelled"])
    assert len(ran) == (point == "post_tool_call")


def noting(into: list[Any]) -> Callable[[Any], None]:
    def hook(ctx: Any) -> None:
        into.append(ctx)

    return hook


@tells_cancellations
@pytest.mark.parametrize("hook", [swallow, fail_instead, deny_instead])
@pytest.mark.parametrize("on_error", ["allow", "deny", "raise"])
@pytest.mark.parametrize("gate", [True, False])
@pytest.mark.parametrize("heard", [True, False])
def test_a_cancellation_that_a_hook_swallowed_ends_a_bare_dispatch(
    hook: Callable[[Any], Any], on_error: str, *, gate: bool, heard: bool
) -> None:
    manager = HookManager()
    if heard:
        manager.subscribe(lambda event: None)
    later: list[Any] = []
    manager.register(plugin_of("pre_tool_call", hook, gate=gate, on_error=on_error))
    manager.register(plugin_of("pre_tool_call", noting(later), gate=gate))
    ctx = ToolCallContext(tool_name="tool", payload={})

    result = asyncio.run(cancelled_while(manager.adispatch("pre_tool_call", ctx)))

    assert (result, later) == ("CancelledError", [])


async def wrap_swallows_before(ctx: Any, call_next: Any) -> Any:
    await swallow(ctx)
    return await call_next()


async def wrap_fails_before(ctx: Any, call_next: Any) -> Any:
    await fail_instead(ctx)


@tells_cancellations
@pytest.mark.parametrize("form", [wrap_swallows_before, wrap_fails_before])
@pytest.mark.parametrize("on_error", ["allow", "deny", "raise"])
def test_nothing_runs_after_a_wrap_swallowed_a_cancellation(
    manager: HookManager, form: Form, on_error: str
) -> None:
    ends = around(manager, form, on_error, monitor=False)
    ran: list[Any] = []

    result = asyncio.run(cancelled_while(manager.acall_tool("tool", {}, ran.append)))

    assert (result, ends, ran) == ("CancelledError", ["cancelled"], [])


@tells_cancellations
@pytest.mark.parametrize("form", [form for form in FORMS if form not in PLAIN])
@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_a_cancellation_of_the_operation_passes_every_wrap(
    manager: HookManager, form: Form, on_error: str
) -> None:
    ends = around(manager, form, on_error, monitor=False)

    async def body(arguments: Any) -> None:
        await asyncio.sleep(60)

    result = asyncio.run(cancelled_while(manager.acall_tool("tool", {}, body)))

    assert (result, ends) == ("CancelledError", ["cancelled"])


def test_a_wrap_that_gives_the_operation_a_limit_may_answer_in_its_place(
    manager: HookManager,
) -> None:
    async def limited(ctx: Any, call_next: Any) -> Any:
        try:
            return await asyncio.wait_for(call_next(), 0.001)
        except asyncio.TimeoutError:
            return "too late"

    ends = around(manager, limited, "deny", monitor=False)

    async def body(arguments: Any) -> None:
        await asyncio.sleep(60)

    assert either(manager, body, sync=False) == "too late"
    assert ends == ["ok"]


def test_a_hook_that_limits_its_own_waiting_has_not_swallowed_a_cancellation(
    manager: HookManager,
) -> None:
    async def limited(ctx: Any) -> None:
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.sleep(60), 0.001)

    manager.register(plugin_of("pre_tool_call", limited, gate=True))

    assert either(manager, lambda arguments: "ran", sync=False) == "ran"
