"""The agent: what hosts and users hold, and what lets one request per session in."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final

from hookcore_specs import EventContext, ModelChoice

from .compaction import Compaction, KeepLast
from .context import SERVING, RequestContext
from .errors import AgentProtocolError
from .events import AgentEvent, ExternalEvent
from .extending import PlainPlugin, as_extensions
from .models import Model
from .results import RunResult
from .scoping import ExtensionScope
from .serving import Serving
from .session import RunConfig, Session
from .tools import ServerTool, Tool

if TYPE_CHECKING:
    from hookcore import HookManager

__all__ = ["Agent"]

_KEEP_LAST: Final = KeepLast(500)


class Agent(Serving):
    """An agent: a model, its tools, and the hooks that stand around both.

    One agent serves many sessions at once, each with one request at a time.

    Args:
        name: the agent's name, which ``agents=`` filters match.
        model: the model, see :class:`Model`.
        tools: functions, :class:`Tool` objects, other agents, and :class:`ServerTool` objects.
        extensions: extensions, and plugins with hookimpls for this agent only.
        hooks: the manager; the process-wide one when None. A sub-agent takes its caller's.
        max_iterations: how often the model may be called for one input.
        instructions: the prompt.
        role: what ``agents=`` filters match besides the name.
        models: further models, for policies that route at ``model_resolve``.
        server_tools: tools that the provider runs, where no policy sees them.
        parallel_tools: whether tool calls of one answer may run at the same time.
        compaction: what shortens the conversation; the last 500 messages are kept by default, and
            all of them when None, each of which makes each further one dearer.
        config: where events from outside go while no request is in progress.

    Raises:
        ValueError: an extension's name is blank or taken.
        AgentProtocolError: two tools have one name, or a tool or sub-agent cannot be used.
    """

    def __init__(  # noqa: PLR0917 - its first six are named in this order in every example
        self,
        name: str,
        model: Model,
        tools: Iterable[Any] = (),
        extensions: Iterable[Any] = (),
        hooks: HookManager | None = None,
        max_iterations: int = 36,
        *,
        instructions: str = "",
        role: str | None = None,
        models: Iterable[Model] = (),
        server_tools: Iterable[ServerTool | str] = (),
        parallel_tools: bool = True,
        compaction: Compaction | None = _KEEP_LAST,
        config: RunConfig | None = None,
    ) -> None:
        super().__init__()
        self.name = name
        self.role = role
        self.model = model
        self.models = tuple(models)
        self.instructions = instructions
        self.max_iterations = max_iterations
        self.parallel_tools = parallel_tools
        self.compaction = compaction
        self.config = config
        self.extensions = as_extensions(name, extensions)
        self._scope = ExtensionScope(self.extensions)
        self._hooks = hooks
        self._registry: dict[str, Tool | ServerTool] = {}
        hosted = [
            item if isinstance(item, ServerTool) else ServerTool(item) for item in server_tools
        ]
        for item in (*tools, *hosted):
            self._add_tool(item)

    def _add_tool(self, item: Any) -> None:
        tool = item.as_tool() if isinstance(item, Agent) else item
        if not isinstance(tool, (Tool, ServerTool)):
            tool = Tool(tool)
        if tool.name in self._registry:
            raise AgentProtocolError(f"agent {self.name} has two tools named {tool.name!r}")
        child = getattr(tool, "agent", None)
        if child is not None and child._hooks is not None and child._hooks is not self.hooks:
            raise AgentProtocolError(
                f"agent {self.name}: the sub-agent {child.name} was given other hooks, and as a "
                "tool it runs under its caller's: leave out its hooks="
            )
        self._registry[tool.name] = tool

    @property
    def hooks(self) -> HookManager:
        """The manager that requests dispatch through."""
        if self._hooks is not None:
            return self._hooks
        from hookcore import get_manager

        return get_manager()

    @property
    def extension_names(self) -> list[str]:
        """The names of the extensions, in the order in which they run."""
        return [extension.name for extension in self.extensions]

    # Requests

    async def run(self, text: Any, session: Session | str | None = None) -> RunResult:
        """Serve a request and return its result.

        Args:
            text: the input.
            session: the session, or the id of one that the agent keeps; a new one when None.

        Raises:
            HookAborted: a policy denied the request or its answer.
            SessionBusyError: the session has a request in progress.
            Exception: what a model or an extension raises.
        """
        return await self._run(text, session, self.hooks)

    async def _run(
        self, text: Any, session: Session | str | None, manager: HookManager
    ) -> RunResult:
        result: Any = None
        async with aclosing(self._stream(text, session, manager)) as events:
            async for event in events:
                result = event.payload
        done: RunResult = result
        return done

    async def stream(
        self, text: Any, session: Session | str | None = None
    ) -> AsyncGenerator[AgentEvent, None]:
        """Serve a request and yield its events; the last is RUN_COMPLETED with the result.

        Closing the generator earlier cancels the request, and returns when that is done.

        Args:
            text: the input.
            session: as for :meth:`run`.
        """
        async with aclosing(self._stream(text, session, self.hooks)) as events:
            async for event in events:
                yield event

    # Events from outside

    def emit_external_event(
        self, event: ExternalEvent, config: RunConfig | None = None
    ) -> list[str]:
        """Offer an event from outside to all extensions; any thread may call this.

        Args:
            event: the event.
            config: which request it is for. Without one it is for the only request in progress;
                with none in progress, for the agent's ``config``.

        Returns:
            The names of the extensions and plugins that took it.

        Raises:
            AgentProtocolError: more than one request is in progress, and nobody says which.
            Exception: what an extension raises.
        """
        config = self._addressed() if config is None else config
        ctx = EventContext(
            payload=event,
            agent=self,
            session_id=None if config is None else config.session_id,
            run_id=None if config is None else config.request_id,
            attributes={"config": config},
        )
        # What the request at hand has in its scope already is not asked twice.
        serving = SERVING.get()
        inside = serving is not None and serving.agent is self
        extensions = [e for e in self.extensions if not (inside and isinstance(e, PlainPlugin))]
        acceptors = [made for item in extensions if (made := item.acceptor()) is not None]
        # A gateway, or an agent that calls this one, brings the hooks of the request with it.
        request = None if config is None else self._active.get(config.session_id)
        manager = self.hooks if request is None else request.manager
        with manager.scope(*acceptors):
            return manager.collect("accept_event", ctx)

    def _addressed(self) -> RunConfig | None:
        active = list(self._active.values())
        if len(active) > 1:
            raise AgentProtocolError(
                f"agent {self.name} has {len(active)} requests in progress: config= has to say "
                "which of them the event is for"
            )
        return active[0].config if active else self.config

    # Models and sub-agents

    def _model_for(self, choice: ModelChoice) -> Model:
        for model in (self.model, *self.models):
            if (model.provider, model.name) == (choice.provider, choice.model):
                return model
        raise AgentProtocolError(
            f"a policy chose the model {choice.provider}/{choice.model}, which agent {self.name} "
            "was not given: pass it in models=[...]"
        )

    def as_tool(self, name: str | None = None, description: str | None = None) -> Tool:
        """Return a tool that asks this agent; its calls pass the hooks of the agent that calls.

        Args:
            name: the tool's name; the agent's when None.
            description: what the model is told of it.
        """
        tool = Tool(
            _asking(self),
            name=name or self.name,
            description=description or f"Ask the agent {self.name}.",
        )
        tool.agent = self
        return tool

    def __deepcopy__(self, _memo: dict[int, Any]) -> Agent:
        return self

    def __repr__(self) -> str:
        return f"<Agent {self.name}>"


def _asking(agent: Agent) -> Callable[..., Any]:
    async def ask(text: str, context: RequestContext) -> Any:
        return (await agent._run(text, None, context.manager)).output

    return ask
