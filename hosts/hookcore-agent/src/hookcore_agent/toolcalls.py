"""The tool calls of a turn: which of them run, together or one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hookcore_specs import ToolCall

from .callrecord import Batch, CallRecord
from .events import EventType
from .messages import MalformedArguments, ToolMessage
from .phases import Phase

if TYPE_CHECKING:
    from .context import RequestContext

__all__ = ["run_calls"]

_SKIPPED = "skipped: the user sent new input before this tool ran"
_NOT_AN_OBJECT = "The arguments are not a valid JSON object."


async def run_calls(context: RequestContext, calls: Sequence[ToolCall]) -> None:
    """Do the tool calls of a turn: those that may run together first, then one by one.

    Args:
        context: the request.
        calls: what the model asked for.
    """
    together: list[CallRecord] = []
    single: list[list[CallRecord]] = []
    batch = Batch(context)
    for call in calls:
        tool = context.local_tools.get(call.name)
        if context._inbox.is_steered:
            await _refuse(context, call, _SKIPPED)
        elif tool is None:
            await _refuse(context, call, f"there is no tool {call.name}")
        elif isinstance(call.arguments, MalformedArguments):
            await _refuse(context, call, _NOT_AN_OBJECT, denied_by="hookcore")
        elif tool.parallel and context.agent.parallel_tools:
            together.append(CallRecord(context, call, tool, batch))
        else:
            single.append([CallRecord(context, call, tool, Batch(context))])
    await _run_batches(context, [together, *single] if together else single)


async def _run_batches(context: RequestContext, batches: list[list[CallRecord]]) -> None:
    for records in batches:
        if not context._inbox.is_steered:
            await _run_batch(context, records)
            continue
        for record in records:
            await _refuse(context, record.call, _SKIPPED)


async def _refuse(
    context: RequestContext, call: ToolCall, text: str, *, denied_by: str | None = None
) -> None:
    if denied_by is not None:
        text = f"denied by {denied_by}: {text}"
    message = ToolMessage(text, str(call.id), call.name, is_error=True, denied_by=denied_by)
    await context._append(message)
    await context._send(EventType.TOOL_FAILED, message)


async def _run_batch(context: RequestContext, records: list[CallRecord]) -> None:
    context._channel.go_on()
    batch = records[0].batch
    tasks: list[asyncio.Task[BaseException | None]] = []
    try:
        started = await _judged(records, tasks)
        if started:
            for record in started:
                record.begin()
            await context._move(Phase.RUNNING_TOOL)
            await context._send(EventType.TOOL_STARTED, [record.call for record in started])
            batch.go.set()
        await _all_done(tasks)
    finally:
        batch.is_over = True
        await _stopped(tasks)


async def _held(record: CallRecord) -> BaseException | None:
    # As a value the failure stays the same object, a cancellation or an interrupt too.
    try:
        await record.run()
    except BaseException as error:  # noqa: BLE001 - the one who waits raises it
        return error
    return None


async def _judged(
    records: list[CallRecord], tasks: list[asyncio.Task[BaseException | None]]
) -> list[CallRecord]:
    """Start the calls one after the other, each up to its tool; return those that got there."""
    started: list[CallRecord] = []
    for record in records:
        task = asyncio.ensure_future(_held(record))
        tasks.append(task)
        arrival = asyncio.ensure_future(record.arrived.wait())
        try:
            await asyncio.wait({task, arrival}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            arrival.cancel()
        if not task.done():
            started.append(record)
        else:
            _raise_failure({task})
    return started


async def _all_done(tasks: list[asyncio.Task[BaseException | None]]) -> None:
    """Wait for all calls; raise the first failure of the request."""
    pending = set(tasks)
    while pending:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        _raise_failure(done)


def _raise_failure(done: set[asyncio.Task[BaseException | None]]) -> None:
    for task in done:
        error = task.result()
        if error is not None:
            raise error


async def _stopped(tasks: list[asyncio.Task[BaseException | None]]) -> None:
    """Cancel the calls that still run and wait for them, however often we are cancelled."""
    again: asyncio.CancelledError | None = None
    for task in tasks:
        task.cancel()
    while pending := {task for task in tasks if not task.done()}:
        try:
            await asyncio.wait(pending)
        except asyncio.CancelledError as error:
            again = error
    if again is not None:
        raise again
