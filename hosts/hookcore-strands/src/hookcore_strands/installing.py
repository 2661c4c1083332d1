"""Putting the governed calls in the place of Strands' own, and taking them out again."""

from __future__ import annotations

import functools
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import strands.agent.agent as strands_agent
from strands.interrupt import InterruptException
from strands.types._events import ToolResultEvent

from hookcore import HookAborted, HookManager
from hookcore.hosting import (
    MODEL_POINTS,
    TOOL_POINTS,
    Adapter,
    Answered,
    Handle,
    Raised,
    SplitCalls,
    StartedIn,
    denials_outside,
    denied_value,
    has_any_hooks,
    new_call_id,
    put_all,
    stepped,
    stop_if_failed,
    stoppable,
    stopping,
    with_defaults,
)

from .content import blocks_of, shown
from .host import HOST
from .models import GovernedModel

__all__ = ["install", "uninstall"]

_log = logging.getLogger(__name__)
_told: set[str] = set()


class ToolFailedError(Exception):
    """The error that a tool failed with, where Strands only tells of it in the tool's result."""


def install(manager: HookManager | None = None, *, accept_untested: bool = False) -> HookManager:
    """Let a manager govern all agents of the process; return the manager.

    A second call only changes the manager.

    Args:
        manager: the hooks; the process-wide manager when None.
        accept_untested: whether a version of Strands will do that was not tested: this replaces
            methods that are Strands' own business.

    Raises:
        RuntimeVersionError: the version of Strands was not tested.
        PluginLoadError: a required plugin needs what this host does not do.
    """
    signals = [InterruptException]
    return _adapter.install(manager, accept_untested=accept_untested, control_flow=signals)


def uninstall() -> None:
    """Undo :func:`install`."""
    _adapter.uninstall()


# Models and tools


def _stage(old: Callable[..., Any]) -> Callable[..., Any]:
    def invoke(self: Any, stage: Any, context: Any, terminal: Any) -> Any:
        # Innermost, so that what the agent's own middleware makes of it is judged.
        governed = {"invokeModel": _asked, "executeTool": _called}.get(stage.name)
        if governed is None:
            return old(self, stage, context, terminal)
        return old(self, stage, context, functools.partial(governed, terminal))

    return invoke


def _asked(terminal: Any, context: Any) -> Any:
    stop_if_failed()
    manager = _adapter.manager
    if not has_any_hooks(manager, MODEL_POINTS):
        return terminal(context)
    model = GovernedModel(context.model, manager, context.agent)
    return terminal(replace(context, model=model))


def _called(terminal: Any, context: Any) -> Any:
    # Each call in two halves costs a task, which is for nothing where nobody is asked.
    asked = has_any_hooks(_adapter.manager, TOOL_POINTS)
    return _judged(terminal, context) if asked else terminal(context)


async def _judged(terminal: Any, context: Any) -> AsyncIterator[Any]:
    use, tool = context.tool_use, context.tool
    given = use.get("input") or {}
    # A call by the program may bring its agent along, which is no argument.
    own = {name: value for name, value in given.items() if value is context.agent}
    schema = {} if tool is None else tool.tool_spec["inputSchema"].get("json", {})
    arguments = with_defaults({key: given[key] for key in given if key not in own}, schema)
    call_id = str(use.get("toolUseId") or new_call_id())
    told: dict[str, Any] = {"call_id": call_id, "agent": Handle(context.agent)}
    point = "pre_tool_call"
    raised = Raised()
    try:
        with stopping(raised, HookAborted, Answered):
            async with SplitCalls(_adapter.manager) as calls:
                settled = await calls.begin(use["name"], arguments, tool=Handle(tool), **told)
                point, last = "post_tool_call", None
                changed = replace(context, tool_use={**use, "input": {**settled, **own}})
                with raised:
                    async with aclosing(terminal(changed)) as events:
                        async for event in events:
                            if isinstance(event, ToolResultEvent):
                                last = event
                            else:
                                yield event
                if last is None:  # an interrupt
                    return
                yield await _ended(calls, call_id, last)
    except HookAborted as denied:
        yield _result(use, str(denied_value(denied, point)), "error")
    except Answered as answered:
        yield _result(use, answered.value, "success")


async def _ended(calls: SplitCalls, call_id: str, event: Any) -> Any:
    """Return a tool's result as the hooks leave it."""
    result = event.tool_result
    before = shown(result["content"])
    failed = event.exception or (ToolFailedError(str(before)) if _has_failed(result) else None)
    value = await calls.end(call_id, before, error=failed)
    if value is before or value == before:
        return event
    return ToolResultEvent({**result, "content": blocks_of(value)}, exception=event.exception)


def _has_failed(result: Any) -> bool:
    return bool(result.get("status") == "error")


def _result(use: Any, value: Any, status: str) -> Any:
    told = {"toolUseId": str(use.get("toolUseId")), "status": status}
    return ToolResultEvent({**told, "content": blocks_of(value)})


# Runs


def _streamed(old: Callable[..., Any]) -> Callable[..., Any]:
    def stream_async(self: Any, prompt: Any = None, **options: Any) -> Any:
        manager = _adapter.manager

        async def source() -> Any:
            return _run(manager, old, self, prompt, options)

        return stepped(StartedIn(manager.parts.plans.scopes), source)

    return stream_async


@denials_outside()
async def _run(
    manager: HookManager, old: Any, agent: Any, prompt: Any, options: Any
) -> AsyncIterator[Any]:
    _tell_of_unseen(agent)
    last: Any = None
    boundary = manager.run({"prompt": prompt}, message=prompt, agent=Handle(agent))
    async with boundary:
        with stoppable(boundary) as stopped:
            async with aclosing(old(agent, boundary.message, **options)) as events:
                async for event in events:
                    if any(not isinstance(error, HookAborted) for error in stopped):
                        break
                    if "result" in event:
                        last = event
                        boundary.result = _output(event["result"])
                    else:
                        yield event
    if last is not None:
        yield {**last, "result": _with_output(last["result"], boundary.result)}


def _output(result: Any) -> Any:
    given = getattr(result, "structured_output", None)
    return shown(result.message.get("content", [])) if given is None else given


def _with_output(result: Any, value: Any) -> Any:
    if value is _output(result) or value == _output(result):
        return result
    if getattr(result, "structured_output", None) is not None:
        return replace(result, structured_output=value)
    return replace(result, message={**result.message, "content": blocks_of(value)})


def _structured(old: Callable[..., Any]) -> Callable[..., Any]:
    @denials_outside()
    async def structured_output_async(self: Any, output_model: Any, prompt: Any = None) -> Any:
        manager, model = _adapter.manager, self.model
        run = manager.run({"prompt": prompt}, message=prompt, agent=Handle(self))
        async with run:
            self.model = GovernedModel(model, manager, self)
            try:
                with stoppable(run):
                    run.result = await old(self, output_model, run.message)
            finally:
                self.model = model
        return run.result

    return structured_output_async


def _tell_of_unseen(agent: Any) -> None:
    """Say once that no policy sees how Strands sums a conversation up."""
    kind = type(getattr(agent, "conversation_manager", None)).__name__
    if kind.startswith("Summariz") and kind not in _told:
        _told.add(kind)
        _log.warning(
            "the agent %s has a %s, whose own requests to the model no policy of hookcore sees",
            getattr(agent, "name", agent),
            kind,
        )


_SEAMS: tuple[tuple[Any, str, Callable[[Any], Any]], ...] = (
    (strands_agent.MiddlewareRegistry, "invoke", _stage),
    (strands_agent.Agent, "stream_async", _streamed),
    (strands_agent.Agent, "structured_output_async", _structured),
)
"""The places, as the tested versions have them."""
_adapter = Adapter(HOST, put_all(_SEAMS))
