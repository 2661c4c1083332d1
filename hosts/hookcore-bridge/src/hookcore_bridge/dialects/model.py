"""The parts of a dialect: the events of a client, the keys of what it tells, and its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, Literal

__all__ = ["Dialect", "Event", "Keys", "Role", "Slot", "filled"]

Role = Literal[
    "session_start",
    "session_end",
    "prompt",
    "answer",
    "tool_before",
    "tool_after",
    "tool_failed",
    "tool_batch",
]
"""The part of an agent's life that an event tells of.

``tool_failed`` is the end of a call that failed, where a client has an event of its own for it;
``tool_batch`` comes after the ends of all calls of one answer, before the model reads them.
"""

Template = Mapping[str, Any]
"""A JSON object with :class:`Slot` members where a value comes."""


class Slot(Enum):
    """A place in the template of an answer."""

    REASON = "why something is denied, for the model"
    INPUT = "the arguments that a tool is to have"
    OUTPUT = "the result that the model is to see"
    CONTEXT = "a text that the model is to see besides"


def filled(template: Any, **values: Any) -> Any:
    """Return an answer with the values in its slots.

    Args:
        template: a JSON value with members of :class:`Slot`.
        values: a value for each slot, by the slot's name in small letters.
    """
    if isinstance(template, Slot):
        return values[template.name.lower()]
    if isinstance(template, Mapping):
        return {key: filled(value, **values) for key, value in template.items()}
    if isinstance(template, tuple):
        return [filled(value, **values) for value in template]
    return template


@dataclass(frozen=True, kw_only=True)
class Keys:
    """The places of the facts in what a client tells a hook.

    Each is a path of keys with dots between them; None where the client does not tell.
    """

    session: str = "session_id"
    cwd: str = "cwd"
    event: str | None = "hook_event_name"
    tool: str = "tool_name"
    tool_input: str = "tool_input"
    result: str = "tool_response"
    call_id: str | None = "tool_use_id"
    error: str | None = None
    duration: str | None = None
    prompt: str = "prompt"
    answer: str | None = "last_assistant_message"
    agent: str | None = None
    agent_id: str | None = None
    mcp_server: str | None = None
    mcp_tool: str | None = None
    batch: str = "tool_calls"
    reason: str = "reason"
    extra: tuple[str, ...] = ()
    """Facts that policies find in ``ctx.attributes``, by the same names."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """One event of a client, and the answers that it takes there.

    Args:
        name: the client's name for it.
        role: what it tells of.
        deny: stops what it tells of; None where nothing does.
        rewrite: gives a tool other arguments.
        replace: gives the model another result.
        context: gives the model a text besides.
        keeps_shape: the result of ``replace`` must have the shape that the tool's own has; else it
            is a text.
        exit_denies: exit code 2 with a text on standard error denies as well. Where it does not,
            the thin client has to print ``deny`` when there is nobody to ask.
    """

    name: str
    role: Role
    deny: Template | None = None
    rewrite: Template | None = None
    replace: Template | None = None
    context: Template | None = None
    keeps_shape: bool = False
    exit_denies: bool = True


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """One client: the facts that it tells its hooks, and the answers that it was seen to take.

    Args:
        client: the name that the client goes by on the command line and in policies.
        title: its name in prose.
        package: its package on npm.
        tested: the first version that the table was tried with, and the first that it was not.
        events: its events, by their names.
        keys: where facts stand in what it tells.
        tools: its own tools, each with the family that its name stands for; see
            :data:`~hookcore_bridge.dialects.tools.FAMILIES`.
        mcp: what parts the server's name from the tool's in the name of an MCP tool, where that is
            not ``mcp__server__tool``.
        text_places: the tools whose result a policy may withhold although it has to keep its
            shape, each with the place of the text that is shown to the model.
        unseen: what no hook of this client is told of, a sentence each.
    """

    client: str
    title: str
    package: str
    tested: tuple[str, str]
    events: Mapping[str, Event]
    keys: Keys = field(default_factory=Keys)
    tools: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    mcp: str | None = None
    text_places: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    unseen: tuple[str, ...] = ()

    def with_role(self, role: Role) -> Event | None:
        """Return the event that has a role; None when the client tells of no such thing."""
        return next((event for event in self.events.values() if event.role == role), None)


def events(*listed: Event) -> Mapping[str, Event]:
    """Return events by their names."""
    return MappingProxyType({event.name: event for event in listed})
