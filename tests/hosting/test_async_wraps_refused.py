from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hookcore import HookContext, HookManager, RegistrationError, UnknownPointError, hookimpl
from hookcore import hookspec as spec


class Waiting:
    @hookimpl
    async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
        return await call_next()


class Plain:
    @hookimpl
    def wrap_tool_call(self, ctx: Any, call_next: Any) -> Iterator[None]:
        yield


def test_an_async_wrap_is_refused_when_the_host_is_installed(manager: HookManager) -> None:
    manager.register(Waiting(), name="waiting")
    with pytest.raises(RegistrationError, match=r"agno calls without an event loop.*waiting"):
        manager.refuse_async_wraps(["wrap_tool_call"], host="agno")
    manager.register(Waiting(), name="another")  # nothing was changed


def test_an_async_wrap_is_refused_when_it_comes_later(manager: HookManager) -> None:
    manager.refuse_async_wraps(["wrap_tool_call"], host="agno")
    with pytest.raises(RegistrationError, match="agno calls its wraps without an event loop"):
        manager.register(Waiting())
    assert manager.plugins() == ()


def test_a_scope_cannot_bring_one(manager: HookManager) -> None:
    manager.refuse_async_wraps(host="agno")
    with pytest.raises(RegistrationError, match="agno"), manager.scope(Waiting()):
        raise AssertionError


def test_a_scope_that_was_there_before_cannot_bring_one_again(manager: HookManager) -> None:
    waiting = Waiting()
    for _ in range(3):
        with manager.scope(waiting):
            pass
    manager.refuse_async_wraps(host="agno")
    with pytest.raises(RegistrationError, match="agno"), manager.scope(waiting):
        raise AssertionError


def test_plain_generators_serve_every_host(manager: HookManager) -> None:
    manager.register(Plain())
    manager.refuse_async_wraps(host="agno")
    manager.register(Plain())
    assert manager.call_tool("t", {}, lambda given: "x") == "x"


def test_other_wrap_points_stay_free(manager: HookManager) -> None:
    manager.refuse_async_wraps(["wrap_model_call"], host="agno")
    manager.register(Waiting())


def test_a_hosts_own_wrap_points_count(manager: HookManager) -> None:
    class Points:
        @spec(kind="wrap")
        def wrap_query(self, ctx: HookContext, call_next: Any) -> Any:
            """Stands around a query."""

    class Slow:
        @hookimpl
        async def wrap_query(self, ctx: Any, call_next: Any) -> Any:
            return await call_next()

    manager.add_hookspecs(Points)
    manager.refuse_async_wraps(host="agno")
    with pytest.raises(RegistrationError):
        manager.register(Slow())


@pytest.mark.parametrize(
    ("point", "error"), [("pre_tool_call", ValueError), ("wrap_tol_call", UnknownPointError)]
)
def test_only_wrap_points_can_be_meant(
    manager: HookManager, point: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        manager.refuse_async_wraps([point], host="agno")
