"""The contexts that hooks get in a replay: what a host would give them, always a dry run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookcore import ModelCallContext, RunContext, ToolCallContext
from hookcore.dispatch.copying import copy_payload

if TYPE_CHECKING:
    from hookcore import HookContext

    from .model import Moment, RecordedRun

PAYLOADS = {
    "execution_start": "inputs",
    "input": "inputs",
    "pre_model_call": "messages",
    "post_model_call": "response",
    "pre_tool_call": "tool_input",
    "post_tool_call": "tool_result",
    "output": "output",
    "execution_end": "output",
}
"""The name of each point's payload in a diff."""


def context_of(
    run: RecordedRun, moment: Moment, history: list[object], tools: list[object] | None
) -> HookContext:
    """Make the context of a moment; it shares nothing that can change with the run.

    Args:
        run: the run.
        moment: the moment.
        history: copies of the messages before it, in a list that is the context's own.
        tools: copies of the tools that the model is offered, likewise.

    Returns:
        A context for the moment's point.
    """
    common = _common(run, moment)
    operation = moment.operation
    if moment.point in ("pre_model_call", "post_model_call"):
        answered = {"response": copy_payload(moment.payload)}
        return ModelCallContext(
            messages=history,
            **(answered if moment.point == "post_model_call" else {}),
            model=operation.model,
            tools=tools,
            iterations=operation.iterations,
            **common,
        )
    if moment.point in ("pre_tool_call", "post_tool_call"):
        result = operation.result
        returned = {"tool_result": copy_payload(moment.payload)}
        return ToolCallContext(
            tool_name=tool_of(moment),
            tool_input=copy_payload(operation.arguments),
            **(returned if moment.point == "post_tool_call" else {}),
            status="error" if result is not None and result.failed else None,
            **common,
        )
    status = "completed" if moment.point == "execution_end" else None
    return RunContext(payload=copy_payload(moment.payload), status=status, **common)


def tool_of(moment: Moment) -> str | None:
    """Name the tool of a moment.

    Args:
        moment: the moment.

    Returns:
        The name as the model wrote it, else as the result has it; None when no tool is called.
    """
    call, result = moment.operation.call, moment.operation.result
    if call is not None and call.name:
        return call.name
    return None if result is None else result.name


def call_id_of(moment: Moment) -> str | None:
    """Give the id of the call that a moment belongs to.

    Args:
        moment: the moment.

    Returns:
        The recorded id, else one made of the step; None outside of calls.
    """
    if not moment.point.endswith("_call"):
        return None
    call, result = moment.operation.call, moment.operation.result
    recorded = (call and call.id) or (result and result.call_id)
    return recorded or f"step-{moment.operation.step}"


def _common(run: RecordedRun, moment: Moment) -> dict[str, Any]:
    return {
        "agent": run.agent,
        "run_id": run.id,
        "parent_run_id": run.parent_run_id,
        "session_id": run.session_id,
        "call_id": call_id_of(moment),
        "attributes": {**run.attributes, "source": moment.operation.where},
        "dry_run": True,
    }
