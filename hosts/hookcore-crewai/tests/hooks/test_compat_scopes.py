"""Scopes of CrewAI's kind among scopes of the manager's."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from typing import Any

import pytest

from hookcore import HookAborted, HookContext, HookManager, RegistrationError, hookimpl
from hookcore_crewai.hooks import InterceptionPoint, ToolCallHookContext, dispatch, register_hook
from hookcore_crewai.hooks._binding import binding
from hookcore_crewai.hooks.contexts import OutputContext
from hookcore_crewai.hooks.dispatch import get_scoped_hooks, register_scoped, scoped_hooks
from hookcore_crewai.hooks.tool_hooks import run_before_tool_call_hooks

P = InterceptionPoint


class Deny:
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: HookContext) -> None:
        raise HookAborted("denied")


class Said:
    """Hooks at ``output`` by name, and which of them ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def hook(self, name: str) -> Any:
        def said(ctx: Any) -> None:
            self.ran.append(name)

        return said

    def now(self) -> list[str]:
        """Dispatch, and return what ran."""
        self.ran.clear()
        dispatch(P.OUTPUT, OutputContext())
        return [*self.ran]


@pytest.fixture
def said() -> Said:
    return Said()


def is_blocked() -> bool:
    return run_before_tool_call_hooks(ToolCallHookContext("t", {}, None))


def test_a_policy_in_a_scope_stays_when_a_hook_joins_the_block_around_it(
    manager: HookManager, said: Said
) -> None:
    with scoped_hooks() as hooks, manager.scope(Deny()):
        assert is_blocked()
        register_scoped(P.OUTPUT, said.hook("registered"))
        assert is_blocked()
        hooks[P.OUTPUT].append(said.hook("listed"))
        assert said.now() == ["registered", "listed"]
        assert is_blocked()
    assert not is_blocked()


def test_a_hook_that_joined_in_an_inner_scope_stays_when_that_ends(
    manager: HookManager, said: Said
) -> None:
    with scoped_hooks():
        with manager.scope(Deny()):
            register_scoped(P.OUTPUT, said.hook("late"))
        assert said.now() == ["late"]
        assert not is_blocked()
    assert said.now() == []


def test_the_hooks_of_scopes_run_from_the_outermost_to_the_innermost(
    manager: HookManager, said: Said
) -> None:
    class Inner:
        output = staticmethod(hookimpl(lambda ctx: said.ran.append("inner")))

    with scoped_hooks() as hooks, manager.scope(Inner()):
        hooks[P.OUTPUT] = [said.hook("outer")]
        assert said.now() == ["outer", "inner"]


def test_a_hook_that_is_taken_out_of_the_dict_runs_no_more(said: Said) -> None:
    with scoped_hooks() as hooks:
        register_scoped(P.OUTPUT, said.hook("registered"))
        hooks.clear()
        assert (said.now(), get_scoped_hooks(P.OUTPUT)) == ([], [])


def test_a_block_goes_on_under_another_manager_and_ends_under_both(
    manager: HookManager, said: Said
) -> None:
    other = HookManager()
    try:
        with scoped_hooks({P.OUTPUT: [said.hook("scoped")]}):
            binding.use(other)
            assert said.now() == ["scoped"]
        assert said.now() == []
    finally:
        binding.use(manager)
    assert said.now() == []


def test_a_hook_that_is_refused_is_not_listed(said: Said) -> None:
    with scoped_hooks() as hooks:
        with pytest.raises(RegistrationError, match="cannot be registered"):
            register_scoped(P.OUTPUT, lambda: None)
        assert hooks == {}
        assert said.now() == []


def deny(ctx: Any) -> None:
    if getattr(ctx, "tool_name", None):
        raise HookAborted("denied")


def test_hooks_may_be_given_in_a_tuple() -> None:
    with scoped_hooks({P.PRE_TOOL_CALL: (deny,)}):  # type: ignore[dict-item]
        assert is_blocked()


def test_a_guard_in_the_dict_stays_when_it_is_registered_at_another_point_too() -> None:
    with scoped_hooks({P.PRE_TOOL_CALL: [deny]}):
        register_scoped(P.OUTPUT, deny)
        assert is_blocked()


@pytest.mark.parametrize("before", [True, False])
def test_a_guard_in_the_dict_guards_all_although_a_task_registers_it_for_itself(
    *, before: bool
) -> None:
    async def register() -> None:
        register_scoped(P.PRE_TOOL_CALL, deny)

    async def main() -> bool:
        with scoped_hooks({P.PRE_TOOL_CALL: [deny] if before else []}) as hooks:
            await asyncio.create_task(register())
            assert is_blocked() is before
            if not before:
                hooks[P.PRE_TOOL_CALL].append(deny)
            return is_blocked()

    assert asyncio.run(main())


def test_the_hooks_of_a_block_run_in_the_order_of_the_dict(said: Said) -> None:
    with scoped_hooks({P.OUTPUT: [said.hook("a")]}) as hooks:
        register_scoped(P.OUTPUT, said.hook("b"))
        hooks[P.OUTPUT].append(said.hook("c"))
        assert said.now() == ["a", "b", "c"]


def test_a_hook_in_the_place_of_an_equal_one_is_another_one(said: Said) -> None:
    class Equal:
        def __init__(self, name: str) -> None:
            self.name = name

        def __call__(self, ctx: Any) -> None:
            said.ran.append(self.name)

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Equal)

        __hash__ = None  # type: ignore[assignment]

    with scoped_hooks({P.OUTPUT: [Equal("old")]}) as hooks:
        assert said.now() == ["old"]
        hooks[P.OUTPUT][:] = [Equal("new")]
        assert said.now() == ["new"]


def test_what_is_wrong_in_an_edited_dict_fails_at_its_own_point_only(said: Said) -> None:
    with scoped_hooks() as hooks:
        hooks[P.OUTPUT] = [lambda: None, said.hook("good")]
        hooks["pre_tool_cal"] = [said.hook("never")]
        hooks[P.INPUT] = None  # type: ignore[assignment]
        assert not is_blocked()
        assert said.now() == ["good"]


def test_a_block_that_is_left_in_another_context_leaves_that_ones_scope_alone(said: Said) -> None:
    def generator() -> Any:
        with scoped_hooks():
            yield

    started = generator()
    contextvars.copy_context().run(next, started)
    with scoped_hooks() as hooks:
        started.close()
        hooks[P.OUTPUT] = [said.hook("mine")]
        assert said.now() == ["mine"]


def test_the_dict_can_be_edited_on_another_thread_while_hooks_are_dispatched(said: Said) -> None:
    stop = threading.Event()

    def edit(hooks: Any) -> None:
        while not stop.is_set():
            hooks["pre_step"] = []
            del hooks["pre_step"]

    with scoped_hooks({P.OUTPUT: [said.hook("there")]}) as hooks:
        thread = threading.Thread(target=edit, args=(hooks,))
        thread.start()
        try:
            assert all(said.now() == ["there"] for _ in range(500))
        finally:
            stop.set()
            thread.join()


def test_scoped_hooks_come_after_global_ones(said: Said) -> None:
    with scoped_hooks({P.OUTPUT: [said.hook("scoped")]}):
        register_hook(P.OUTPUT, said.hook("global"))
        assert said.now() == ["global", "scoped"]
