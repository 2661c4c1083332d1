"""The middleware: the tools of an agent are governed, and its model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp

from hookcore import Denied, HookManager, get_manager
from hookcore.hosting import (
    TOOL_POINTS,
    BodyFailed,
    Handle,
    Mode,
    Raised,
    has_any_hooks,
    stop_if_failed,
    stopping,
    with_defaults,
)

from .host import HOST
from .models import govern_model

__all__ = ["Hookcore", "StoppedError"]


class StoppedError(GraphBubbleUp):
    """Carries what must stop a run past the handlers of tools' errors; it is the ``__cause__``."""


class ToolFailedError(Exception):
    """The error that a tool failed with, where LangChain only tells of it in the tool's result."""


class Hookcore(AgentMiddleware):
    """Let a manager govern an agent's tools and its model.

    It belongs last in the list, so that what policies judge is what is used. ``create_agent`` of
    this package puts it there, and makes runs of the agent's runs too.

    Args:
        manager: the hooks; the process-wide manager when None.
        modes: how the program runs its agents, when not in every way: without "sync", wraps may
            be async.

    Raises:
        PluginLoadError: a required plugin needs what this host does not do.
        RegistrationError: an async wrap is registered, and agents may be run without a loop.
    """

    def __init__(
        self, manager: HookManager | None = None, *, modes: Iterable[Mode] | None = None
    ) -> None:
        super().__init__()
        #: The hooks.
        self.manager = get_manager() if manager is None else manager
        self._models: dict[int, tuple[Any, Any]] = {}
        HOST.declare(self.manager, modes)
        self.manager.add_control_flow(GraphBubbleUp)

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        """Let the agent ask the model, governed."""
        return handler(request.override(model=self._model(request.model)))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        """Let the agent ask the model, governed."""
        return await handler(request.override(model=self._model(request.model)))

    def _model(self, model: Any) -> Any:
        # One for each model: LangChain keeps on the object what it has made of it.
        known = self._models.get(id(model))
        if known is None or known[0] is not model:
            known = self._models[id(model)] = (model, govern_model(model, self.manager))
        return known[1]

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        """Run a tool as the policies let it run; the model reads a denial as the tool's result.

        Raises:
            StoppedError: a policy failed, which the program is told, and not the model.
        """
        if not has_any_hooks(self.manager, TOOL_POINTS):
            return handler(request)
        call = _Call(request)

        def body(given: dict[str, Any]) -> Any:
            with call.own:
                result = handler(call.request(given))
            return call.shown(result)

        with call.judged():
            return call.message(self.manager.call_tool(*call.called, body, **call.fields))

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        """Run a tool as :meth:`wrap_tool_call` does."""
        if not has_any_hooks(self.manager, TOOL_POINTS):
            return await handler(request)
        call = _Call(request)

        async def body(given: dict[str, Any]) -> Any:
            with call.own:
                result = await handler(call.request(given))
            return call.shown(result)

        with call.judged():
            return call.message(await self.manager.acall_tool(*call.called, body, **call.fields))


class _Call:
    """One call of a tool: hooks see the text of its result, the framework gets its message."""

    def __init__(self, request: Any) -> None:
        self._request, self._call = request, request.tool_call
        self._message: Any = None
        #: What the tool itself raised.
        self.own = Raised()
        schema = getattr(request.tool, "args_schema", None)
        #: The name and the arguments.
        self.called = (self._call["name"], _with_defaults(self._call["args"], schema))
        self.fields = {"call_id": self._call["id"], "on_denied": "return"}
        if request.tool is not None:
            self.fields["tool"] = Handle(request.tool)
        config = getattr(request.runtime, "config", None) or {}
        agent = (config.get("metadata") or {}).get("lc_agent_name")
        if agent:
            self.fields["agent"] = agent

    def request(self, arguments: dict[str, Any]) -> Any:
        """Return the request with the arguments that the policies settled on."""
        return self._request.override(tool_call={**self._call, "args": arguments})

    def shown(self, result: Any) -> Any:
        """Return what hooks see of a result.

        Raises:
            BodyFailed: the result tells of a failure.
        """
        self._message = result
        if not isinstance(result, ToolMessage):
            return result
        if result.status == "error":
            raise BodyFailed(result.content, ToolFailedError(result.text))
        return result.content

    def message(self, value: Any) -> Any:
        """Return the framework's message for what the hooks left of a result."""
        old, named = self._message, {"tool_call_id": self._call["id"], "name": self._call["name"]}
        if isinstance(value, Denied):
            return ToolMessage(str(value), status="error", **named)
        if isinstance(old, ToolMessage) and value is not old:
            return old if value is old.content else old.model_copy(update={"content": _text(value)})
        # A wrap, or a hook after a failure, has answered in the tool's place.
        return value if old is not None and value is old else ToolMessage(_text(value), **named)

    @contextmanager
    def judged(self) -> Iterator[None]:
        """Let the tool's own error go to the framework's handler, and any other stop the run."""
        try:
            try:
                with stopping(self.own, GraphBubbleUp):
                    yield
            finally:
                stop_if_failed()
        except Exception as error:
            if error in self.own or isinstance(error, GraphBubbleUp):
                raise
            raise StoppedError(str(error)) from error


def _text(value: Any) -> Any:
    return value if isinstance(value, (str, list)) else str(value)


def _with_defaults(arguments: dict[str, Any], schema: Any) -> dict[str, Any]:
    fields = getattr(schema, "model_fields", None)
    if fields is None:
        return with_defaults(arguments, schema)
    plain = {
        name: field.default
        for name, field in fields.items()
        if name not in arguments
        and field.alias is None
        and type(field.default) in (str, int, float, bool)
    }
    return {**arguments, **plain}
