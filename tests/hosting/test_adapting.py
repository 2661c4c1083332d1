"""An adapter governs a process by one manager, until it is taken out again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hookcore import HookManager, get_manager
from hookcore.hosting import (
    MODEL_POINTS,
    TOOL_POINTS,
    Adapter,
    Host,
    RuntimeVersionError,
    has_any_hooks,
    heeds,
    put_all,
)

HOST = Host(
    name="acme", runtime="pytest", tested=("1", "1000"), points=heeds(["pre_tool_call"], ["sync"])
)


def ask() -> str:
    return "the runtime's own"


@pytest.fixture
def runtime() -> Any:
    return SimpleNamespace(ask=ask)


@pytest.fixture
def adapter(runtime: Any) -> Adapter:
    return Adapter(HOST, put_all([(runtime, "ask", lambda old: lambda: f"governed, not {old()}")]))


def test_an_adapter_governs_until_it_is_taken_out(adapter: Adapter, runtime: Any) -> None:
    adapter.install(HookManager())
    assert runtime.ask() == "governed, not the runtime's own"
    adapter.uninstall()
    assert runtime.ask is ask


def test_a_second_call_only_changes_the_manager(adapter: Adapter, runtime: Any) -> None:
    first, second = HookManager(), HookManager()
    assert adapter.install(first) is first
    governed = runtime.ask
    assert adapter.install(second) is second
    assert (adapter.manager, runtime.ask) == (second, governed)


def test_the_process_wide_manager_governs_where_none_is_given(adapter: Adapter) -> None:
    assert adapter.install() is get_manager()


def test_a_runtimes_signals_are_no_failures(adapter: Adapter) -> None:
    class Signal(Exception):  # noqa: N818 - what is tested
        pass

    def signals(_: Any) -> None:
        raise Signal

    manager = adapter.install(HookManager(), control_flow=[Signal])
    with pytest.raises(Signal):
        manager.call_tool("ask", {}, signals)
    assert Signal in manager.parts.services.control_flow


def test_a_version_that_was_not_tested_is_refused_and_leaves_the_runtime_alone(
    runtime: Any,
) -> None:
    host = Host(name="acme", runtime="pytest", tested=("1", "2"), points=HOST.points)
    adapter = Adapter(host, put_all([(runtime, "ask", lambda old: old)]))
    with pytest.raises(RuntimeVersionError):
        adapter.install(HookManager())
    assert runtime.ask is ask
    adapter.install(HookManager(), accept_untested=True)
    adapter.uninstall()


def test_an_adapter_that_is_not_installed_has_no_manager(adapter: Adapter) -> None:
    with pytest.raises(RuntimeError, match="the adapter acme is not installed"):
        _ = adapter.manager


def test_a_host_asks_whether_anybody_waits_at_an_operation(add: Any, manager: HookManager) -> None:
    assert not has_any_hooks(manager, TOOL_POINTS)
    add("tool_finished", lambda ctx: None)
    assert has_any_hooks(manager, TOOL_POINTS)
    assert not has_any_hooks(manager, MODEL_POINTS)
