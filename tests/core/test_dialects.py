"""The extension point of the adapters: functions whose answers another system defines."""

from __future__ import annotations

from typing import Any

import pytest

from hookcore import HookAborted, HookContext, HookManager, StepContext, ToolCallContext, hookimpl
from hookcore.dispatch.contexts import clone
from hookcore.hooks.dialect import Dialect, Registration
from hookcore.hooks.hook import Hook
from hookcore.hooks.marks import OnMark
from hookcore_specs import HookOptions


def shouting(hook: Hook, ctx: HookContext, result: Any, before: Any) -> bool:
    """A text is the payload in capitals, "stop" is an abort, anything else means nothing."""
    if result == "stop":
        raise HookAborted("stopped")
    if isinstance(result, str):
        ctx.payload = result.upper()
        return True
    return False


def ignore(hook: Hook, ctx: HookContext, error: BaseException) -> None: ...


SHOUTING = Dialect(settle=shouting, report=ignore)


def registration(function: Any, **more: Any) -> Registration:
    more.setdefault("dialect", SHOUTING)
    return Registration(function, OnMark("pre_step", HookOptions()), **more)


@pytest.fixture(params=["plain", "subscribed", "tracked"])
def manager(request: pytest.FixtureRequest) -> HookManager:
    """A manager with each of the loops that a chain may run in."""
    found = HookManager(track_mutations=request.param == "tracked")
    if request.param != "plain":
        found.subscribe(lambda event: None)
    return found


def step(manager: HookManager, payload: Any = "old") -> Any:
    return manager.dispatch("pre_step", StepContext(payload=payload)).payload


def test_the_dialect_says_what_an_answer_means(manager: HookManager) -> None:
    manager.register_hook(registration(lambda ctx: "new"))
    manager.register_hook(registration(lambda ctx: {"ignored": True}))
    assert step(manager) == "NEW"


def test_the_hooks_beside_it_keep_to_hookcores_own_way(manager: HookManager) -> None:
    class Plugin:
        @hookimpl
        def pre_step(self, ctx: StepContext) -> str:
            return f"{ctx.payload}!"

    manager.register_hook(registration(lambda ctx: "new"))
    manager.register(Plugin())
    assert step(manager) == "NEW!"


def test_an_abort_gets_the_source_of_the_registration(manager: HookManager) -> None:
    source = object()
    manager.register_hook(registration(lambda ctx: "stop", source=source))
    with pytest.raises(HookAborted) as caught:
        step(manager)
    assert caught.value.source is source


def test_an_abort_without_a_registered_source_names_the_hook(manager: HookManager) -> None:
    def guard(ctx: HookContext) -> str:
        return "stop"

    manager.register_hook(registration(guard))
    with pytest.raises(HookAborted) as caught:
        step(manager)
    assert str(caught.value.source).endswith("guard")


def test_the_dialect_hears_of_failures_with_the_context(manager: HookManager) -> None:
    heard: list[tuple[str, Any, str]] = []

    def report(hook: Hook, ctx: HookContext, error: BaseException) -> None:
        heard.append((hook.name, ctx.payload, str(error)))

    def broken(ctx: HookContext) -> None:
        raise ValueError("a bug")

    manager.register_hook(registration(broken, dialect=Dialect(shouting, report)))
    assert step(manager) == "old"
    assert heard == [("broken", "old", "a bug")]


def test_an_async_functions_answer_is_read_by_the_dialect(manager: HookManager) -> None:
    async def hook(ctx: HookContext) -> str:
        return "new"

    manager.register_hook(registration(hook))
    assert step(manager) == "NEW"


def test_whoever_unregisters_the_hook_its_owner_is_told(manager: HookManager) -> None:
    gone: list[str] = []
    for label in ("one", "two"):
        manager.register_hook(
            registration(lambda ctx: None, removed=lambda label=label: gone.append(label))
        )
    manager.unregister(manager.plugins()[0].name)
    manager.clear()
    assert gone == ["one", "two"]


def test_a_scope_takes_registrations(manager: HookManager) -> None:
    with manager.scope(registration(lambda ctx: "new")):
        assert step(manager) == "NEW"
    assert step(manager) == "old"


# What an adapter's contexts need of the core


class Borrowed(ToolCallContext):
    """A context whose payload lives in a list of the host's."""

    def __init__(self, held: list[Any], **common: Any) -> None:
        super().__init__(tool_name="t", **common)
        self.held = held

    def _detach(self) -> None:
        self.held = list(self.held)

    @property
    def payload(self) -> Any:
        return self.held[0]

    @payload.setter
    def payload(self, value: Any) -> None:
        if hasattr(self, "held"):
            self.held[0] = value


def test_a_copy_of_a_context_leaves_the_hosts_payload_alone() -> None:
    held: list[Any] = [{"a": 1}]
    twin = clone(Borrowed(held), {"b": 2})
    assert (twin.payload, twin.tool_name, held) == ({"b": 2}, "t", [{"a": 1}])


def test_a_gate_judges_a_copy_of_a_payload_that_lives_in_the_host() -> None:
    manager, held = HookManager(), [{"a": 1}]

    class Policy:
        @hookimpl(gate=True)
        def pre_tool_call(self, ctx: ToolCallContext) -> None:
            ctx.payload["smuggled"] = True

    manager.register(Policy())
    manager.dispatch("pre_tool_call", Borrowed(held))
    assert held == [{"a": 1}]


class Named(StepContext):
    """A context that knows the role of an agent without the agent."""

    agent_role = "Researcher"


@pytest.mark.parametrize(("role", "ran"), [("Researcher", True), ("Writer", False)])
def test_a_filter_compares_the_role_that_a_context_names(role: str, *, ran: bool) -> None:
    manager, seen = HookManager(), []

    class Plugin:
        @hookimpl(agents=[role])
        def pre_step(self, ctx: StepContext) -> None:
            seen.append(ctx)

    manager.register(Plugin())
    manager.dispatch("pre_step", Named())
    assert bool(seen) is ran
