"""A host's own points get the same treatment as the standard ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore import (
    HookAborted,
    HookContext,
    HookDispatchedEvent,
    HookManager,
    Kind,
    RegistrationError,
    ToolCallContext,
    UnknownPointError,
    hookimpl,
    hookspec,
)


class DeploySpecs:
    """The points of a host that deploys things."""

    @hookspec(payload=dict)
    def pre_deploy(self, ctx: HookContext) -> None:
        """A deployment is about to begin."""

    @hookspec(kind=Kind.OBSERVE)
    def deployed(self, ctx: HookContext) -> None:
        """A deployment is over."""

    @hookspec(kind="collect")
    def may_deploy(self, ctx: HookContext) -> bool | None:
        """Ask who agrees."""

    @hookspec(kind="wrap")
    def wrap_deploy(self, ctx: HookContext, call_next: Any) -> Any:
        """Stands around the deployment."""

    @hookspec(context=ToolCallContext)
    def pre_robot_call(self, ctx: ToolCallContext) -> None:
        """A robot's tool is about to be called."""


@pytest.fixture
def host(manager: HookManager) -> HookManager:
    manager.add_hookspecs(DeploySpecs)
    return manager


def test_own_points_join_the_standard_ones_with_their_documentation(host: HookManager) -> None:
    assert host.points["pre_deploy"].doc == "A deployment is about to begin."
    assert host.points["pre_deploy"].owner == "DeploySpecs"
    assert "pre_tool_call" in host.points


def test_own_points_keep_the_order_in_which_they_are_written(host: HookManager) -> None:
    own = ["pre_deploy", "deployed", "may_deploy", "wrap_deploy", "pre_robot_call"]

    assert list(host.points)[-5:] == own


def test_a_hook_at_an_own_point_replaces_the_payload(
    host: HookManager, add: Callable[..., str]
) -> None:
    add("pre_deploy", lambda ctx: {**ctx.payload, "region": "eu"})

    ctx = host.dispatch("pre_deploy", HookContext(payload={"app": "x"}))

    assert (ctx.payload, ctx.point) == ({"app": "x", "region": "eu"}, "pre_deploy")


def test_a_replacement_of_the_wrong_type_at_an_own_point_is_a_failure(
    host: HookManager, add: Callable[..., str]
) -> None:
    add("pre_deploy", lambda ctx: "deny", on_error="deny")

    with pytest.raises(HookAborted, match="WrongResultError"):
        host.dispatch("pre_deploy", HookContext(payload={}))


def test_an_own_observe_point_changes_nothing(host: HookManager, add: Callable[..., str]) -> None:
    add("deployed", lambda ctx: ctx.payload.update(edited=True))

    assert host.dispatch("deployed", HookContext(payload={})).payload == {}


def test_an_own_collect_point_gathers_answers(host: HookManager, add: Callable[..., str]) -> None:
    add("may_deploy", lambda ctx: True, name="ops")
    add("may_deploy", lambda ctx: None, name="silent")

    assert host.collect("may_deploy", HookContext()) == ["ops"]


def test_an_own_wrap_point_stands_around_the_operation(
    host: HookManager, add: Callable[..., str]
) -> None:
    def around(ctx: Any, call_next: Any) -> Any:
        result = yield
        return result + "!"

    add("wrap_deploy", around)

    assert host.wrap("wrap_deploy", HookContext(payload=1), lambda payload: "done") == "done!"


def test_a_tools_filter_has_a_meaning_where_the_context_has_a_tool(
    host: HookManager, add: Callable[..., str], call: Callable[..., ToolCallContext]
) -> None:
    ran: list[Any] = []
    add("pre_robot_call", lambda ctx: ran.append(ctx.tool_name), tools=["weld"])

    host.dispatch("pre_robot_call", call("weld"))
    host.dispatch("pre_robot_call", call("paint"))

    assert ran == ["weld"]


def test_a_tools_filter_at_an_own_point_without_tools_is_refused(
    host: HookManager, add: Callable[..., str]
) -> None:
    with pytest.raises(RegistrationError, match="tools= has no meaning at pre_deploy"):
        add("pre_deploy", lambda ctx: None, tools=["x"])


def test_events_name_the_own_point(
    host: HookManager, add: Callable[..., str], events: list[HookDispatchedEvent]
) -> None:
    add("pre_deploy", lambda ctx: None)

    host.dispatch("pre_deploy", HookContext(payload={}))

    assert [event.interception_point for event in events] == ["pre_deploy"]


def test_before_the_specs_are_added_a_hook_at_an_own_point_is_refused(manager: HookManager) -> None:
    class Plugin:
        @hookimpl
        def pre_deploy(self, ctx: Any) -> None: ...

    with pytest.raises(RegistrationError, match="there is no point 'pre_deploy'"):
        manager.register(Plugin())


def test_a_point_that_exists_is_refused_and_nothing_is_added(manager: HookManager) -> None:
    class Clash:
        @hookspec
        def brand_new(self, ctx: HookContext) -> None: ...

        @hookspec
        def pre_tool_call(self, ctx: HookContext) -> None: ...

    with pytest.raises(RegistrationError, match=r"'pre_tool_call', which ToolSpecs declares"):
        manager.add_hookspecs(Clash)
    assert "brand_new" not in manager.points


def test_a_spec_with_another_signature_is_refused(manager: HookManager) -> None:
    class Wrong:
        @hookspec
        def my_point(self, ctx: HookContext, call_next: Any) -> None: ...

    with pytest.raises(RegistrationError, match=r"Wrong.my_point must take \(ctx\)"):
        manager.add_hookspecs(Wrong)


def test_a_namespace_without_specs_is_refused(manager: HookManager) -> None:
    class Empty:
        def my_point(self, ctx: HookContext) -> None: ...

    with pytest.raises(RegistrationError, match="Empty declares no points"):
        manager.add_hookspecs(Empty)


@pytest.mark.parametrize("ask", ["dispatch", "collect"])
def test_an_unknown_point_is_an_error_with_a_suggestion(manager: HookManager, ask: str) -> None:
    with pytest.raises(UnknownPointError, match='did you mean "pre_tool_call"'):
        getattr(manager, ask)("pre_tol_call", HookContext())


def test_hooks_of_an_unknown_point_are_an_error_with_a_suggestion(manager: HookManager) -> None:
    with pytest.raises(UnknownPointError, match='did you mean "pre_tool_call"'):
        manager.hooks("pre_tool_calls")


@pytest.mark.parametrize(
    ("ask", "point", "right"),
    [
        ("dispatch", "wrap_tool_call", "use wrap"),
        ("dispatch", "accept_event", "use collect"),
        ("collect", "pre_tool_call", "use dispatch"),
    ],
)
def test_a_point_of_another_kind_is_an_error_that_names_the_right_call(
    manager: HookManager, ask: str, point: str, right: str
) -> None:
    with pytest.raises(UnknownPointError, match=right):
        getattr(manager, ask)(point, HookContext())
