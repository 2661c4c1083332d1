"""A request of LiteLLM's as the model call that hooks see."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from contextlib import aclosing, closing
from typing import Any

from hookcore import HookManager
from hookcore.hosting import denials_outside, inside_model, is_inside_model
from hookcore.hosting.wirecalls import WireCall
from hookcore.wires import as_responses

from .forms import Event, Form, StreamBrokenError
from .streams import governed_stream

__all__ = ["Call"]

_ELSEWHERE = ("messages", "input", "instructions", "system", "model", "tools", "prediction")
"""The parts of a request that may be in ``extra_body`` too, which goes before the arguments."""


class Call:
    """One request: its context, and what came of it.

    Args:
        manager: the hooks.
        form: the interface that is asked.
        args: the positional arguments.
        kwargs: the others.

    Raises:
        PolicyDenied: hooks could not read it.
    """

    @denials_outside()
    def __init__(
        self, manager: HookManager, form: Form, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self._manager, self._form = manager, form
        self._positional, self._further = form.names[: len(args)], args[len(form.names) :]
        body = {**dict(zip(form.names, args, strict=False)), **kwargs}
        extra = body.get("extra_body")
        if isinstance(extra, dict) and not extra.keys().isdisjoint(_ELSEWHERE):
            body |= {name: extra[name] for name in _ELSEWHERE if name in extra}
            body["extra_body"] = {n: v for n, v in extra.items() if n not in _ELSEWHERE}
        self._streams = bool(body.get("stream"))
        self._wired = WireCall(
            manager,
            form.wire,
            body,
            asked=f"a request of LiteLLM's ({form.wire.name})",
            source="hookcore-litellm",
            provider=body.get("custom_llm_provider"),
        )
        # The model is left out: a Router names a group of them.
        self.is_inside = is_inside_model(manager, self._wired.ctx.messages)
        self._answer: Any = None

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

        ctx = self._wired.ctx
        if not self._streams:
            answer = self._manager.call_model(ctx, lambda sent: self._see(asked(sent)))
            return self._answered(answer)
        sources: list[Any] = []

        def opened(messages: list[Any]) -> Any:
            sources.append(asked(messages))
            return self._events(sources[0])

        made = self._left(self._manager.stream_model(ctx, opened, codec=self._wired.codec))
        first = next(made, None)
        return governed_stream(sources[0] if sources else None, first, made)

    @denials_outside()
    async def arun(self, old: Callable[..., Any]) -> Any:
        """Return what LiteLLM's async function does, as :meth:`run` does."""

        async def asked(messages: list[Any]) -> Any:
            with inside_model(self._manager, messages):
                return await old(*self._settled(messages))

        async def body(messages: list[Any]) -> Any:
            return self._see(await asked(messages))

        ctx = self._wired.ctx
        if not self._streams:
            return self._answered(await self._manager.acall_model(ctx, body))
        sources: list[Any] = []

        async def opened(messages: list[Any]) -> Any:
            sources.append(await asked(messages))
            return self._aevents(sources[0])

        made = self._aleft(self._manager.astream_model(ctx, opened, codec=self._wired.codec))
        first = await anext(made, None)
        return governed_stream(sources[0] if sources else None, first, made)

    def _settled(self, messages: list[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments as the hooks left the messages and the context."""
        body = dict(self._wired.settled(messages))
        return (*(body.pop(name) for name in self._positional), *self._further), body

    def _see(self, answer: Any) -> Any:
        """Keep an answer, and return what hooks see of it."""
        self._answer = answer
        return self._wired.shown(_dumped(answer))

    def _answered(self, value: Any) -> Any:
        """Return LiteLLM's answer for what the hooks left of it."""
        if hasattr(value, "model_dump"):  # of LiteLLM's own
            return value
        made = self._wired.left(value)
        if made is None:
            return self._answer
        answer = self._form.answer(made)
        if hasattr(answer, "_hidden_params"):
            answer._hidden_params = getattr(self._answer, "_hidden_params", {})
        return answer

    # Streams

    def _whole(self, source: Any) -> list[Any] | None:
        """Return the events of an answer that came whole; None of one that does not."""
        if hasattr(source, "__next__") or hasattr(source, "__anext__"):
            return None
        answer = _dumped(source)
        responses = self._wired.codec.assemble([self._form.wire.as_event(answer)])
        return list(self._form.wire.stream_of(as_responses(responses), [answer]))

    def _events(self, source: Any) -> Generator[Any, None, None]:
        if (whole := self._whole(source)) is not None:
            yield from whole
            return
        read = self._form.reader()
        try:
            for piece in source:
                yield from read(piece)
        finally:
            getattr(source, "close", _nothing)()

    async def _aevents(self, source: Any) -> AsyncGenerator[Any, None]:
        if (whole := self._whole(source)) is not None:
            for event in whole:
                yield event
            return
        read = self._form.reader()
        try:
            async for piece in source:
                for event in read(piece):
                    yield event
        finally:
            if hasattr(source, "aclose"):
                await source.aclose()

    def _written(self, event: Any, own: list[Any]) -> Iterable[Any]:
        """Return an event as LiteLLM's; one of hookcore's own is kept for the end."""
        if isinstance(event, Event):
            return [event.came]
        if isinstance(event, dict):
            return [self._form.event(event)]
        own.append(event)
        return []

    def _rest(self, own: list[Any]) -> Iterable[Any]:
        """Return hookcore's own events as LiteLLM's."""
        if not own:
            return []
        responses = as_responses(self._wired.codec.assemble(own))
        return map(self._form.event, self._form.wire.stream_of(responses, []))

    @denials_outside()
    def _left(self, made: Generator[Any, None, None]) -> Generator[Any, None, None]:
        own: list[Any] = []
        with closing(made):
            try:
                for event in made:
                    yield from self._written(event, own)
            except StreamBrokenError as broken:
                yield broken.came
        yield from self._rest(own)

    @denials_outside()
    async def _aleft(self, made: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
        own: list[Any] = []
        async with aclosing(made):
            try:
                async for event in made:
                    for item in self._written(event, own):
                        yield item
            except StreamBrokenError as broken:
                yield broken.came
        for item in self._rest(own):
            yield item


def _dumped(answer: Any) -> dict[str, Any]:
    if isinstance(answer, dict):
        return dict(answer)
    dumped: dict[str, Any] = answer.model_dump(exclude_none=True)
    return dumped


def _nothing() -> None:
    """Close what cannot be closed."""
