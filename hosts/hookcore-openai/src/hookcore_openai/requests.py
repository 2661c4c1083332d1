"""The ``request`` method of the clients, through which all that they do passes, governed."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import aclosing, closing
from typing import Any

from hookcore.hosting import denials_outside

from .answers import body_of
from .calls import Call
from .events import StreamBrokenError, is_last

__all__ = ["governed", "governed_async"]


Seen = Callable[[Any, Any], "Callable[[Any], Call] | None"]


def _prepared(client: Any, options: Any) -> Any:
    """Return a request with all of its body in one place; a coroutine for some async clients."""
    prepare = getattr(client, "_copy_and_prepare", None)
    if prepare is not None:
        return prepare(options)
    if options.extra_json is None:
        return options
    merged = {**(options.json_data or {}), **options.extra_json}
    given = {name: value for name, value in merged.items() if type(value).__name__ != "Omit"}
    return options.model_copy(update={"json_data": given, "extra_json": None})


def governed(old: Callable[..., Any], seen: Seen) -> Callable[..., Any]:
    """Return the method of the sync clients, governed.

    Args:
        old: the method as it was.
        seen: given a client and its request, returns what makes a model call of that request,
            prepared; None where it is none.
    """

    @denials_outside()
    def request(self: Any, cast_to: Any, options: Any, *args: Any, **more: Any) -> Any:
        found = seen(self, options)
        if found is None:
            return old(self, cast_to, options, *args, **more)
        call = found(_prepared(self, options))
        if call.is_inside:
            return old(self, cast_to, call.options, *args, **more)

        def ask(messages: list[Any]) -> None:
            call.came = old(self, cast_to, call.request(messages), *args, **more)

        http = (_streamed if more.get("stream") else _answered)(call, ask)
        return call.came if http is None else call.processed(cast_to, http, **more)

    return request


def governed_async(old: Callable[..., Any], seen: Seen) -> Callable[..., Any]:
    """Return the method of the async clients, governed as :func:`governed` does."""

    @denials_outside()
    async def request(self: Any, cast_to: Any, options: Any, *args: Any, **more: Any) -> Any:
        found = seen(self, options)
        if found is None:
            return await old(self, cast_to, options, *args, **more)
        prepared = _prepared(self, options)
        call = found(await prepared if inspect.isawaitable(prepared) else prepared)
        if call.is_inside:
            return await old(self, cast_to, call.options, *args, **more)

        async def ask(messages: list[Any]) -> None:
            call.came = await old(self, cast_to, call.request(messages), *args, **more)

        http = await (_astreamed if more.get("stream") else _aanswered)(call, ask)
        return call.came if http is None else await call.processed(cast_to, http, **more)

    return request


def _answered(call: Call, ask: Callable[[list[Any]], None]) -> Any:
    """Return the HTTP response whose answer came whole; None for a middleware's own."""

    def body(messages: list[Any]) -> Any:
        ask(messages)
        if call.http is not None:
            call.http.read()
        return call.seen()

    http = call.answered(call.manager.call_model(call.ctx, body))
    return call.made(_body(call, _once(http.content))) if call.raw == "stream" else http


async def _aanswered(call: Call, ask: Callable[[list[Any]], Awaitable[None]]) -> Any:
    async def body(messages: list[Any]) -> Any:
        await ask(messages)
        if call.http is not None:
            await call.http.aread()
        return call.seen()

    http = call.answered(await call.manager.acall_model(call.ctx, body))
    return call.made(await _abody(call, _aonce(http.content))) if call.raw == "stream" else http


def _streamed(call: Call, ask: Callable[[list[Any]], None]) -> Any:
    """Return the HTTP response whose answer comes as a stream."""

    def body(messages: list[Any]) -> Any:
        ask(messages)
        return _events(call)

    made = call.manager.stream_model(call.ctx, body, codec=call.codec)
    return call.made(_body(call, _pieces(call, made)))


async def _astreamed(call: Call, ask: Callable[[list[Any]], Awaitable[None]]) -> Any:
    async def body(messages: list[Any]) -> Any:
        await ask(messages)
        return _aevents(call)

    made = call.manager.astream_model(call.ctx, body, codec=call.codec)
    return call.made(await _abody(call, _apieces(call, made)))


def _body(call: Call, pieces: Any) -> Any:
    # The first piece comes now, so that the program is told where it asks of what is denied there.
    return body_of(call.client, next(pieces, b""), pieces, call.abandon)


async def _abody(call: Call, pieces: Any) -> Any:
    return body_of(call.client, await anext(pieces, b""), pieces, call.abandon)


def _once(content: bytes) -> Generator[bytes, None, None]:
    yield content


async def _aonce(content: bytes) -> AsyncGenerator[bytes, None]:
    yield content


def _source(call: Call) -> Any:
    """Return the HTTP response that a stream is read from.

    Raises:
        TypeError: a middleware of the program's has answered with something else.
    """
    if call.http is None:
        raise TypeError(
            f"a middleware of the client answered with {type(call.came).__name__}, which no "
            "policy can read as a stream: let it return the response"
        )
    return call.http


def _events(call: Call) -> Generator[Any, None, None]:
    """Yield the events of an HTTP response."""
    with closing(_source(call)) as http:
        for sent in call.client._make_sse_decoder().iter_bytes(http.iter_bytes()):
            event = call.event(sent)
            if call.end:
                return
            if event is not None:
                yield event


async def _aevents(call: Call) -> AsyncGenerator[Any, None]:
    """Yield the events of an HTTP response."""
    async with aclosing(_source(call)) as http:
        async for sent in call.client._make_sse_decoder().aiter_bytes(http.aiter_bytes()):
            event = call.event(sent)
            if call.end:
                return
            if event is not None:
                yield event


@denials_outside()
def _pieces(call: Call, made: Generator[Any, None, None]) -> Generator[bytes, None, None]:
    """Yield the bytes of what leaves a stream."""
    with closing(made):
        try:
            for event in made:
                # Who stops reading at the last event has read it all: the call has ended then.
                after = list(made) if is_last(event) else []
                wire = call.writer.bytes_of(event, *after)
                if wire:
                    yield wire
            yield call.writer.rest() + call.end
        except StreamBrokenError as broken:
            yield broken.wire


@denials_outside()
async def _apieces(call: Call, made: AsyncGenerator[Any, None]) -> AsyncGenerator[bytes, None]:
    """Yield the bytes of what leaves a stream."""
    async with aclosing(made):
        try:
            async for event in made:
                after = [item async for item in made] if is_last(event) else []
                wire = call.writer.bytes_of(event, *after)
                if wire:
                    yield wire
            yield call.writer.rest() + call.end
        except StreamBrokenError as broken:
            yield broken.wire
