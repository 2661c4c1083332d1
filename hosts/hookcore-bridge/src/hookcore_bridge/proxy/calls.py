"""One call of a model, from the client's request to the last byte of its answer."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing
from typing import Any, Final

import aiohttp
from aiohttp import web

from hookcore import HookAborted, HookManager, ModelResponse
from hookcore.hosting import denied_value, digest
from hookcore.wires import MalformedError, WireCodec, as_responses, strict

from ..relay.headers import for_client
from ..relay.reading import is_stream
from ..relay.sse import TooLargeError
from .received import UNREACHABLE, AnswerError, NoAnswerError, Received, checked, received, whole
from .request import ModelRequest

__all__ = ["ModelCall", "refusal"]

_log = logging.getLogger(__name__)
_END: Final = object()
_ENOUGH: Final = 65_536
"""Bytes that are worth a write of their own."""

Send = Callable[[bytes], Any]


def refusal(wire: Any, text: str, status: int) -> web.Response:
    """Return the answer that refuses a request, as its format writes it."""
    body = strict.write(wire.refusal(text, status))
    return web.Response(body=body, status=status, content_type="application/json")


class ModelCall:
    """A call that policies judge.

    Args:
        manager: the hooks.
        request: the client's request over HTTP.
        asked: what it asks.
        send: sends a body to the model's side; an async context with its answer.
    """

    def __init__(
        self, manager: HookManager, request: web.Request, asked: ModelRequest, send: Send
    ) -> None:
        self._manager, self._request, self._asked, self._send = manager, request, asked, send
        self._wire = asked.operation.wire
        self._codec = WireCodec(self._wire)
        self._edited = manager.has_hooks("wrap_model_call")
        self._stack = AsyncExitStack()
        self._upstream: aiohttp.ClientResponse | None = None
        self._response: web.StreamResponse | None = None
        self._marked = False
        #: The answer that came whole: as an event, its bytes, and what policies were shown of it.
        self._whole: tuple[dict[str, Any], bytes, bytes | None] | None = None
        self._listed = False
        #: What is still to be written.
        self._pending = bytearray()
        #: The number that the next event of the stream has to have.
        self._number: int | None = None

    async def answer(self) -> web.StreamResponse:  # noqa: PLR0911 - each failure has its own
        """Return the answer, which may have begun already."""
        try:
            async with self._stack:
                return await (self._streamed() if self._asked.streams else self._at_once())
        except HookAborted as denial:
            return await self._refused(str(denied_value(denial, "model_call")))
        except NoAnswerError as no:
            headers = for_client(no.answer.headers)
            return web.Response(body=no.body, status=no.answer.status, headers=headers)
        except MalformedError as error:
            return await self._refused(str(error), 400)
        except (AnswerError, TooLargeError) as error:
            return await self._refused(str(error), 502)
        except UNREACHABLE as error:
            return await self._broken(f"the model cannot be reached ({type(error).__name__})")
        except ConnectionResetError:
            return self._response or web.Response()  # the client has gone
        except Exception as error:  # noqa: BLE001 - a policy's, and an answer there must be
            _log.error("a policy failed", exc_info=error)
            return await self._refused("the request could not be judged")

    async def _refused(self, text: str, status: int | None = None) -> web.StreamResponse:
        """Tell of a refusal, in the stream when that has begun."""
        if self._response is None:
            return refusal(self._wire, text, status or self._wire.refusing_status)
        await self._put(self._bytes(self._wire.broken(text)))
        await self._flush()
        await self._response.write_eof()
        return self._response

    async def _broken(self, text: str) -> web.StreamResponse:
        """Tell that the connection broke, by breaking ours when the stream has begun."""
        if self._response is None:
            return refusal(self._wire, text, 502)
        if self._request.transport is not None:
            self._request.transport.abort()
        return self._response

    async def _open(self, messages: list[Any]) -> aiohttp.ClientResponse:
        body = self._asked.body(messages)
        answer = await self._stack.enter_async_context(self._send(body))
        self._upstream = await checked(answer)
        return self._upstream

    # An answer that comes whole

    async def _at_once(self) -> web.StreamResponse:
        value = await self._manager.acall_model(self._asked.ctx, self._called)
        if self._whole is None or self._upstream is None:
            body = strict.write(self._wire.answer_of(as_responses(value), None))
            return web.Response(body=body, content_type="application/json")
        event, data, shown = self._whole
        unchanged = shown is not None and digest(value) == shown
        if not (unchanged or self._asked.operation.counts):
            data = strict.write(self._codec.answer(value, event))
        headers = for_client(self._upstream.headers)
        return web.Response(body=data, status=self._upstream.status, headers=headers)

    async def _called(self, messages: list[Any]) -> Any:
        answer, data = await whole(await self._open(messages))
        if self._asked.operation.counts:
            self._whole = {}, data, None
            return ModelResponse()
        if not isinstance(answer, dict):
            raise AnswerError("the answer cannot be judged: it is no object")
        event = self._wire.as_event(answer)
        if self._codec.parts(event) is None and self._manager.has_hooks("post_model_call"):
            raise AnswerError("the answer cannot be judged: it holds what cannot be read")
        response = self._codec.assemble([event])
        self._whole = event, data, digest(response)
        return response

    # An answer that comes as a stream

    async def _streamed(self) -> web.StreamResponse:
        stream = self._manager.astream_model(self._asked.ctx, self._opened, codec=self._codec)
        async with aclosing(stream):
            first = await anext(stream, _END)
            if self._upstream is None or self._listed or not isinstance(first, dict):
                return await self._collected(first, stream)
            self._response = web.StreamResponse(headers=for_client(self._upstream.headers))
            await self._response.prepare(self._request)
            await self._put(self._bytes(first))
            async for event in stream:
                await self._put(self._bytes(event))
        await self._ended(self._response)
        return self._response

    async def _opened(self, messages: list[Any]) -> AsyncIterator[dict[str, Any]]:
        answer = await self._open(messages)
        if is_stream(answer):
            return received(answer, self._wire, self._told, self._flush)
        events, data = await whole(answer)
        if isinstance(events, dict) and "error" in events and events.keys() <= {"error", "type"}:
            raise NoAnswerError(answer, data)
        if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
            raise AnswerError("the model's side was asked for a stream, and answers with none")
        self._listed = True  # a stream of Gemini's without alt=sse
        return _each(events)

    def _told(self, raw: bytes | None) -> None:
        """Pass on what is no event: comments keep a connection open while nothing comes."""
        if raw is None:
            self._marked = True
        elif self._response is not None:
            self._pending += raw

    async def _put(self, data: bytes) -> None:
        """Write what belongs together at once: each write wakes the client."""
        self._pending += data
        if len(self._pending) > _ENOUGH:
            await self._flush()

    async def _flush(self) -> None:
        if self._response is not None and self._pending:
            data = bytes(self._pending)
            self._pending.clear()
            await self._response.write(data)

    async def _collected(self, first: Any, stream: AsyncIterator[Any]) -> web.StreamResponse:
        """Return the answer that was not streamed to us as it is streamed on."""
        events = [] if first is _END else [first, *[event async for event in stream]]
        if self._upstream is None or not all(isinstance(event, dict) for event in events):
            events = self._wire.stream_of(as_responses(self._codec.assemble(events)), [])
            self._marked = True
        if self._listed or (self._upstream is None and self._wants_list):
            return web.Response(body=strict.write(events), content_type="application/json")
        self._response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await self._response.prepare(self._request)
        for event in events:
            await self._put(self._bytes(event))
        await self._ended(self._response)
        return self._response

    @property
    def _wants_list(self) -> bool:
        """True when a stream of Gemini's is asked for that is no event stream."""
        told = self._asked.operation.streams
        return bool(told) and self._request.query.get("alt") != "sse"

    def _bytes(self, event: Any) -> bytes:
        if not isinstance(event, dict):
            raise MalformedError("a policy added what cannot be written in this format")
        if self._wire.numbers_events:
            event = self._numbered(event)
        # Only what stands around the call is given the event itself, and may have edited it.
        if isinstance(event, Received) and (
            not self._edited or strict.same(dict(event), strict.read(event.data))
        ):
            return event.raw
        return self._wire.written(dict(event))

    def _numbered(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return an event with the number that follows, where events have numbers."""
        given = event.get("sequence_number")
        if given is None and isinstance(event, Received):
            return event
        number = given if self._number is None and isinstance(given, int) else self._number or 0
        self._number = number + 1
        return event if given == number else {**event, "sequence_number": number}

    async def _ended(self, response: web.StreamResponse) -> None:
        if self._marked and self._wire.ends_with is not None:
            await self._put(b"data: " + self._wire.ends_with + b"\n\n")
        await self._flush()
        await response.write_eof()


async def _each(events: list[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
    for event in events:
        yield event
