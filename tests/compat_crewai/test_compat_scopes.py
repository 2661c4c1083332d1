"""Scopes of CrewAI's kind among scopes of the manager's."""

from __future__ import annotations

from typing import Any

import pytest

from hookcore import HookAborted, HookContext, HookManager, RegistrationError, hookimpl
from hookcore.compat.crewai import (
    InterceptionPoint,
    ToolCallHookContext,
    dispatch,
    register_hook,
)
from hookcore.compat.crewai._binding import binding
from hookcore.compat.crewai.contexts import OutputContext
from hookcore.compat.crewai.dispatch import get_scoped_hooks, register_scoped, scoped_hooks
from hookcore.compat.crewai.tool_hooks import run_before_tool_call_hooks

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
        assert said.now() == ["listed", "registered"]
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
        assert hooks == {P.OUTPUT: []}
        assert said.now() == []


def test_scoped_hooks_come_after_global_ones(said: Said) -> None:
    with scoped_hooks({P.OUTPUT: [said.hook("scoped")]}):
        register_hook(P.OUTPUT, said.hook("global"))
        assert said.now() == ["global", "scoped"]
