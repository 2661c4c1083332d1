"""The middleware of a chat client, each of whose requests is a model call that policies judge."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from agent_framework import (
    ChatMiddleware,
    ChatResponse,
    Message,
    MiddlewareTermination,
    ResponseStream,
)

from hookcore import HookManager, ModelCallContext
from hookcore.hosting import (
    MODEL_POINTS,
    Handle,
    Raised,
    current_run,
    denials_outside,
    has_any_hooks,
    stop_if_failed,
    stopping,
)

from .updates import Codec, Writer, as_response, close, named

__all__ = ["ChatPart"]

_CODEC = Codec()
_FRONT = "hookcore_instructions"


class ChatPart(ChatMiddleware):
    """Asks a model as the policies let it be asked.

    Args:
        manager: the hooks.
    """

    def __init__(self, manager: HookManager) -> None:
        self._manager = manager

    @denials_outside()
    async def process(self, context: Any, call_next: Callable[[], Awaitable[None]]) -> None:
        """Ask the model, and leave what the policies left of its answer.

        Raises:
            PolicyDenied: a policy denied the request or the response.
            TypeError: a hook gave something else than a response.
        """
        stop_if_failed()
        if not has_any_hooks(self._manager, MODEL_POINTS):
            await call_next()
            return
        request = _Request(context)
        raised = Raised()
        ended: list[BaseException] = []

        async def ask(sent: list[Any]) -> Any:
            request.settle(sent)
            try:
                with raised:
                    await call_next()
            except MiddlewareTermination as error:
                if context.result is None:
                    raise
                ended.append(error)
            request.ctx.usage = getattr(context.result, "usage_details", None)
            return context.result

        if context.stream:
            await self._stream(context, request, ask, raised)
        else:
            with stopping(raised):
                value = await self._manager.acall_model(request.ctx, ask)
                context.result = as_response(value, context.result)
        if ended:
            raise ended[0]

    async def _stream(self, context: Any, request: _Request, ask: Any, raised: Raised) -> None:
        stream = _Stream(ask, raised)
        judged = self._manager.astream_model(request.ctx, stream.asked, codec=_CODEC)
        items = stream.written(judged)
        # The model is asked now, so that what other middleware wants done is known.
        first = await anext(items, None)
        context.result = ResponseStream(_after(first, items), finalizer=stream.final)


class _Stream:
    """A streamed response on its way, and what it amounts to."""

    def __init__(self, ask: Callable[[list[Any]], Awaitable[Any]], raised: Raised) -> None:
        self._ask, self._raised = ask, raised
        self._inner: Any = None
        self._came: list[Any] = []
        self._left: list[Any] = []

    async def asked(self, sent: list[Any]) -> AsyncGenerator[Any, None]:
        """Yield the model's own updates."""
        self._inner = await self._ask(sent)
        if self._inner is None:
            return
        with self._raised:
            async for update in named(self._inner):
                self._came.append(update)
                yield update

    @denials_outside()
    async def written(self, judged: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
        """Yield the updates that may leave."""
        writer = Writer()
        try:
            with stopping(self._raised):
                async with aclosing(judged) as events:
                    async for event in events:
                        for update in writer.written(event):
                            self._left.append(update)
                            yield update
            for update in writer.ended():
                self._left.append(update)
                yield update
        finally:
            await close(self._inner)

    async def final(self, updates: Any) -> Any:
        """Return the response: the stream's own where nothing of it was changed."""
        pairs = zip(self._came, self._left, strict=False)
        same = len(self._came) == len(self._left) and all(one is other for one, other in pairs)
        if same and isinstance(self._inner, ResponseStream):
            return await self._inner.get_final_response()
        return ChatResponse.from_updates(updates)


async def _after(first: Any, items: Any) -> AsyncGenerator[Any, None]:
    async with aclosing(items):
        if first is not None:
            yield first
        async for item in items:
            yield item


class _Request:
    """One request as hooks see it: the instructions stand in front of the messages."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._options = dict(context.options or {})
        front, instructions = [], self._options.get("instructions")
        if instructions:
            front = [Message("system", [instructions], additional_properties={_FRONT: True})]
        self._model = self._options.get("model") or getattr(context.client, "model", None)
        self._tools = [Handle(tool) for tool in _listed(self._options.get("tools"))]
        client = context.client
        told = {"llm": Handle(client), "model": self._model, "provider": type(client).__name__}
        fields = current_run().fill({**told, "tools": list(self._tools)})
        self.ctx = ModelCallContext(messages=[*front, *context.messages], **fields)

    def settle(self, sent: list[Any]) -> None:
        """Change the request into what the hooks left of the messages and the context."""
        context, options, ctx = self._context, dict(self._options), self.ctx
        fronts = [message for message in sent if _is_front(message)]
        context.messages = [message for message in sent if not _is_front(message)]
        if options.get("instructions"):
            options["instructions"] = "\n".join(message.text for message in fronts) or None
        if ctx.tools != self._tools:
            options["tools"] = [getattr(tool, "target", tool) for tool in ctx.tools or ()]
        if ctx.model != self._model:
            options["model"] = ctx.model
        if options != self._options:
            context.options = options


def _listed(tools: Any) -> list[Any]:
    if tools is None:
        return []
    return list(tools) if isinstance(tools, (list, tuple)) else [tools]


def _is_front(message: Any) -> bool:
    return bool((getattr(message, "additional_properties", None) or {}).get(_FRONT))
