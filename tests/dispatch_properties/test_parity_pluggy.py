"""The same plugins under pluggy's own call and under hookcore's: same order, values, exceptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pluggy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore import HookManager, SetupContext, hookimpl

POINT = "setup_state"
mark_spec = pluggy.HookspecMarker("parity")
mark_impl = pluggy.HookimplMarker("parity")


class Specs:
    @mark_spec
    def setup_state(self, ctx: object) -> object: ...


@dataclass(frozen=True)
class Impl:
    """One implementation; ``after`` and ``rescue`` are a wrapper's."""

    tag: str
    wrapper: bool
    rank: str | None
    act: str
    after: str
    rescue: str


@dataclass
class Run:
    """The events, in terms that both systems share: ``values`` is pluggy's list of results."""

    calls: list[tuple[str, str, Any]]
    values: list[str] | None = None
    raised: Any = None


Answer = Callable[[list[str], str], Any]
"""Turns the values so far and a new one into what an implementation returns."""


@st.composite
def impls(draw: st.DrawFn) -> tuple[Impl, ...]:
    """Draw implementations in the order in which hookcore registers them."""
    return tuple(
        Impl(
            tag=f"p{index}",
            wrapper=draw(st.booleans()),
            rank=draw(st.sampled_from([None, "tryfirst", "trylast"])),
            act=draw(st.sampled_from(["pass", "value", "value", "raise"])),
            after=draw(st.sampled_from(["keep", "replace", "raise"])),
            rescue=draw(
                st.sampled_from(
                    ["let through", "reraise", "swallow", "raise", "raise from", "raise from None"]
                )
            ),
        )
        for index in range(draw(st.integers(0, 7)))
    )


@given(chain=impls())
def test_order_values_and_exceptions_are_those_of_pluggy(chain: tuple[Impl, ...]) -> None:
    assert run_hookcore(chain) == run_pluggy(chain)


def run_hookcore(chain: tuple[Impl, ...]) -> Run:
    """Dispatch with plugins whose payload is the list that pluggy gathers."""
    manager, run = HookManager(), Run([])
    for impl in chain:
        function = function_of(impl, run, lambda values, value: [*values, value], keep=None)
        plugin = type(impl.tag, (), {POINT: hookimpl(**flags(impl), on_error="raise")(function)})
        manager.register(plugin())
    ctx = SetupContext(payload=[])
    try:
        run.values = manager.dispatch(POINT, ctx).payload
    except ValueError as error:
        run.raised = family(error)
    return run


def run_pluggy(chain: tuple[Impl, ...]) -> Run:
    """Call the hook of pluggy, which runs equals last-in-first-out, but for ``trylast`` ones."""
    manager, run = pluggy.PluginManager("parity"), Run([])
    manager.add_hookspecs(Specs)
    last = [impl for impl in chain if impl.rank == "trylast"]
    for impl in (*last, *(impl for impl in reversed(chain) if impl.rank != "trylast")):
        answer: Answer = (lambda values, value: [*values, value]) if impl.wrapper else pick_value
        function = function_of(impl, run, answer, keep="result")
        plugin = type(impl.tag, (), {POINT: mark_impl(function, **flags(impl))})
        manager.register(plugin(), impl.tag)
    try:
        run.values = manager.hook.setup_state(ctx=SetupContext(payload=None))
    except ValueError as error:
        run.raised = family(error)
    return run


def pick_value(_values: list[str], value: str) -> Any:
    return value


def flags(impl: Impl) -> dict[str, Any]:
    given = {"wrapper": True} if impl.wrapper else {}
    return {**given, impl.rank: True} if impl.rank is not None else given


def family(error: BaseException | None) -> Any:
    """Return an exception with what it came from."""
    if error is None:
        return None
    return (type(error).__name__, error.args, family(error.__cause__), error.__suppress_context__)


def function_of(impl: Impl, run: Run, answer: Answer, keep: str | None) -> Callable[..., Any]:
    if not impl.wrapper:

        def function(self: object, ctx: Any) -> Any:
            run.calls.append((impl.tag, "call", None))
            if impl.act == "raise":
                raise ValueError(impl.tag)
            return answer(ctx.payload, impl.tag) if impl.act == "value" else None

        return function

    def wrapper(self: object, ctx: Any) -> Any:
        run.calls.append((impl.tag, "before", None))
        if impl.act == "raise":
            raise ValueError(impl.tag)
        if impl.rescue == "let through":
            values = yield
        else:
            try:
                values = yield
            except ValueError as error:
                run.calls.append((impl.tag, "rescue", family(error)))
                return rescued(impl, error)
        run.calls.append((impl.tag, "after", list(values)))
        if impl.after == "raise":
            raise ValueError(impl.tag)
        if impl.after == "replace":
            return answer(values, impl.tag)
        return values if keep == "result" else None

    return wrapper


def rescued(impl: Impl, error: ValueError) -> list[str]:
    if impl.rescue == "reraise":
        raise error
    if impl.rescue == "raise":
        raise ValueError(f"{impl.tag} instead")
    if impl.rescue == "raise from":
        raise ValueError(f"{impl.tag} instead") from error
    if impl.rescue == "raise from None":
        raise ValueError(f"{impl.tag} instead") from None
    return [f"{impl.tag} rescued"]


def test_a_hook_that_raises_stop_iteration_can_be_rescued_by_a_wrapper() -> None:
    class Swallows:
        @hookimpl(wrapper=True)
        def setup_state(self, ctx: Any) -> Any:
            try:
                yield
            except (StopIteration, RuntimeError):
                return ["rescued"]

    class Raises:
        @hookimpl(on_error="raise")
        def setup_state(self, ctx: Any) -> Any:
            return next(iter(()))

    manager = HookManager()
    manager.register(Raises())
    manager.register(Swallows())
    assert manager.dispatch(POINT, SetupContext(payload=[])).payload == ["rescued"]


def test_a_wrapper_that_yields_twice_or_never_fails_as_in_pluggy() -> None:
    class Twice:
        @hookimpl(wrapper=True, on_error="raise")
        def setup_state(self, ctx: Any) -> Any:
            yield
            yield

    class Never:
        @hookimpl(wrapper=True, on_error="raise")
        def setup_state(self, ctx: Any) -> Any:
            if ctx is None:
                yield

    for plugin in (Twice(), Never()):
        manager = HookManager()
        manager.register(plugin)
        with pytest.raises(RuntimeError, match="yield"):
            manager.dispatch(POINT, SetupContext(payload=[]))
