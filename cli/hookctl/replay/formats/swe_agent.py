"""SWE-agent trajectories: a history with tool calls, or older ones with text actions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..model import RecordedCall, RecordedResult, RecordedRun, Turn
from . import openai
from .source import objects, scalars, text_or_none

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..stream import Item
    from .source import TranscriptSource

NAME = "swe-agent"
TITLE = "SWE-agent trajectories (`.traj`)"
_TOOL = "bash"
_SENT = ("role", "content", "tool_calls", "tool_call_id", "tool_call_ids", "name")


def recognises(value: object) -> bool:
    """Tell whether a value is one run of this format.

    Args:
        value: any JSON value.

    Returns:
        True for an object whose `trajectory` has actions, or a `history` beside it.
    """
    if not isinstance(value, dict) or not isinstance(value.get("trajectory"), list):
        return False
    steps = objects(value["trajectory"])
    return isinstance(value.get("history"), list) or any("action" in step for step in steps)


def read(item: Item, source: TranscriptSource) -> RecordedRun:
    """Read one run.

    Args:
        item: a value that `recognises` accepts.
        source: the input that it comes from.

    Returns:
        The run.
    """
    record = item.value if isinstance(item.value, dict) else {}
    history = record.get("history")
    info = record.get("info")
    return RecordedRun(
        id=source.run_id(item, record),
        where=source.where(item),
        turns=_history(history, item, source) if history else _trajectory(record, item, source),
        agent=_agent(objects(history)),
        attributes=scalars(info) if isinstance(info, dict) else {},
    )


def _agent(history: list[dict[str, object]]) -> str | None:
    return next(
        (str(entry["agent"]) for entry in history if text_or_none(entry.get("agent"))), None
    )


def _history(history: object, item: Item, source: TranscriptSource) -> Iterator[Turn]:
    entries = history if isinstance(history, list) else []
    pending = False
    for turn in openai.turns_of(entries, "history", item, source):
        entry = turn.message
        sent = replace(turn, message={key: entry[key] for key in _SENT if key in entry})
        if entry.get("is_demo") is True:
            yield replace(sent, example=True, answer=None, calls=(), results=())
            continue
        if turn.role == "user" and pending:
            sent = replace(
                sent, text=None, results=(RecordedResult(entry.get("content"), name=_TOOL),)
            )
        action = (
            None if turn.calls or turn.role != "assistant" else text_or_none(entry.get("action"))
        )
        pending = action is not None
        yield replace(
            sent, answer=sent.message if turn.answer else None, calls=turn.calls or _calls(action)
        )


def _calls(action: str | None) -> tuple[RecordedCall, ...]:
    """Turn a text action into a call: whatever it is, the agent's shell runs it."""
    return () if action is None else (RecordedCall(_TOOL, {"command": action.strip()}),)


def _trajectory(record: dict[str, object], item: Item, source: TranscriptSource) -> Iterator[Turn]:
    steps = record["trajectory"]
    for position, step in enumerate(steps if isinstance(steps, list) else []):
        where = source.where(item, f"trajectory[{position}]")
        if not isinstance(step, dict) or "action" not in step:
            source.malformed(where, "a step is not an object with an action")
            continue
        said = text_or_none(step.get("response")) or text_or_none(step.get("thought"))
        message: dict[str, object] = {"role": "assistant", "content": said}
        calls = _calls(text_or_none(step["action"]))
        yield Turn(message, where, "assistant", text=said, answer=message, calls=calls)
        if "observation" in step:
            seen = step["observation"]
            results = (RecordedResult(seen, name=_TOOL),) if calls else ()
            text = None if calls else seen
            yield Turn({"role": "user", "content": seen}, where, "user", text=text, results=results)
