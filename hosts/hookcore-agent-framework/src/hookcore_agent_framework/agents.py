"""The middleware: an agent that has it is governed, its runs, its chat client and its tools."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any

from agent_framework import (
    AgentMiddleware,
    AgentResponse,
    Content,
    FunctionMiddleware,
    Message,
    MiddlewareFailure,
    MiddlewareTermination,
    ResponseStream,
)
from agent_framework.exceptions import UserInputRequiredException

from hookcore import Denied, HookManager, get_manager
from hookcore.hosting import (
    TOOL_POINTS,
    Handle,
    Raised,
    StartedIn,
    denials_outside,
    has_any_hooks,
    stepped,
    stop_if_failed,
    stoppable,
    stopping,
    with_defaults,
)

from .chats import ChatPart
from .host import HOST
from .updates import close, contents_of

__all__ = ["AgentPart", "ChatPart", "FunctionPart", "middleware"]

_FAILED = "a policy of hookcore failed"


class Waiting(Exception):  # noqa: N818 - a person is asked, and nothing has failed
    """Passes all hooks where a tool waits for a person's approval."""


def middleware(manager: HookManager | None = None) -> list[Any]:
    """Return the middleware by which a manager governs an agent.

    ``Agent(client, middleware=[..., *middleware()])``, or ``agent.run(..., middleware=...)``. It
    must come last, so that what the policies judge is what is used.

    Args:
        manager: the hooks; the process-wide manager when None.

    Raises:
        PluginLoadError: a required plugin needs what this host does not do.
    """
    hooks = get_manager() if manager is None else manager
    HOST.declare(hooks)
    hooks.add_control_flow(MiddlewareTermination, UserInputRequiredException, Waiting)
    return [AgentPart(hooks), ChatPart(hooks), FunctionPart(hooks)]


class AgentPart(AgentMiddleware):
    """Makes a run a run of the manager's.

    Args:
        manager: the hooks.
    """

    def __init__(self, manager: HookManager) -> None:
        self._manager = manager

    @denials_outside()
    async def process(self, context: Any, call_next: Callable[[], Awaitable[None]]) -> None:
        """Run the agent as the policies let it run.

        Raises:
            PolicyDenied: a policy denied the run or its result.
        """
        if context.stream:
            await self._stream(context, call_next)
            return
        async with self._boundary(context) as run:
            context.messages = run.message
            with stoppable(run):
                ended = await _next(call_next)
            run.result = context.result
        context.result = _as_result(run.result)
        if ended is not None:
            raise ended

    async def _stream(self, context: Any, call_next: Any) -> None:
        final: list[Any] = []
        manager = self._manager

        async def source() -> Any:
            return self._items(context, call_next, final)

        items = stepped(StartedIn(manager.parts.plans.scopes), source)
        try:
            # The run has begun with the first item, which is for nobody: what other middleware
            # wants done with the stream is known from then on.
            await items.__anext__()
        except BaseException:
            await items.aclose()
            raise

        def finalizer(updates: Any) -> Any:
            return final[0] if final else AgentResponse.from_updates(updates)

        context.result = ResponseStream(items, finalizer=finalizer)

    @denials_outside()
    async def _items(
        self, context: Any, call_next: Any, final: list[Any]
    ) -> AsyncGenerator[Any, None]:
        async with self._boundary(context) as run:
            context.messages = run.message
            with stoppable(run):
                ended = await _next(call_next)
                inner = context.result
                yield None
                if inner is not None:
                    try:
                        async for update in inner:
                            yield update
                        run.result = await inner.get_final_response()
                    finally:
                        await close(inner)
        if run.result is not None:
            final.append(_as_result(run.result))
        if ended is not None:
            raise ended

    def _boundary(self, context: Any) -> Any:
        session_id = getattr(context.session, "session_id", None)
        told = {"agent": Handle(context.agent), "session_id": session_id}
        return self._manager.run({"messages": context.messages}, message=context.messages, **told)


class FunctionPart(FunctionMiddleware):
    """Runs a tool as the policies let it run; the model reads a denial as the tool's result.

    Args:
        manager: the hooks.
    """

    def __init__(self, manager: HookManager) -> None:
        self._manager = manager

    async def process(self, context: Any, call_next: Callable[[], Awaitable[None]]) -> None:
        """Run the tool.

        Raises:
            MiddlewareFailure: a policy failed, of which the host has to hear: the framework would
                tell the model of any other exception.
        """
        if not has_any_hooks(self._manager, TOOL_POINTS):
            await call_next()
            _stop_if_failed()
            return
        call, function = _Call(context, call_next), context.function
        try:
            with stopping(call.raised, Waiting):
                value = await self._manager.acall_tool(
                    function.name,
                    with_defaults(call.given, function.parameters()),
                    call.made,
                    on_denied="return",
                    call_id=context.metadata.get("call_id"),
                    tool=Handle(function),
                )
        except Waiting:
            return
        except Exception as error:
            _stop_if_failed()
            if error in call.raised:
                raise
            raise MiddlewareFailure(_FAILED) from error
        _stop_if_failed()
        if isinstance(value, Denied):
            context.result = str(value)
        elif value is not None and value != _shown(context.result):
            context.result = value if _is_contents(value) or isinstance(value, str) else str(value)
        if call.ended is not None:
            raise call.ended


class _Call:
    """One call of a tool."""

    def __init__(self, context: Any, call_next: Callable[[], Awaitable[None]]) -> None:
        self._context, self._call_next = context, call_next
        given = context.arguments
        self.given = dict(given) if isinstance(given, Mapping) else given.model_dump()
        #: What the tool, and middleware inside of this, has raised.
        self.raised = Raised()
        self.ended: BaseException | None = None
        """The end of the tools' loop, with a result that is judged all the same."""

    async def made(self, settled: dict[str, Any]) -> Any:
        """Run the tool with the arguments as the hooks left them; return its result."""
        if settled != self.given:
            self._context.arguments = settled
        try:
            with self.raised:
                await self._call_next()
        except MiddlewareTermination as error:
            if self._context.result is None:
                raise
            self.ended = error
        if getattr(self._context.result, "type", "") == "function_approval_request":
            raise Waiting
        return _shown(self._context.result)


def _stop_if_failed() -> None:
    """Stop a run in which a policy failed: of any other exception the framework tells the model."""
    try:
        stop_if_failed()
    except Exception as error:
        raise MiddlewareFailure(_FAILED) from error


async def _next(call_next: Any) -> MiddlewareTermination | None:
    """Go on; return what ends the pipeline early, whose result is judged all the same."""
    try:
        await call_next()
    except MiddlewareTermination as error:
        return error
    return None


def _as_result(value: Any) -> Any:
    if value is None or isinstance(value, AgentResponse):
        return value
    return AgentResponse(messages=[Message("assistant", contents_of(value))])


def _is_contents(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, Content) for each in value)


def _shown(result: Any) -> Any:
    """Return a tool's result as hooks see it: the text of the one content that there is."""
    if _is_contents(result) and len(result) == 1 and result[0].type == "text":
        return result[0].text
    return result
