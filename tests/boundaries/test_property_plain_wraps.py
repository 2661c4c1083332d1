"""The quick way through plain wraps comes to what the way with all rules comes to."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Literal, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from hookcore import Abort, HookAborted, HookManager, Replace, ToolCallContext, hookimpl
from hookcore.testing import register_configured


class StopTheRun(Exception):  # noqa: N818 - a signal is no error
    """A host's own control flow."""


class Case(NamedTuple):
    """The deeds of one hook, before its yield and after it."""

    before: str
    passes: str
    after: str
    on_error: Literal["allow", "deny", "raise"]


CASES = st.builds(
    Case,
    before=st.sampled_from(
        ["nothing", "nothing", "nothing", "fail", "abort", "bind", "end", "answer", "interrupt"]
    ),
    passes=st.sampled_from(["nothing", "nothing", "a payload", "Replace", "Abort", "the class"]),
    after=st.sampled_from(
        ["nothing", "rescue", "answer", "None", "fail", "abort", "bind", "yield", "late", "Abort"]
    ),
    on_error=st.sampled_from(["allow", "deny", "raise"]),
)
PASSED: dict[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "a payload": lambda: {"passed": 1},
    "Replace": lambda: Replace({"replaced": 1}),
    "Abort": lambda: Abort("not so"),
    "the class": lambda: Abort,
}
ANSWERS: dict[str, Callable[[], Any]] = {
    "answer": lambda: "own",
    "None": lambda: Replace(None),
    "late": lambda: (item for item in "ab"),
    "Abort": lambda: Abort("not so"),
}


def plugin_of(name: str, case: Case, seen: list[Any]) -> Any:
    """Return a plugin that does what a case says."""

    class Wrap:
        @hookimpl
        def wrap_tool_call(self, ctx: Any, call_next: Any) -> Generator[Any, Any, Any]:
            ctx.state["count"] = ctx.state.get("count", 0) + 1
            seen.append((name, "before", dict(ctx.payload)))
            act(case.before, ctx)
            if case.before in ("end", "answer"):
                return "short" if case.before == "answer" else None
            try:
                result = yield PASSED[case.passes]()
            except BaseException as error:
                seen.append((name, "error", type(error), str(error)))
                if case.after != "rescue":
                    raise
                return "rescued"
            seen.append((name, "after", result, dict(ctx.payload), dict(ctx.state)))
            act(case.after, ctx)
            if case.after == "yield":
                yield
            return ANSWERS.get(case.after, lambda: None)()

    return Wrap()


def act(what: str, ctx: Any) -> None:
    """Do what a case says."""
    if what == "fail":
        raise ValueError(what)
    if what == "abort":
        raise HookAborted("not so")
    if what == "interrupt":
        raise KeyboardInterrupt
    if what == "bind":
        ctx.payload = {"bound": 1}


def told(cases: list[Case], body: str, *, watched: bool) -> Any:
    """Return what a run of an operation through the cases' hooks comes to."""
    seen: list[Any] = []
    manager = HookManager(control_flow=[StopTheRun])
    if watched:
        manager.subscribe(lambda event: None)
    for index, case in enumerate(cases):
        name = f"{index}"
        register_configured(
            manager, plugin_of(name, case, seen), name, on_error=case.on_error, priority=index
        )
    ctx = ToolCallContext(tool_name="read", payload={"given": 1})

    def operation(payload: Any) -> Any:
        seen.append(("body", dict(payload)))
        if body == "fail":
            raise LookupError(body)
        if body == "signal":
            raise StopTheRun
        return body

    outcome: Any
    try:
        outcome = manager.wrap("wrap_tool_call", ctx, operation)
    except BaseException as error:  # noqa: BLE001 - compared with the other way's
        outcome = (type(error), str(error), getattr(error, "source", None))
    return seen, outcome, ctx.payload, ctx.point


@given(
    cases=st.lists(CASES, min_size=1, max_size=3), body=st.sampled_from(["ok", "fail", "signal"])
)
def test_plain_wraps_come_to_the_same_with_and_without_somebody_watching(
    cases: list[Case], body: str
) -> None:
    assert told(cases, body, watched=False) == told(cases, body, watched=True)
