"""A request in progress, as its tools and extensions see it."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

from hookcore.hosting import copy_payload, current_run
from hookcore_specs import EventContext, ToolCall

from .channel import EventChannel
from .errors import AgentProtocolError
from .events import AgentEvent, EventType, ExtensionEvent, MessageAppendedEvent
from .events import PhaseTransitionEvent as Transition
from .messages import AssistantMessage, Message, UserMessage
from .phases import Phase, PhaseMachine
from .results import RunResult
from .session import Inbox, RunConfig, Session
from .state import State
from .tools import RequestView, ServerTool, Tool

if TYPE_CHECKING:
    from hookcore import HookManager

    from .extending import RequestBinding
    from .parts import AgentParts

__all__ = ["RequestContext"]

_EMITTABLE: Final = (
    EventType.CUSTOM,
    EventType.COMPACTION_STARTED,
    EventType.COMPACTION_COMPLETED,
)
_MOST_INTERNAL = 8

SERVING: ContextVar[RequestContext | None] = ContextVar("hookcore_agent_serving", default=None)
"""The request that the calling code serves."""


class RequestContext(RequestView):
    """One request: its ids, its conversation, its tools, and ways to speak and to be heard.

    Two contexts are equal only when they are the same object, so they serve as weak keys.

    Args:
        agent: the agent that serves the request.
        manager: the hooks in force.
        session: the conversation.
        text: the input.
    """

    def __init__(
        self, agent: AgentParts, manager: HookManager, session: Session, text: Any
    ) -> None:
        self.agent = agent
        self.manager = manager
        self.session = session
        self.run_id = uuid.uuid4().hex
        self.parent_run_id = current_run().run_id
        #: The input, until it is stored; ``on_message`` may put another in its place.
        self.input_message: Any = UserMessage(text)
        self.state = State(self)
        self.tools: dict[str, Any] = {}
        self.result: RunResult | None = None
        self._phases = PhaseMachine()
        self._channel = EventChannel()
        self._inbox = Inbox(_MOST_INTERNAL)
        self._finalisers: list[Callable[[], Awaitable[object] | object]] = []
        self._bindings: list[RequestBinding] = []
        self._shares_hooks = False
        self._unannounced: list[Message] = []
        self._working: list[Message] | None = None
        self._turn_tools: dict[str, Any] | None = None
        self._prompt = ""
        self._iterations = 0
        self._ungoverned: list[str] = []
        self._usage: dict[str, int] = {}
        self._opening: AssistantMessage | None = None
        self._calls: list[ToolCall] = []
        #: The tool calls on their way by their ids, each a CallRecord.
        self._records: dict[str, Any] = {}
        self._generating = False
        self._after_model_failed = False

    # What it is

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self.session.id

    @property
    def config(self) -> RunConfig:
        """The address of this very request, for events from outside."""
        return RunConfig(self.session_id, self.run_id)

    @property
    def phase(self) -> Phase:
        """The phase that the request is in."""
        return self._phases.current

    @property
    def messages(self) -> list[Message]:
        """The messages in force: the turn's within a turn, else the session's."""
        return self.session.messages if self._working is None else self._working

    @property
    def server_tools(self) -> tuple[ServerTool, ...]:
        """The tools in force that the provider runs."""
        return tuple(item for item in self._registry.values() if isinstance(item, ServerTool))

    @property
    def local_tools(self) -> dict[str, Tool]:
        """The tools in force that run here, by name."""
        return {name: item for name, item in self._registry.items() if isinstance(item, Tool)}

    @property
    def _registry(self) -> dict[str, Any]:
        return self.tools if self._turn_tools is None else self._turn_tools

    # What it is told

    def register_tool(self, tool: Tool | Callable[..., Any]) -> Tool:
        """Offer the model a further tool; within a turn for that turn only.

        Args:
            tool: a tool, or a function to make one of.

        Raises:
            ValueError: there is a tool of that name.
        """
        made = tool if isinstance(tool, Tool) else Tool(tool)
        self._register(made)
        return made

    def register_server_tool(self, tool: ServerTool | str) -> None:
        """Offer the model a further tool that the provider runs, which no policy can see.

        Raises:
            ValueError: there is a tool of that type or name.
        """
        self._register(ServerTool(tool) if isinstance(tool, str) else tool)

    def _register(self, tool: Tool | ServerTool) -> None:
        if tool.name in self._registry:
            raise ValueError(f"there is a tool {tool.name} already: give this one another name")
        self._registry[tool.name] = tool

    def persist(self) -> None:
        """Keep what was changed in this turn's messages and tools for the turns that follow."""
        if self._working is None:
            return
        messages = list(self._working)
        if self._prompt and messages and messages[0].content == self._prompt:
            del messages[0]
        self.session.messages[:] = copy_payload(messages)
        if self._turn_tools is not None:
            self.tools = dict(self._turn_tools)

    def follow_up(self, content: Any) -> None:
        """Ask for another turn with an input of the extension's own, up to 8 in one request.

        Raises:
            AgentIterationLimitError: it is one too many.
        """
        self._inbox.put_internal(content)

    def add_finaliser(self, function: Callable[[], Awaitable[object] | object]) -> None:
        """Call a function, plain or async, when the request ends, whichever way; the last first.

        What it raises is attached to the request's own error, or logged.
        """
        self._finalisers.append(function)

    # What it says

    async def emit(self, event: AgentEvent) -> None:
        """Put an event into the stream; returns when the reader asks for the next one.

        Args:
            event: a custom event with a name, or one about compaction.

        Raises:
            AgentProtocolError: the type is the runtime's own, the name is missing, the session is
                another one, or the stream has ended.
        """
        if event.type not in _EMITTABLE:
            raise AgentProtocolError(
                f"events of type {event.type} are the runtime's own: emit custom ones"
            )
        if event.type == EventType.CUSTOM and not (event.name or "").strip():
            raise AgentProtocolError("a custom event needs a name")
        if event.session_id not in (None, self.session_id):
            raise AgentProtocolError(
                f"the event is for session {event.session_id}, this request is of {self.session_id}"
            )
        if self._phases.is_over:
            raise AgentProtocolError(f"the request is {self.phase}: nothing can be emitted")
        await self._hand_over(event)

    async def _send(self, kind: EventType, payload: Any = None) -> None:
        await self._hand_over(AgentEvent(kind, payload=payload))

    async def _hand_over(self, event: AgentEvent) -> None:
        event.session_id, event.run_id = self.session_id, self.run_id
        event.phase, event.timestamp = self.phase, datetime.now(timezone.utc)
        await self._channel.put(event, last=event.type == EventType.RUN_COMPLETED)

    async def publish(self, event: ExtensionEvent, target: str | None = None) -> None:
        """Tell the extensions of something; returns when all have dealt with it.

        Args:
            event: the event.
            target: the one extension that is told; all of them when None.

        Raises:
            TypeError: it is no ExtensionEvent.
            ValueError: no extension, or more than one, has the name ``target``.
            Exception: what the first failing extension raises; those after it are not told.
        """
        if not isinstance(event, ExtensionEvent):
            raise TypeError(f"an ExtensionEvent is published, not {type(event).__name__}")
        if target is not None and self.agent.extension_names.count(target) != 1:
            known = ", ".join(self.agent.extension_names) or "none"
            raise ValueError(f"no single extension is named {target!r} (there are: {known})")
        await self._deliver(EventDelivery(self, event, target))

    async def _deliver(self, delivery: EventDelivery) -> None:
        attributes = {"delivery": delivery}
        ctx = EventContext(payload=delivery.event, attributes=attributes, **self._ids())
        await self.manager.adispatch("extension_event", ctx)

    async def _move(self, target: Phase) -> None:
        """Go to another phase and tell of it."""
        await self.publish(Transition(self._phases.move(target), target))

    async def _flush(self) -> None:
        """Announce the messages that were added."""
        while self._unannounced:
            await self.publish(MessageAppendedEvent(self._unannounced.pop(0)))

    async def _append(self, message: Message) -> None:
        self.session.messages.append(message)
        if self._working is not None:
            self._working.append(copy_payload(message))
        self._unannounced.append(message)
        await self._flush()

    def _ids(self) -> dict[str, Any]:
        run = current_run()
        own = {"run_id": self.run_id, "parent_run_id": self.parent_run_id}
        return {
            **own,
            "agent": self.agent,
            "session_id": self.session_id,
            "dry_run": run.dry_run,
        }

    def __deepcopy__(self, _memo: dict[int, Any]) -> RequestContext:
        return self

    def __repr__(self) -> str:
        return f"<RequestContext {self.agent.name} {self.run_id} {self.phase}>"


class EventDelivery:
    """An event on its way to the extensions, one after the other.

    Args:
        context: the request.
        event: the event.
        target: the only extension to be told, or None.
        original: the error that the request ends with, when all are to be told whatever fails.
    """

    __slots__ = ("context", "event", "failed", "original", "target")

    def __init__(
        self,
        context: RequestContext,
        event: ExtensionEvent,
        target: str | None,
        original: BaseException | None = None,
    ) -> None:
        self.context = context
        self.event = event
        self.target = target
        self.original = original
        self.failed = False

    def __deepcopy__(self, _memo: dict[int, Any]) -> EventDelivery:
        return self
