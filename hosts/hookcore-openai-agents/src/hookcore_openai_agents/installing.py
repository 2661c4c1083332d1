"""Putting the governed calls in the place of the SDK's own, and taking them out again."""

from __future__ import annotations

import contextvars
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import agents.run
import agents.tool
from agents.run_internal import run_loop, tool_execution
from agents.run_state import RunState

from hookcore import Denied, HookManager
from hookcore.hosting import (
    TOOL_POINTS,
    Adapter,
    BodyFailed,
    Handle,
    Raised,
    denials_outside,
    has_any_hooks,
    put_all,
    stop_if_failed,
    stoppable,
    stopping,
    with_defaults,
)

from .host import HOST
from .models import GovernedModel

__all__ = ["install", "uninstall"]

_INVOKE = "_invoke_function_tool_with_metadata"
_FAILED = "maybe_invoke_function_tool_failure_error_function"

_handled: contextvars.ContextVar[list[BaseException] | None] = contextvars.ContextVar(
    "hookcore_openai_agents_handled", default=None
)
"""The error that the tool at work failed with, where the SDK makes a text of it."""


class ToolFailedError(Exception):
    """The error that a tool failed with, where the SDK only tells of it in the tool's output."""


def install(manager: HookManager | None = None, *, accept_untested: bool = False) -> HookManager:
    """Let a manager govern all agents of the process; return the manager.

    A second call only changes the manager.

    Args:
        manager: the hooks; the process-wide manager when None.
        accept_untested: whether a version of the SDK will do that was not tested: this replaces
            functions that are the SDK's own business.

    Raises:
        RuntimeVersionError: the SDK's version was not tested.
        PluginLoadError: a required plugin needs what this host does not do.
    """
    return _adapter.install(manager, accept_untested=accept_untested)


def uninstall() -> None:
    """Undo :func:`install`."""
    _adapter.uninstall()


def _model(old: Callable[..., Any]) -> Callable[..., Any]:
    def get_model(agent: Any, run_config: Any) -> Any:
        return GovernedModel(old(agent, run_config), _adapter.manager, agent)

    return get_model


# Tools


def _tool(old: Callable[..., Any]) -> Callable[..., Any]:
    async def invoke(*, function_tool: Any, context: Any, arguments: str) -> Any:
        manager = _adapter.manager
        if not has_any_hooks(manager, TOOL_POINTS):
            return await old(function_tool=function_tool, context=context, arguments=arguments)
        results: list[Any] = []
        own = Raised()

        async def body(settled: dict[str, Any]) -> Any:
            errors: list[BaseException] = []
            token = _handled.set(errors)
            try:
                with own:
                    result = await old(
                        function_tool=function_tool, context=context, arguments=json.dumps(settled)
                    )
            finally:
                _handled.reset(token)
            results.append(result)
            if errors or result.is_sdk_generated_error:
                told = [error for error in errors if isinstance(error, Exception)]
                raise BodyFailed(result.output, [ToolFailedError(str(result.output)), *told][-1])
            return result.output

        with stopping(own):
            value = await manager.acall_tool(
                function_tool.name,
                _parsed(arguments, function_tool.params_json_schema),
                body,
                on_denied="return",
                call_id=context.tool_call_id,
                tool=Handle(function_tool),
                agent=Handle(context.agent),
            )
        stop_if_failed()
        if isinstance(value, Denied):
            return _result(str(value), is_sdk_generated_error=True)
        return replace(results[-1], output=value) if results else _result(value)

    return invoke


def _failed(old: Callable[..., Any]) -> Callable[..., Any]:
    async def failure(*, function_tool: Any, context: Any, error: BaseException) -> Any:
        text = await old(function_tool=function_tool, context=context, error=error)
        errors = _handled.get()
        if text is not None and errors is not None:
            errors.append(error)
        return text

    return failure


def _parsed(arguments: str, schema: Any) -> Any:
    """Return arguments with their defaults; those that do not parse as they are, to be denied."""
    try:
        given = json.loads(arguments or "{}")
    except ValueError:
        return arguments
    return with_defaults(given, schema) if isinstance(given, dict) else arguments


def _result(output: Any, **told: bool) -> Any:
    return agents.tool._FunctionToolInvocationResult(output, **told)


# Runs


def _run(old: Callable[..., Any]) -> Callable[..., Any]:
    @denials_outside()
    async def run(self: Any, starting_agent: Any, input: Any, **options: Any) -> Any:  # noqa: A002 - the SDK's name
        result: Any = None
        async with _boundary(starting_agent, input) as boundary:
            given = input if isinstance(input, RunState) else boundary.message
            with stoppable(boundary):
                result = await old(self, starting_agent, given, **options)
            boundary.result = result.final_output
        if boundary.result is not result.final_output:
            result.final_output = boundary.result
        return result

    return run


def _streamed(old: Callable[..., Any]) -> Callable[..., Any]:
    @denials_outside()
    async def start(*args: Any, **options: Any) -> None:
        told, given = options["streamed_result"], options["starting_input"]
        resumed, state = options.get("is_resumed_state"), options.get("run_state")
        async with _boundary(options["starting_agent"], None if resumed else given) as boundary:
            if not resumed and boundary.message is not given:
                options["starting_input"] = told.input = boundary.message
                for holder in (told, state):
                    if holder is not None:
                        holder._original_input = boundary.message
            with stoppable(boundary):
                await old(*args, **options)
            boundary.result = told.final_output
        told.final_output = boundary.result

    async def started(*args: Any, **options: Any) -> None:
        try:
            await start(*args, **options)
        except BaseException:
            # Who reads the events waits for their end; the error is raised to them then.
            told = options["streamed_result"]
            told.is_complete = True
            told._event_queue.put_nowait(run_loop.QueueCompleteSentinel())
            raise

    return started


def _boundary(agent: Any, given: Any) -> Any:
    message = None if isinstance(given, RunState) else given
    manager = _adapter.manager
    return manager.run({"input": message}, message=message, agent=Handle(agent))


_SEAMS: tuple[tuple[Any, str, Callable[[Any], Any]], ...] = (
    (run_loop, "get_model", _model),
    (tool_execution, _INVOKE, _tool),
    (agents.tool, _INVOKE, _tool),
    (agents.tool, _FAILED, _failed),
    (tool_execution, _FAILED, _failed),
    (agents.run.AgentRunner, "run", _run),
    (agents.run, "start_streaming", _streamed),
)
"""The places, as the tested versions have them."""
_adapter = Adapter(HOST, put_all(_SEAMS))
