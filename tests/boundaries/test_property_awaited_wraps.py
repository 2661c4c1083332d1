"""An async host's quick way through wraps comes to what the way with all rules comes to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any, Literal, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from hookcore import Abort, HookAborted, HookManager, Replace, ToolCallContext, hookimpl
from hookcore.testing import register_configured


class StopTheRun(Exception):  # noqa: N818 - a signal is no error
    """A host's own control flow."""


class Case(NamedTuple):
    """The acts of one hook, before it calls the operation and after."""

    form: str
    before: str
    calls: str
    after: str
    on_error: Literal["allow", "deny", "raise"]


CASES = st.builds(
    Case,
    form=st.sampled_from(["await", "await", "yield"]),
    before=st.sampled_from(["nothing", "nothing", "nothing", "fail", "abort", "bind"]),
    calls=st.sampled_from(
        ["once", "once", "with a payload", "twice", "in a task", "late", "not at all", "unawaited"]
    ),
    after=st.sampled_from(
        ["nothing", "nothing", "rescue", "answer", "None", "fail", "abort", "bind", "Abort", "lazy"]
    ),
    on_error=st.sampled_from(["allow", "deny", "raise"]),
)
ANSWERS: dict[str, Callable[[], Any]] = {
    "answer": lambda: "own",
    "None": lambda: Replace(None),
    "Abort": lambda: Abort("not so"),
    "lazy": lambda: (item for item in "ab"),
}


def act(what: str, ctx: Any) -> None:
    """Do what a case says."""
    if what == "fail":
        raise ValueError(what)
    if what == "abort":
        raise HookAborted("not so")
    if what == "bind":
        ctx.payload = {"bound": 1}


async def called(case: Case, call_next: Any, late: list[Any]) -> Any:
    """Call the operation as a case says."""
    if case.calls == "with a payload":
        return await call_next({"passed": 1})
    if case.calls == "twice":
        await call_next()
        return await call_next({"again": 1})
    if case.calls == "in a task":
        return await asyncio.create_task(call_next())
    if case.calls == "late":
        late.append(call_next)
    return "short" if case.calls == "not at all" else await call_next()


def plugin_of(name: str, case: Case, seen: list[Any], late: list[Any]) -> Any:
    """Return a plugin that does what a case says."""

    class Awaited:
        @hookimpl
        async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
            ctx.state["count"] = ctx.state.get("count", 0) + 1
            seen.append((name, "before", dict(ctx.payload)))
            act(case.before, ctx)
            if case.calls == "unawaited":
                return call_next()
            try:
                result = await called(case, call_next, late)
            except BaseException as error:
                seen.append((name, "error", type(error), str(error)))
                if case.after != "rescue":
                    raise
                return "rescued"
            seen.append((name, "after", result, dict(ctx.payload), dict(ctx.state)))
            act(case.after, ctx)
            return ANSWERS.get(case.after, lambda: result)()

    class Yielding:
        @hookimpl
        def wrap_tool_call(self, ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
            seen.append((name, "before", dict(ctx.payload)))
            act(case.before, ctx)
            try:
                result = yield {"passed": 1} if case.calls == "with a payload" else None
            except BaseException as error:
                seen.append((name, "error", type(error), str(error)))
                if case.after != "rescue":
                    raise
                return "rescued"
            seen.append((name, "after", result, dict(ctx.payload)))
            act(case.after, ctx)
            return ANSWERS.get(case.after, lambda: None)()

    return Awaited() if case.form == "await" else Yielding()


async def told(cases: list[Case], body: str, *, watched: bool) -> Any:
    """Return what a run of an operation through the cases' hooks comes to."""
    seen: list[Any] = []
    late: list[Any] = []
    manager = HookManager(control_flow=[StopTheRun])
    if watched:
        manager.subscribe(lambda event: None)
    for index, case in enumerate(cases):
        name = f"{index}"
        plugin = plugin_of(name, case, seen, late)
        register_configured(manager, plugin, name, on_error=case.on_error, priority=index)
    ctx = ToolCallContext(tool_name="read", payload={"given": 1})

    async def operation(payload: Any) -> Any:
        seen.append(("body", dict(payload)))
        await asyncio.sleep(0)
        if body == "fail":
            raise LookupError(body)
        if body == "signal":
            raise StopTheRun
        return body

    outcomes = [await caught(lambda: manager.awrap("wrap_tool_call", ctx, operation))]
    outcomes += [await caught(call_next) for call_next in late]
    return seen, outcomes, ctx.payload, ctx.point


async def caught(call: Callable[[], Any]) -> Any:
    """Return what a call comes to, an exception as a value."""
    try:
        return await call()
    except BaseException as error:  # noqa: BLE001 - compared with the other way's
        return type(error), str(error), getattr(error, "source", None)


@given(
    cases=st.lists(CASES, min_size=1, max_size=3), body=st.sampled_from(["ok", "fail", "signal"])
)
def test_awaited_wraps_come_to_the_same_with_and_without_somebody_watching(
    cases: list[Case], body: str
) -> None:
    quick = asyncio.run(told(cases, body, watched=False))
    assert quick == asyncio.run(told(cases, body, watched=True))
