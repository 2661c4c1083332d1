"""A model of pydantic-ai's, each of whose requests is a model call that policies judge."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any, NoReturn

from pydantic_ai.messages import InstructionPart, ModelRequest, SystemPromptPart
from pydantic_ai.models import infer_model
from pydantic_ai.models.wrapper import WrapperModel

from hookcore import HookAborted, HookManager, ModelCallContext
from hookcore.hosting import MODEL_POINTS, Handle, current_run, denials_outside, has_any_hooks

from .codec import Codec, as_response
from .stream import GovernedStream, nobody

__all__ = ["GovernedModel"]


class GovernedModel(WrapperModel):
    """A model whose requests go through the points of a manager.

    Args:
        wrapped: the model.
        manager: the hooks.
    """

    def __init__(self, wrapped: Any, manager: HookManager) -> None:
        super().__init__(wrapped)
        self._manager = manager

    @denials_outside()
    async def request(self, messages: Any, settings: Any, parameters: Any) -> Any:
        """Ask the model as the policies let it be asked, and return what they left of its answer.

        Raises:
            PolicyDenied: a policy denied the request or the response.
            TypeError: a hook gave something else than a response.
        """
        if not has_any_hooks(self._manager, MODEL_POINTS):
            return await self.wrapped.request(messages, settings, parameters)
        request = _Request(self.wrapped, messages, parameters)
        answers: list[Any] = []

        async def body(sent: list[Any]) -> Any:
            model, history, given = request.settled(sent)
            answers.append(await model.request(history, settings, given))
            return answers[-1]

        answer = await self._manager.acall_model(request.ctx, body)
        return as_response(answer, answers[-1] if answers else None)

    @asynccontextmanager
    async def request_stream(
        self, messages: Any, settings: Any, parameters: Any, run_context: Any = None
    ) -> AsyncIterator[Any]:
        """Give the stream of the events that the policies let through.

        Raises:
            PolicyDenied: a policy denied the request or the response, on entry or while reading.
        """
        request = _Request(self.wrapped, messages, parameters)
        stream = GovernedStream(parameters, nobody(self.wrapped.model_name))

        async def events(sent: list[Any]) -> AsyncGenerator[Any, None]:
            model, history, given = request.settled(sent)
            async with model.request_stream(history, settings, given, run_context) as inner:
                stream.inner = inner
                async for event in inner:
                    yield event

        @denials_outside()
        async def judged() -> AsyncGenerator[Any, None]:
            codec = Codec(stream.assembled)
            source = self._manager.astream_model(request.ctx, events, codec=codec)
            async with aclosing(source):
                async for event in source:
                    yield event

        # A reader may leave early: the call ends here, and not when the garbage is collected.
        async with aclosing(judged()) as source:
            await stream.open(source)
            yield stream

    @denials_outside()
    async def count_tokens(self, messages: Any, settings: Any, parameters: Any) -> Any:
        """Count the tokens of what may be sent: the provider is told of nothing else.

        Raises:
            PolicyDenied: a policy denied the request.
        """
        request = _Request(self.wrapped, messages, parameters)
        settled = await self._manager.asettle("pre_model_call", request.ctx)
        model, history, given = request.settled(settled)
        return await model.count_tokens(history, settings, given)

    async def batch_encode(self, request: Any) -> NoReturn:
        """Refuse a request that would be answered where no policy sees the answer.

        Raises:
            HookAborted: always.
        """
        raise _unseen("its batch API", request)

    async def compact_messages(self, request_context: Any, *, instructions: Any = None) -> NoReturn:
        """Refuse to have the history summed up where no policy sees it.

        Raises:
            HookAborted: always.
        """
        raise _unseen("a provider's compaction", request_context, instructions)


def _unseen(what: str, *_: Any) -> HookAborted:
    reason = f"pydantic-ai's requests through {what} are seen by no policy: do without it"
    return HookAborted(reason, source="hookcore-pydantic-ai")


class _Request:
    """One request as hooks see it: the instructions stand in front of the messages."""

    def __init__(self, model: Any, messages: list[Any], parameters: Any) -> None:
        self._model, self._parameters = model, parameters
        self._tools = list(parameters.function_tools)
        self._stamp = datetime.now(timezone.utc)
        front = [
            SystemPromptPart(part.content, timestamp=self._stamp)
            for part in parameters.instruction_parts or ()
        ]
        told = {"model": model.model_name, "provider": model.system, "llm": Handle(model)}
        fields = current_run().fill({**told, "tools": list(self._tools)})
        shown = [ModelRequest(parts=front), *messages] if front else list(messages)
        self.ctx = ModelCallContext(messages=shown, **fields)

    def settled(self, sent: list[Any]) -> tuple[Any, list[Any], Any]:
        """Return what is to be asked, from the messages and the context as the hooks left them."""
        messages, parameters, ctx = list(sent), self._parameters, self.ctx
        old = parameters.instruction_parts
        if old:
            front = messages.pop(0).parts if messages and self._is_front(messages[0]) else []
            parts = [InstructionPart(content=part.content) for part in front]
            if len(old) == len(parts):
                pairs = zip(old, parts, strict=True)
                parts = [replace(part, content=new.content) for part, new in pairs]
            parameters = replace(parameters, instruction_parts=parts)
        if ctx.tools is not None and ctx.tools != self._tools:
            parameters = replace(parameters, function_tools=list(ctx.tools))
        same = ctx.model in (None, self._model.model_name)
        return self._model if same else infer_model(ctx.model), messages, parameters

    def _is_front(self, message: Any) -> bool:
        parts: Any = getattr(message, "parts", ())
        return bool(parts) and getattr(parts[0], "timestamp", None) == self._stamp
