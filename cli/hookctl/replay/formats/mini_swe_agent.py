"""mini-swe-agent trajectories: commands in fenced blocks, or tool calls."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ..model import RecordedCall, RecordedResult, RecordedRun, Turn
from . import openai
from .message import is_message, plain_text
from .source import objects, scalars, text_or_none

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..stream import Item
    from .source import TranscriptSource

NAME = "mini-swe-agent"
TITLE = "mini-swe-agent trajectories (`.traj.json`)"
_COMMAND = re.compile(r"```(?:mswea_bash_command|bash)[ \t]*\r?\n(.*?)\r?\n```", re.DOTALL)
_FENCE = "```mswea_bash_command"
_OBSERVATION = "<returncode>"
_TOOL = "bash"


def recognises(value: object) -> bool:
    """Tell whether a value is one run of this format.

    Args:
        value: any JSON value.

    Returns:
        True when it says so, or when its answers hold fenced commands that were observed.
    """
    if isinstance(value, dict):
        info = value.get("info")
        named = str(value.get("trajectory_format", "")).startswith(NAME)
        named = named or (isinstance(info, dict) and "mini_version" in info)
        return named and isinstance(value.get("messages"), list)
    messages = [message for message in objects(value) if is_message(message)]
    return any(map(_is_command_message, messages)) and not any("tool_calls" in m for m in messages)


def read(item: Item, source: TranscriptSource) -> RecordedRun:
    """Read one run.

    Args:
        item: a value that `recognises` accepts.
        source: the input that it comes from.

    Returns:
        The run.
    """
    record = item.value if isinstance(item.value, dict) else {"messages": item.value}
    key = "messages" if isinstance(item.value, dict) else ""
    info = record.get("info")
    return RecordedRun(
        id=source.run_id(item, record),
        where=source.where(item),
        turns=_turns(record.get("messages"), key, item, source),
        model=_model_name(info),
        attributes=scalars(info) if isinstance(info, dict) else {},
    )


def _turns(messages: object, key: str, item: Item, source: TranscriptSource) -> Iterator[Turn]:
    entries = messages if isinstance(messages, list) else []
    running = [entry for entry in entries if not _is_exit(entry)]
    pending: RecordedCall | None = None
    for turn in openai.turns_of(running, key, item, source):
        if turn.role == "user" and pending is not None:
            yield replace(
                turn, text=None, results=(RecordedResult(turn.message.get("content"), name=_TOOL),)
            )
        else:
            yield _with_command(turn)
        pending = _command_of(turn)
    yield from (
        _exit_turn(entry, source.where(item, key)) for entry in objects(entries) if _is_exit(entry)
    )


def _with_command(turn: Turn) -> Turn:
    command = _command_of(turn)
    return turn if command is None else replace(turn, calls=(command,))


def _command_of(turn: Turn) -> RecordedCall | None:
    """Find the one command of a text answer; with none or several, the agent runs nothing."""
    if turn.role != "assistant" or turn.calls:
        return None
    commands = _COMMAND.findall(plain_text(turn.message.get("content")))
    return RecordedCall(_TOOL, {"command": commands[0].strip()}) if len(commands) == 1 else None


def _is_command_message(message: dict[str, object]) -> bool:
    text = plain_text(message.get("content"))
    return (message["role"] == "assistant" and _FENCE in text) or (
        message["role"] == "user" and text.startswith(_OBSERVATION)
    )


def _is_exit(entry: object) -> bool:
    return isinstance(entry, dict) and entry.get("role") == "exit"


def _exit_turn(entry: dict[str, object], where: str) -> Turn:
    return Turn(entry, where, "system", text=plain_text(entry.get("content")), final=True)


def _model_name(info: object) -> str | None:
    config = info.get("config") if isinstance(info, dict) else None
    model = config.get("model") if isinstance(config, dict) else None
    return text_or_none(model.get("model_name")) if isinstance(model, dict) else None
