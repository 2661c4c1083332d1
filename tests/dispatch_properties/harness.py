"""Runs a case on the product and tells what happened in the oracle's terms."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from hookcore import (
    HookAborted,
    HookContext,
    HookDispatchedEvent,
    HookManager,
    ModelCallContext,
    ToolCallContext,
    hookimpl,
)
from hookcore.testing import register_configured

from .cases import Act, Case, HookCase, Signal, first_payload, perform
from .oracle import Oracle
from .outcomes import Outcome, told

Seen = list[tuple[str, str, Any]]


def check(case: Case) -> None:
    """Compare the product with the oracle: sync twice (the second time with warm caches), async."""
    predicted = Oracle(case).run()
    with contextlib.closing(Bench(case)) as bench:
        for run in (bench.sync, bench.sync, bench.asynchronous):
            happened = run()
            assert happened == predicted, (
                f"{run.__name__} dispatch\n  happened  {happened}\n  predicted {predicted}"
            )


class Bench:
    """A manager with a case's plugins, and what is seen there."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.manager = HookManager(track_mutations=case.tracked, control_flow=[Signal])
        self.seen: Seen = []
        self.events: list[HookDispatchedEvent] = []
        self._watch()
        for hook in case.hooks:
            if hook.depth == 0:
                self._register(hook)

    def close(self) -> None:
        """End the manager's threads."""
        self.manager.close()

    def sync(self) -> Outcome:
        """Dispatch on this thread."""
        ctx = self._context()
        with self._scopes():
            return self._outcome(ctx, _caught(lambda: self.manager.dispatch(self.case.point, ctx)))

    def asynchronous(self) -> Outcome:
        """Dispatch on an event loop."""
        ctx = self._context()

        async def main() -> BaseException | None:
            with self._scopes():
                try:
                    await self.manager.adispatch(self.case.point, ctx)
                except BaseException as error:  # noqa: BLE001 - compared with the oracle's
                    return error
            return None

        return self._outcome(ctx, asyncio.run(main()))

    def _context(self) -> HookContext:
        self.seen.clear()
        self.events.clear()
        self.host_payload = first_payload(self.case.point)
        agent = self.case.agent
        if self.case.point == "pre_model_call":
            return ModelCallContext(messages=self.host_payload, agent=agent)
        if self.case.point == "pre_tool_call":
            return ToolCallContext(tool_name=self.case.tool, payload=self.host_payload, agent=agent)
        return ToolCallContext(
            tool_name=self.case.tool, tool_input={}, tool_result=self.host_payload, agent=agent
        )

    def _outcome(self, ctx: HookContext, error: BaseException | None) -> Outcome:
        if self.case.point == "pre_model_call":
            assert ctx.payload is self.host_payload, "the host's own list is replaced"
        assert len(self.events) <= 1
        return Outcome(
            seen=list(self.seen),
            payload=deepcopy(ctx.payload),
            tool=getattr(ctx, "tool_name", None),
            raised=told(error),
            event=_event(self.events[0], error) if self.events else None,
        )

    def _watch(self) -> None:
        watcher = self.case.watcher
        if watcher == "subscriber":
            self.manager.subscribe(self.events.append)
        elif watcher == "hook":
            self.manager.register(Watcher(self.events), "watcher")
        elif watcher == "async hook":
            self.manager.register(AsyncWatcher(self.events), "watcher")

    def _register(self, hook: HookCase) -> None:
        options = hook.operator
        register_configured(
            self.manager,
            plugin_of(hook, self.case.point, self.seen),
            hook.tag,
            mode="monitor" if options.monitor else "enforce",
            on_error=options.on_error,
            priority=options.priority,
            tools=options.tools,
            agents=options.agents,
        )

    @contextlib.contextmanager
    def _scopes(self) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for depth in (1, 2):
                plugins = [
                    plugin_of(hook, self.case.point, self.seen)
                    for hook in self.case.hooks
                    if hook.depth == depth
                ]
                stack.enter_context(self.manager.scope(*plugins))
            yield


class Watcher:
    """Gets each event through the point for events."""

    def __init__(self, events: list[HookDispatchedEvent]) -> None:
        self.events = events

    @hookimpl
    def hook_dispatched(self, ctx: HookContext) -> None:
        self.events.append(ctx.payload)


class AsyncWatcher(Watcher):
    """Gets each event in a coroutine."""

    @hookimpl
    async def hook_dispatched(self, ctx: HookContext) -> None:  # type: ignore[override]
        await asyncio.sleep(0)
        self.events.append(ctx.payload)


def _caught(call: Callable[[], object]) -> BaseException | None:
    try:
        call()
    except BaseException as error:  # noqa: BLE001 - compared with the oracle's
        return error
    return None


def _event(event: HookDispatchedEvent, error: BaseException | None) -> dict[str, Any]:
    """Return what the oracle predicts of an event; check what follows from the exception."""
    expected: tuple[Any, Any] = (None if error is None else type(error).__name__, None)
    if isinstance(error, HookAborted):
        expected = (error.reason, error.source)
    assert (event.abort_reason, event.abort_source) == expected
    for record in event.records:
        assert (record.error is not None) == (record.verdict in ("error", "timeout"))
        assert 0 <= record.duration_ms <= event.duration_ms + 1
    return {
        "point": event.interception_point,
        "outcome": event.outcome,
        "hook_count": event.hook_count,
        "error_count": event.error_count,
        "tool": event.tool,
        "agent": event.agent,
        "tracked": event.mutations_tracked,
        "records": [(item.plugin, item.hook, item.verdict, item.effect) for item in event.records],
    }


def plugin_of(hook: HookCase, point: str, seen: Seen) -> object:
    """Return a plugin with one hook that does what the case says."""
    options: dict[str, Any] = {"tools": hook.tools, "agents": hook.agents}
    author = {"priority": hook.priority, "on_error": hook.on_error}
    attributes: dict[str, Any] = {}
    (attributes if hook.plugin_wide else options).update(author)
    if hook.rank is not None:
        options[hook.rank] = True
    if hook.role == "gate":
        options["gate"] = True
    elif hook.role == "wrapper":
        options["wrapper"] = True
    if hook.style == "offload" and hook.role != "wrapper":
        options["offload"] = True
    function = _wrapper(hook, seen) if hook.role == "wrapper" else _function(hook, seen)
    function.__name__ = point
    attributes[point] = staticmethod(hookimpl(**options)(function))
    # A scope names its plugins after their classes.
    return type(hook.tag, (), attributes)()


def _function(hook: HookCase, seen: Seen) -> Callable[[Any], Any]:
    def plain(ctx: Any) -> Any:
        seen.append((hook.tag, "call", deepcopy(ctx.payload)))
        return perform(hook.act, ctx, hook.tag)

    async def slow(ctx: Any) -> Any:
        await asyncio.sleep(0)
        return plain(ctx)

    async def soon(ctx: Any) -> Any:
        return plain(ctx)

    def late(ctx: Any) -> Any:
        """Answer with an awaitable, having done everything else already."""
        answer = plain(ctx)

        async def wait() -> Any:
            await asyncio.sleep(0)
            return answer

        return wait()

    functions: dict[str, Callable[[Any], Any]] = {"async": slow, "soon": soon, "late": late}
    return functions.get(hook.style, plain)


def _wrapper(hook: HookCase, seen: Seen) -> Callable[[Any], Any]:
    def wrapper(ctx: Any) -> Any:
        seen.append((hook.tag, "before", deepcopy(ctx.payload)))
        perform(hook.act, ctx, hook.tag)
        if hook.act is Act.NO_YIELD:
            return None
        try:
            given = yield
        except GeneratorExit:
            raise
        except BaseException as problem:  # noqa: BLE001 - what it does about it is the case's
            seen.append((hook.tag, "rescue", told(problem)))
            act, given = hook.rescue, ctx.payload
            answer = perform(act, ctx, hook.tag, problem)
        else:
            assert given is ctx.payload
            seen.append((hook.tag, "after", deepcopy(given)))
            act = hook.after
            answer = perform(act, ctx, hook.tag)
        if act is Act.SECOND_YIELD:
            yield
        return answer

    return wrapper
