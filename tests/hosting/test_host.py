from __future__ import annotations

import logging
import sys
from types import ModuleType
from typing import Any

import pytest

from hookcore import (
    HookManager,
    InterceptionPoint,
    PluginLoadError,
    RegistrationError,
    UnknownPointError,
    hookimpl,
)
from hookcore.hooks.options import OperatorOptions
from hookcore.hosting import Host, heeds


class Gate:
    @hookimpl(gate=True)
    def pre_run(self, ctx: Any) -> None: ...


class Wrap:
    @hookimpl
    async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
        return await call_next()


def make(**options: Any) -> Host:
    points = options.pop("points", heeds(["pre_tool_call"]))
    return Host(name="acme", runtime="acme-agents", points=points, **options)


def test_a_point_heeds_all_that_its_kind_can_have() -> None:
    assert heeds(["pre_run", "wrap_tool_call", "run_finished", "accept_event"], ["sync"]) == {
        "pre_run": {"sync": ("change", "replace", "abort")},
        "wrap_tool_call": {"sync": ("wrap",)},
        "run_finished": {"sync": ()},
        "accept_event": {"sync": ("answer",)},
    }


def test_less_can_be_heeded() -> None:
    assert heeds([InterceptionPoint.PRE_RUN], ["stream"], ["abort"]) == {
        "pre_run": {"stream": ("abort",)}
    }


def test_a_hosts_own_point_says_what_it_heeds() -> None:
    assert heeds(["ticket_opened"], answers=["abort"]) == {"ticket_opened": {"async": ("abort",)}}
    with pytest.raises(UnknownPointError):
        heeds(["ticket_opened"])


@pytest.mark.parametrize(
    "points", [{"pre_run": {"asink": ("abort",)}}, {"pre_run": {"async": ("stop",)}}]
)
def test_words_without_a_meaning_are_refused(points: Any) -> None:
    with pytest.raises(ValueError, match=r"not (asink|stop)"):
        make(points=points)


def test_what_is_fired_cannot_be_absent() -> None:
    with pytest.raises(ValueError, match="pre_tool_call cannot be in points and in without"):
        make(without=("pre_tool_call",))


def test_modes_are_those_in_which_anything_fires() -> None:
    points = {**heeds(["pre_run"], ["stream"]), **heeds(["output"], ["sync"])}
    assert make(points=points).modes == ("sync", "stream")


def test_declaring_tells_what_a_policy_waits_for_in_vain(
    manager: HookManager, caplog: pytest.LogCaptureFixture
) -> None:
    manager.register(Gate(), name="gate")
    with caplog.at_level(logging.WARNING, "hookcore"):
        make().declare(manager)
    assert "it hooks pre_run, which this host never dispatches" in caplog.text
    assert manager.declaration is not None


def test_a_required_gate_where_an_abort_is_not_heeded_is_refused(manager: HookManager) -> None:
    manager.register_configured(Gate(), "gate", operator=OperatorOptions(required=True))
    host = make(points=heeds(["pre_run"], answers=["replace"]))
    with pytest.raises(PluginLoadError, match="gates pre_run, where this host cannot be stopped"):
        host.declare(manager)


def test_one_mode_that_does_not_heed_is_enough(manager: HookManager) -> None:
    manager.register_configured(Gate(), "gate", operator=OperatorOptions(required=True))
    host = make(points={"pre_run": {"async": ("abort",), "stream": ()}})
    with pytest.raises(PluginLoadError):
        host.declare(manager)
    host.declare(manager, modes=["async"])


def test_declaring_refuses_async_wraps_where_calls_are_sync(manager: HookManager) -> None:
    host = make(points=heeds(["wrap_tool_call"], ["sync", "async"]))
    manager.register(Wrap(), name="wrap")
    with pytest.raises(RegistrationError, match="acme calls without an event loop"):
        host.declare(manager)
    assert manager.declaration is None
    host.declare(manager, modes=["async"])


def test_a_part_leaves_async_wraps_to_its_calls(manager: HookManager) -> None:
    host = make(points=heeds(["wrap_tool_call"], ["sync", "async"]), is_part=True)
    manager.register(Wrap())
    host.declare(manager)
    assert manager.declared_by == (host.name,)
    with pytest.raises(RegistrationError, match="async"):
        manager.call_tool("ask", {}, print)


def test_an_async_host_lets_async_wraps_be(manager: HookManager) -> None:
    make(points=heeds(["wrap_tool_call"])).declare(manager)
    manager.register(Wrap())


def test_a_host_is_installed_by_the_function_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def install(manager: HookManager, **options: Any) -> HookManager:
        calls.append((manager, options))
        return manager

    module = ModuleType("acme_installing")
    module.__dict__["install"] = install
    monkeypatch.setitem(sys.modules, "acme_installing", module)
    host = make(tested=("1", "2"), modules=("acme",), installer="acme_installing:install")
    manager = HookManager()
    assert host.install(manager) is manager
    host.install(manager, accept_untested=True)
    assert calls == [(manager, {}), (manager, {"accept_untested": True})]


def test_a_host_that_needs_no_installing_declares_itself() -> None:
    manager = HookManager()
    make().install(manager)
    make().install(manager)
    assert manager.declared_by == ("acme",)


@pytest.mark.parametrize("installer", ["acme", "acme:", ":install"])
def test_an_installer_names_a_module_and_a_function(installer: str) -> None:
    with pytest.raises(ValueError, match="an installer is written 'module:function'"):
        make(installer=installer)


def test_what_was_declared_before_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    manager = HookManager()
    manager.register(Gate())
    with caplog.at_level(logging.WARNING):
        make().declare(manager)
        make().declare(manager)
    assert len([line for line in caplog.messages if "never dispatches" in line]) == 1
