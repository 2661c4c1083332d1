"""Claude Code session files: one record a line, sub-agents' records among them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..model import RecordedRun, Turn
from .message import is_message, turn_of, why_not_message
from .source import scalars, text_or_none

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..stream import Item
    from .source import TranscriptSource

NAME = "claude-code"
TITLE = "Claude Code sessions (`.jsonl`, one record a line)"
_MARKS = ("sessionId", "uuid", "leafUuid", "parentUuid", "messageId")
_SENT = ("role", "content")
_SAID = ("user", "assistant")
_MOST_OPEN = 8
"""Sessions whose records may be mixed in one input."""
_NOT_A_MODEL = "<synthetic>"
_ATTRIBUTES = ("cwd", "gitBranch", "version", "permissionMode")


def recognises(value: object) -> bool:
    """Tell whether a value is a record of this format.

    Args:
        value: any JSON value.

    Returns:
        True for an object with a type and one of the format's identifiers.
    """
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    return any(mark in value for mark in _MARKS)


def read(items: Iterable[Item], source: TranscriptSource) -> Iterator[RecordedRun]:
    """Read sessions; the last few are kept in memory until no more of them can come.

    Args:
        items: the records in order.
        source: the input that they come from.

    Yields:
        For each session its run, then one run for each sub-agent in it.
    """
    sessions: dict[str | None, _Session] = {}
    current: str | None = None
    for item in items:
        record = item.value
        if not isinstance(record, dict) or not isinstance(record.get("type"), str):
            source.malformed(source.where(item), "not a record: no object with a type")
            continue
        current = text_or_none(record.get("sessionId")) or current
        session = sessions.pop(current, None) or _Session(current)
        sessions[current] = session
        session.add(record, item, source)
        if len(sessions) > _MOST_OPEN:
            yield from sessions.pop(next(iter(sessions))).runs(source)
    for session in sessions.values():
        yield from session.runs(source)


@dataclass(slots=True)
class _Record:
    """One line that says something: its message, and what it continues."""

    message: dict[str, object]
    where: str
    message_id: str | None
    restarts: bool


@dataclass(slots=True)
class _Session:
    """The records of one session, split into the main thread and its sub-agents."""

    id: str | None
    threads: dict[str, list[_Record]] = field(default_factory=dict)
    attributes: dict[str, object] = field(default_factory=dict)
    _thread_of: dict[str, str] = field(default_factory=dict)
    _seen: set[bytes] = field(default_factory=set)
    _compacted: bool = False

    def add(self, record: dict[str, object], item: Item, source: TranscriptSource) -> None:
        """Keep a record that carries a message; report one that should and does not."""
        if record.get("subtype") == "compact_boundary":
            self._compacted = True
        if record["type"] not in _SAID or self._is_repeat(record):
            return
        message, where = record.get("message"), source.where(item)
        if not is_message(message) or not isinstance(message, dict) or not _has_good_parts(message):
            reason = (
                "a content part is not an object"
                if is_message(message)
                else why_not_message(message)
            )
            source.malformed(where, reason)
            return
        if message.get("model") == _NOT_A_MODEL:
            return
        if not self.attributes:
            self.attributes = scalars({key: record[key] for key in _ATTRIBUTES if key in record})
        thread = self._thread(record)
        restarts, self._compacted = self._compacted and not thread, self._compacted and bool(thread)
        kept = _Record(message, where, text_or_none(message.get("id")), restarts)
        self.threads.setdefault(thread, []).append(kept)

    def runs(self, source: TranscriptSource) -> Iterator[RecordedRun]:
        """Make a run of each thread; the main one is the parent of the others."""
        name = self.id or source.name.rsplit("/", 1)[-1].split(".", 1)[0]
        main = source.names.unique(name) if "" in self.threads else name
        for thread, records in sorted(self.threads.items(), key=lambda entry: entry[0] != ""):
            yield RecordedRun(
                id=source.names.unique(thread, main) if thread else main,
                where=records[0].where,
                turns=_turns(records),
                agent=thread or None,
                session_id=self.id,
                parent_run_id=main if thread else None,
                attributes=self.attributes,
            )

    def _is_repeat(self, record: dict[str, object]) -> bool:
        """Recognise a record that a resumed session wrote a second time."""
        uuid = record.get("uuid")
        if not isinstance(uuid, str):
            return False
        said = json.dumps([uuid, record.get("message")], sort_keys=True).encode()
        digest = hashlib.blake2b(said, digest_size=16).digest()
        repeated = digest in self._seen
        self._seen.add(digest)
        return repeated

    def _thread(self, record: dict[str, object]) -> str:
        """Name the record's thread: empty for the main one, else the sub-agent's identifier."""
        if record.get("isSidechain") is not True:
            return ""
        uuid, parent = text_or_none(record.get("uuid")), text_or_none(record.get("parentUuid"))
        known = self._thread_of.get(parent or "")
        count = len(set(self._thread_of.values())) + 1
        thread = text_or_none(record.get("agentId")) or known or f"sidechain-{count}"
        if uuid is not None:
            self._thread_of[uuid] = thread
        return thread


def _has_good_parts(message: dict[str, object]) -> bool:
    content = message.get("content")
    return not isinstance(content, list) or all(isinstance(part, dict) for part in content)


def _turns(records: list[_Record]) -> Iterator[Turn]:
    for record in _joined(records):
        sent = {key: value for key, value in record.message.items() if key in _SENT}
        turn = turn_of(record.message, record.where)
        yield Turn(
            message=sent,
            where=turn.where,
            role=turn.role,
            text=turn.text,
            answer=turn.answer,
            calls=turn.calls,
            results=turn.results,
            model=turn.model,
            restarts=record.restarts,
        )


def _joined(records: list[_Record]) -> list[_Record]:
    """Put together what the file splits: one answer is written as several records."""
    joined: list[_Record] = []
    answers: dict[str, _Record] = {}
    for record in records:
        first = answers.get(record.message_id or "")
        if record.message.get("role") == "assistant" and first is not None:
            first.message = {
                **first.message,
                **{key: value for key, value in record.message.items() if key != "content"},
                "content": _parts(first.message) + _parts(record.message),
            }
            continue
        if record.message.get("role") == "assistant" and record.message_id:
            answers[record.message_id] = record
        joined.append(record)
    return joined


def _parts(message: dict[str, object]) -> list[object]:
    content = message.get("content")
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if content else []
