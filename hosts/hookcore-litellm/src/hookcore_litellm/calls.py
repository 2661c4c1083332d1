"""A completion of LiteLLM's as the model call that hooks see."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import aclosing, closing
from typing import Any

from hookcore import HookAborted, HookManager, ModelCallContext
from hookcore.hosting import (
    current_run,
    denials_outside,
    digest,
    inside_model,
    is_inside_model,
)
from hookcore.wires import CHAT, MalformedError, WireCodec, as_responses

from .streams import AsyncStream, Codec, Stream, as_events, closed

__all__ = ["Call"]

_WHOLE = WireCodec(CHAT)
_PIECES = Codec()
_OF_TOOLS = ("tools", "tool_choice", "parallel_tool_calls")
"""The arguments that mean nothing without tools."""
_LOOKING = ("wrap_model_call", "post_model_call", "model_output")
"""The points at which hooks are shown an answer."""


class Call:
    """One completion: its context, and what came of it.

    Args:
        manager: the hooks.
        args: the positional arguments of ``litellm.completion``.
        kwargs: the others.

    Raises:
        PolicyDenied: hooks could not read it.
    """

    @denials_outside()
    def __init__(self, manager: HookManager, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._manager, self._args, self._kwargs = manager, args, kwargs
        self._model = kwargs.get("model", args[0] if args else None)
        self._given = kwargs.get("messages", args[1] if len(args) > 1 else [])
        self._tools = kwargs.get("tools")
        # The model is left out: a Router names a group of them.
        self.is_inside = is_inside_model(manager, self._given)
        body = {"messages": self._given, "prediction": kwargs.get("prediction")}
        try:
            messages = CHAT.messages(body)
        except MalformedError as error:
            reason = f"litellm.completion cannot be judged: {error}"
            raise HookAborted(reason, source="hookcore-litellm") from error
        told: dict[str, Any] = {"model": self._model}
        told["provider"] = kwargs.get("custom_llm_provider")
        told["tools"] = None if self._tools is None else list(self._tools)
        self._ctx = ModelCallContext(messages=list(messages), **current_run().fill(told))
        self._answer: Any = None
        self._shown: tuple[Any, bytes | None] = (None, None)

    # Answers that come whole, and streams

    @denials_outside()
    def run(self, old: Callable[..., Any]) -> Any:
        """Return what LiteLLM's function does, as the policies left it.

        Args:
            old: the function, given its positional arguments and the others.
        """

        def asked(messages: list[Any]) -> Any:
            # What LiteLLM asks with for this, under whatever name of the model, is this call.
            with inside_model(self._manager, messages):
                return old(*self._settled(messages))

        if not self._kwargs.get("stream"):
            answer = self._manager.call_model(self._ctx, lambda sent: self._see(asked(sent)))
            return self._answered(answer)
        sources: list[Any] = []

        def opened(messages: list[Any]) -> Iterator[Any]:
            sources.append(asked(messages))
            return _events(sources[0])

        made = _left(self._manager.stream_model(self._ctx, opened, codec=_PIECES))
        first = next(made, None)
        return Stream(sources[0] if sources else None, first, made)

    @denials_outside()
    async def arun(self, old: Callable[..., Any]) -> Any:
        """Return what LiteLLM's async function does, as :meth:`run` does."""

        async def asked(messages: list[Any]) -> Any:
            with inside_model(self._manager, messages):
                return await old(*self._settled(messages))

        async def body(messages: list[Any]) -> Any:
            return self._see(await asked(messages))

        if not self._kwargs.get("stream"):
            return self._answered(await self._manager.acall_model(self._ctx, body))
        sources: list[Any] = []

        async def opened(messages: list[Any]) -> Any:
            sources.append(await asked(messages))
            return _aevents(sources[0])

        made = _aleft(self._manager.astream_model(self._ctx, opened, codec=_PIECES))
        first = await anext(made, None)
        return AsyncStream(sources[0] if sources else None, first, made)

    def _settled(self, messages: list[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments as the hooks left the messages and the context."""
        args, kwargs = list(self._args), dict(self._kwargs)
        for place, name, value in ((0, "model", self._ctx.model), (1, "messages", messages)):
            if name not in kwargs and len(args) > place:
                args[place] = value
            elif name in kwargs or value:
                kwargs[name] = value
        if self._ctx.tools != self._tools:
            kwargs["tools"] = list(self._ctx.tools or ())
            if not kwargs["tools"]:
                kwargs = {name: kwargs[name] for name in kwargs if name not in _OF_TOOLS}
        return tuple(args), kwargs

    def _see(self, answer: Any) -> Any:
        """Keep an answer, and return what hooks see of it: a neutral one, where it can be."""
        self._answer = answer
        if not any(map(self._manager.has_hooks, _LOOKING)):
            self._shown = (answer, None)  # nobody looks at it
            return answer
        event = _dumped(answer)
        value = _WHOLE.assemble([event]) if _WHOLE.parts(event) is not None else event
        self._shown = (value, digest(value))
        return value

    def _answered(self, value: Any) -> Any:
        """Return LiteLLM's response for what the hooks left of it."""
        from litellm import ModelResponse

        shown, before = self._shown
        same = value is shown if before is None else digest(value) == before
        if self._answer is not None and same:
            return self._answer
        if isinstance(value, ModelResponse):
            return value
        if isinstance(value, dict):
            made = value
        elif self._answer is None:
            made = CHAT.answer_of(as_responses(value), None)
        else:
            made = _WHOLE.answer(value, _dumped(self._answer))
        response = ModelResponse(**made)
        response._hidden_params = getattr(self._answer, "_hidden_params", {})
        return response


def _dumped(answer: Any) -> dict[str, Any]:
    dumped: dict[str, Any] = answer.model_dump(exclude_none=True)
    return dumped


def _events(source: Any) -> Generator[Any, None, None]:
    """Yield the events of a stream of LiteLLM's; those of a whole answer where it gave that."""
    if hasattr(source, "choices"):
        yield from as_events(_WHOLE.assemble([_dumped(source)]), _dumped(source))
        return
    try:
        yield from source
    finally:
        source.close()


async def _aevents(source: Any) -> AsyncGenerator[Any, None]:
    if hasattr(source, "choices"):
        for event in as_events(_WHOLE.assemble([_dumped(source)]), _dumped(source)):
            yield event
        return
    try:
        async for event in source:
            yield event
    finally:
        await source.aclose()


@denials_outside()
def _left(made: Generator[Any, None, None]) -> Generator[Any, None, None]:
    """Yield what leaves a stream; a wrap's own answer as LiteLLM's events."""
    own: list[Any] = []
    with closing(made):
        for event in made:
            if hasattr(event, "choices"):
                yield event
            else:
                own.append(event)
    yield from closed(own, _PIECES)


@denials_outside()
async def _aleft(made: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
    own: list[Any] = []
    async with aclosing(made):
        async for event in made:
            if hasattr(event, "choices"):
                yield event
            else:
                own.append(event)
    for event in closed(own, _PIECES):
        yield event
