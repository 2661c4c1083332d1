from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import Abort, HookAborted, HookManager, hookimpl
from hookcore.hosting import BodyFailed

ERROR = OSError("the disk is gone")


def failing(given: Any) -> Any:
    raise BodyFailed("I could not read it", ERROR)


async def afailing(given: Any) -> Any:
    await asyncio.sleep(0)
    failing(given)


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest, manager: HookManager) -> Callable[..., Any]:
    """Return a call of a tool whose body fails with a value."""

    def run(**options: Any) -> Any:
        if request.param == "sync":
            return manager.call_tool("read", {}, failing, call_id="c1", **options)
        return asyncio.run(manager.acall_tool("read", {}, afailing, call_id="c1", **options))

    return run


def test_the_host_goes_on_with_the_value_and_the_call_has_failed(
    call: Callable[..., Any], ends: Any
) -> None:
    assert call() == "I could not read it"
    assert (ends.tools, ends.results) == ([("c1", "error")], ["I could not read it"])


def test_hooks_see_the_value_and_the_error(
    call: Callable[..., Any], add: Callable[..., str]
) -> None:
    seen = []
    add("post_tool_call", lambda ctx: seen.append((ctx.tool_result, ctx.error)))
    call()
    assert seen == [("I could not read it", ERROR)]


def test_what_hooks_make_of_the_value_is_what_the_host_goes_on_with(
    call: Callable[..., Any], add: Callable[..., str]
) -> None:
    add("post_tool_call", lambda ctx: ctx.tool_result.replace("read", "open"))
    assert call() == "I could not open it"


def test_a_gate_can_withhold_the_value(
    call: Callable[..., Any], ends: Any, add: Callable[..., str]
) -> None:
    add("post_tool_call", lambda ctx: Abort("it tells too much"), gate=True)
    with pytest.raises(HookAborted, match="tells too much"):
        call()
    assert ends.tools == [("c1", "denied")]


def test_a_gate_that_lets_it_pass_leaves_it_a_failure(
    call: Callable[..., Any], ends: Any, add: Callable[..., str]
) -> None:
    add("post_tool_call", lambda ctx: None, gate=True)
    assert call() == "I could not read it"
    assert ends.tools == [("c1", "error")]


def test_without_hooks_the_value_is_returned(call: Callable[..., Any]) -> None:
    assert call() == "I could not read it"


def test_a_signal_of_the_hosts_passes_all_the_same(
    call: Callable[..., Any], manager: HookManager
) -> None:
    manager.add_control_flow(OSError)
    with pytest.raises(OSError, match="gone"):
        call()


def test_a_signal_of_the_hosts_is_a_cancellation_where_somebody_looks(
    call: Callable[..., Any], manager: HookManager, ends: Any
) -> None:
    manager.add_control_flow(OSError)
    with pytest.raises(OSError, match="gone"):
        call()
    assert ends.tools == [("c1", "cancelled")]


def test_a_wrap_sees_the_error_and_may_try_again(manager: HookManager, ends: Any) -> None:
    attempts: list[Any] = []

    class Retry:
        @hookimpl
        async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
            try:
                return await call_next()
            except OSError:
                return await call_next()

    async def body(given: Any) -> str:
        attempts.append(given)
        if len(attempts) == 1:
            failing(given)
        return "read"

    manager.register(Retry())
    result = asyncio.run(manager.acall_tool("read", {}, body, call_id="c1"))
    assert (result, ends.tools) == ("read", [("c1", "ok")])


def test_a_later_plain_failure_does_not_go_on_with_an_earlier_value(
    manager: HookManager, ends: Any
) -> None:
    attempts: list[Any] = []

    class Retry:
        @hookimpl
        async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
            try:
                return await call_next()
            except OSError:
                return await call_next()

    async def body(given: Any) -> str:
        attempts.append(given)
        if len(attempts) == 1:
            failing(given)
        raise ValueError("worse")

    manager.register(Retry())
    with pytest.raises(ValueError, match="worse"):
        asyncio.run(manager.acall_tool("read", {}, body, call_id="c1"))


def test_a_model_call_goes_on_with_a_value_too(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    out = []
    add("model_output", lambda ctx: out.append(ctx.payload))
    assert manager.call_model(["hi"], failing, call_id="m1") == "I could not read it"
    assert (ends.models, out) == ([("m1", "error")], ["I could not read it"])


def test_without_hooks_a_model_call_goes_on_too(manager: HookManager) -> None:
    assert manager.call_model(["hi"], failing) == "I could not read it"
    assert asyncio.run(manager.acall_model(["hi"], afailing)) == "I could not read it"


def test_a_decorated_function_goes_on_with_or_without_hooks(
    manager: HookManager, add: Callable[..., str]
) -> None:
    plain, waiting = manager.tool(failing), manager.tool(afailing)
    for _ in range(2):
        assert plain("x") == "I could not read it"
        assert asyncio.run(waiting("x")) == "I could not read it"
        add("post_tool_call", lambda ctx: None)


def test_the_errors_own_cause_stays(manager: HookManager, add: Callable[..., str]) -> None:
    seen: list[Any] = []
    error = LookupError()
    error.__cause__ = ERROR

    def body(given: Any) -> Any:
        raise BodyFailed("sorry", error)

    add("post_tool_call", lambda ctx: seen.append(ctx.error.__cause__))
    manager.call_tool("read", {}, body)
    assert seen == [ERROR]


def test_a_body_fails_with_an_exception() -> None:
    with pytest.raises(TypeError, match="not with 'oops'"):
        BodyFailed("value", "oops")  # type: ignore[arg-type]
