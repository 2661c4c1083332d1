"""Reading what a client told a hook, by its dialect's keys: one form for all clients."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .model import Dialect, Event
from .tools import aliases

__all__ = ["MalformedError", "Occurrence", "read"]

_MISSING: Final = object()
_LONGEST_NAME: Final = 256
_TOOL_ROLES: Final = ("tool_before", "tool_after", "tool_failed")


class MalformedError(ValueError):
    """A client told something else than its dialect says; the text names the key, and no value."""


@dataclass(frozen=True, kw_only=True)
class Occurrence:
    """One event of a client.

    Args:
        dialect: the client's dialect.
        event: which of its events it is.
        session_id: the client's session.
        cwd: the folder that the client works in.
        tool: the tool's name as the client gives it.
        aliases: the other names that the tool is known by.
        tool_input: the tool's arguments: an object, or a JSON text of one.
        result: what the tool gave, as the client tells it.
        error: the text of a failed call.
        call_id: the id that both ends of a call have; None where the client tells none.
        duration_ms: how long the tool took.
        text: the prompt, or the model's last answer.
        agent: the sub-agent's kind; None for the main agent.
        agent_id: the sub-agent's id.
        reason: why a session begins or ends.
        extra: further facts, by the client's names.
        batch: the ends of the calls of one answer, as the client tells them.
    """

    dialect: Dialect
    event: Event
    session_id: str
    cwd: str
    tool: str | None = None
    aliases: tuple[str, ...] = ()
    tool_input: Any = None
    result: Any = None
    error: str | None = None
    call_id: str | None = None
    duration_ms: float | None = None
    text: str = ""
    agent: str | None = None
    agent_id: str | None = None
    reason: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    batch: tuple[Mapping[str, Any], ...] = ()


def read(dialect: Dialect, told: Any, event: str | None = None) -> Occurrence:
    """Return what a client told a hook.

    Args:
        dialect: the client's dialect.
        told: the JSON value that the hook was given.
        event: the event that the hook was registered for; None where the client tells it.

    Raises:
        MalformedError: it is not what the client is known to tell.
    """
    if not isinstance(told, Mapping):
        raise MalformedError(f"{dialect.title} told {type(told).__name__}, not a JSON object")
    keys = dialect.keys
    facts = _Facts(dialect, told)
    found = facts.event(event)
    common: dict[str, Any] = {
        "dialect": dialect,
        "event": found,
        "session_id": facts.text(keys.session),
        "cwd": facts.folder(),
        "agent": facts.maybe(keys.agent),
        "agent_id": facts.maybe(keys.agent_id),
        "extra": {key: told[key] for key in keys.extra if key in told},
    }
    if found.role in _TOOL_ROLES:
        return Occurrence(**common, **facts.call(found))
    if found.role == "tool_batch":
        return Occurrence(**common, batch=facts.batch())
    if found.role == "prompt":
        return Occurrence(**common, text=facts.text(keys.prompt, empty=True))
    if found.role == "answer":
        return Occurrence(**common, text=facts.maybe(keys.answer) or "")
    return Occurrence(**common, reason=facts.maybe(keys.reason))


class _Facts:
    """The facts in what a client told, found by its keys."""

    def __init__(self, dialect: Dialect, told: Mapping[str, Any]) -> None:
        self._dialect, self._keys, self._told = dialect, dialect.keys, told

    def event(self, registered: str | None) -> Event:
        title, events = self._dialect.title, self._dialect.events
        told = self.maybe(self._keys.event)
        name = registered or told
        if name is None:
            raise MalformedError(f"{title} does not tell the event: give it behind the client")
        if name not in events:
            raise MalformedError(
                f"{title} has no event {name[:64]!a} that policies are asked about: it has "
                f"{', '.join(events)}"
            )
        if told is not None and told != name:
            raise MalformedError(f"the hook is registered for {name}, and told of another event")
        return events[name]

    def text(self, path: str, *, empty: bool = False) -> str:
        value = self._at(path)
        if not isinstance(value, str) or not (value or empty):
            raise self._wrong(path, "a text")
        return value

    def maybe(self, path: str | None) -> str | None:
        value = _MISSING if path is None else self._at(path)
        return value if isinstance(value, str) and value else None

    def folder(self) -> str:
        folder = self.text(self._keys.cwd)
        if not os.path.isabs(folder):  # noqa: PTH117 - pathlib takes longer to import
            raise self._wrong(self._keys.cwd, "an absolute path")
        return folder

    def call(self, event: Event) -> dict[str, Any]:
        keys = self._keys
        tool = self.text(keys.tool)
        if len(tool) > _LONGEST_NAME:
            raise self._wrong(keys.tool, f"at most {_LONGEST_NAME} characters long")
        server, name = self.maybe(keys.mcp_server), self.maybe(keys.mcp_tool)
        mcp = None if server is None or name is None else (server, name)
        tool_input = self._at(keys.tool_input)
        if not isinstance(tool_input, Mapping | str):
            raise self._wrong(keys.tool_input, "an object")
        found: dict[str, Any] = {
            "tool": tool,
            "aliases": aliases(self._dialect, tool, mcp),
            "tool_input": tool_input,
            "call_id": self.maybe(keys.call_id),
        }
        duration = _MISSING if keys.duration is None else self._at(keys.duration)
        if isinstance(duration, int | float):
            found["duration_ms"] = float(duration)
        if event.role == "tool_after":
            found["result"] = self._result()
        if event.role == "tool_failed" and keys.error is not None:
            found["error"] = self.text(keys.error, empty=True)
        return found

    def batch(self) -> tuple[Mapping[str, Any], ...]:
        calls = self._at(self._keys.batch)
        if not isinstance(calls, list) or not all(isinstance(call, Mapping) for call in calls):
            raise self._wrong(self._keys.batch, "a list of objects")
        return tuple(calls)

    def _result(self) -> Any:
        path = self._keys.result
        value = self._at(path)
        if value is _MISSING:
            # Some results have another form than most: then policies see all of it.
            value = self._at(path.partition(".")[0])
        if value is _MISSING:
            raise self._wrong(path, "there")
        return value

    def _at(self, path: str) -> Any:
        value: Any = self._told
        for key in path.split("."):
            if not isinstance(value, Mapping) or key not in value:
                return _MISSING
            value = value[key]
        return value

    def _wrong(self, path: str, what: str) -> MalformedError:
        return MalformedError(
            f"{self._dialect.title} told no {path} that is {what}: is its version "
            f"older or newer than {self._dialect.tested[0]}, which was tested?"
        )
