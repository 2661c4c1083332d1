"""A proxy between clients and a server on streamable HTTP."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import aiohttp
from aiohttp import web
from yarl import URL

from ..relay.guard import Guard
from ..relay.headers import Headers, for_client, for_server
from ..relay.reading import blocks, is_compressed, is_stream, limited
from ..relay.sse import TooLargeError
from . import rpc
from .http_messages import RefusedError, is_message, own_answer, read_body, refusal, settled
from .mirrored import contradiction, with_name
from .session import Session
from .sides import Side

__all__ = ["HttpProxy"]

_SESSION: Final = "Mcp-Session-Id"
_METHODS: Final = ("POST", "GET", "DELETE")
_MOST_SESSIONS: Final = 1_000
_UNREACHABLE: Final = (aiohttp.ClientError, asyncio.TimeoutError)


class HttpProxy:
    """Takes the place of a server's address, with the policies before it.

    Args:
        make_session: makes the session of a client that begins one.
        url: the server's address.
        path: the path at which clients find the proxy.
        client: asks the server.
        guard: refuses pages in browsers.
    """

    def __init__(
        self,
        make_session: Callable[[], Session],
        url: str,
        path: str,
        client: aiohttp.ClientSession,
        guard: Guard,
    ) -> None:
        self._make_session, self._url, self._path = make_session, url, path
        self._client, self._guard = client, guard
        self._sessions: dict[str, Session] = {}
        #: For what belongs to no session of the protocol's, each request in a part of its own.
        self._common = make_session()
        self._sending: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """End all sessions."""
        for session in (*self._sessions.values(), self._common):
            await session.close()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer a request of a client."""
        try:
            self._check(request)
            if request.method == "POST":
                return await self._post(request)
            return await self._passed(request)
        except RefusedError as error:
            return refusal(error.status, error.text)
        except _UNREACHABLE as error:
            return refusal(502, f"the server cannot be reached ({type(error).__name__})")
        except TooLargeError as error:
            return refusal(502, str(error))

    def _check(self, request: web.Request) -> None:
        problem = self._guard.problem(request.headers)
        if problem is not None:
            raise RefusedError(403, problem)
        if request.rel_url.raw_path != self._path:
            raise RefusedError(404, f"there is nothing here but {self._path}")
        if request.method not in _METHODS:
            raise RefusedError(405, "this method is not passed on")

    def _session(self, request: web.Request) -> Session | None:
        """Return the session that a request names, None where it names none."""
        name = request.headers.get(_SESSION)
        if name is None:
            return None
        found = self._sessions.get(name)
        return self._keep(name, self._make_session()) if found is None else found

    def _keep(self, name: str, session: Session) -> Session:
        if len(self._sessions) >= _MOST_SESSIONS:
            oldest = self._sessions.pop(next(iter(self._sessions)))
            self._later(oldest.close())
        self._sessions[name] = session
        return session

    async def _post(self, request: web.Request) -> web.StreamResponse:
        body = await read_body(request)
        try:
            message = rpc.read(body)
        except rpc.UnreadableError as problem:
            return refusal(400, f"this cannot be judged: {problem}", rpc.PARSE_ERROR)
        if isinstance(message, list):
            return refusal(400, "batches are not taken: send one message a request")
        wrong = contradiction(request.headers, message)
        if wrong is not None:
            raise RefusedError(400, wrong)
        async with self._part(request, message) as session:
            verdict = await settled(session.take(message, Side.CLIENT))
            if verdict.forward is None:
                return own_answer(verdict)
            headers = for_server(request.headers)
            if verdict.forward is not message:
                body = rpc.write(verdict.forward)
                headers = with_name(headers, verdict.forward)
            try:
                response = await self._asked(request, session, headers, body)
            except (RefusedError, TooLargeError, *_UNREACHABLE):
                await session.give_up(message)
                raise
            if response.status >= 400:  # noqa: PLR2004
                await session.give_up(message)
            return response

    @asynccontextmanager
    async def _part(self, request: web.Request, message: Any) -> AsyncIterator[Session]:
        """Return the session for a request; what belongs to none has a part of its own."""
        session = self._session(request)
        if session is not None:
            yield session
        elif isinstance(message, dict) and message.get("method") == "initialize":
            session = self._make_session()
            try:
                yield session
            finally:
                if session not in self._sessions.values():
                    await session.close()
        else:
            part = self._common.part()
            try:
                yield part
            finally:
                await part.close()

    async def _passed(self, request: web.Request) -> web.StreamResponse:
        """Pass a request on that has no message."""
        session = self._session(request) or self._common
        response = await self._asked(request, session, for_server(request.headers), None)
        name = request.headers.get(_SESSION)
        if request.method == "DELETE" and name is not None and response.status < 300:  # noqa: PLR2004
            self._sessions.pop(name, None)
            await session.close()
        return response

    async def _asked(
        self, request: web.Request, session: Session, headers: Headers, body: bytes | None
    ) -> web.StreamResponse:
        """Ask the server; return its answer as policies leave it."""
        query = request.rel_url.raw_query_string
        url = f"{self._url}?{query}" if query else self._url
        async with self._client.request(
            request.method,
            URL(url, encoded=True),
            headers=headers,
            data=body,
            allow_redirects=False,
        ) as answer:
            if 300 <= answer.status < 400:  # noqa: PLR2004
                raise RefusedError(502, "the server sends elsewhere, which policies would not see")
            if is_compressed(answer.headers.get("Content-Encoding")):
                raise RefusedError(502, "the server compresses its answers against our wish")
            name = answer.headers.get(_SESSION)
            if name is not None and answer.status < 300 and name not in self._sessions:  # noqa: PLR2004
                self._keep(name, session)
            if is_stream(answer):
                return await self._streamed(request, session, answer)
            return await self._whole(session, answer)

    async def _whole(self, session: Session, answer: aiohttp.ClientResponse) -> web.Response:
        data = await limited(answer.content, "the server's answer")
        headers = for_client(answer.headers)
        if data.strip():
            data = await self._judged(session, data)
        return web.Response(body=data, status=answer.status, headers=headers)

    async def _judged(self, session: Session, data: bytes) -> bytes:
        """Return an answer that came whole as policies leave it.

        What is no answer to a request, such as the page of a gateway, has nothing to judge.
        """
        problem: str | None = None
        try:
            given = rpc.read(data)
        except rpc.UnreadableError as error:
            given, problem = rpc.guessed(data), str(error)
        if isinstance(given, list):
            raise RefusedError(502, "the server answers with a batch, which nobody asked for")
        if not is_message(given) or (given.get("id") is None and "error" in given):
            return data
        if problem is not None:
            verdict = await settled(session.unusable(given, Side.SERVER, problem))
        else:
            verdict = await settled(session.take(given, Side.SERVER))
        if verdict.forward is None:
            raise RefusedError(502, "the server's answer cannot be judged")
        return data if verdict.forward is given else rpc.write(verdict.forward)

    async def _streamed(
        self, request: web.Request, session: Session, answer: aiohttp.ClientResponse
    ) -> web.StreamResponse:
        headers = for_client(answer.headers)
        response = web.StreamResponse(status=answer.status, headers=headers)
        await response.prepare(request)
        try:
            await self._carried(request, session, answer, response)
            await response.write_eof()
        except (TooLargeError, ConnectionResetError, *_UNREACHABLE):
            # The answer has begun: all that is left to tell is that it ends too early.
            if request.transport is not None:
                request.transport.abort()
        return response

    async def _carried(
        self,
        request: web.Request,
        session: Session,
        answer: aiohttp.ClientResponse,
        response: web.StreamResponse,
    ) -> None:
        async for block in blocks(answer.content):
            if block.data is None or not block.data.strip():
                await response.write(block.raw)
                continue
            data = await self._event(request, session, block.data)
            if data is not None:
                unchanged = data is block.data
                await response.write(block.raw if unchanged else block.with_data(data))

    async def _event(self, request: web.Request, session: Session, data: bytes) -> bytes | None:
        """Return a message of a stream as policies leave it; None for nothing."""
        try:
            message = rpc.read(data)
        except rpc.UnreadableError as problem:
            message = rpc.guessed(data)
            verdict = await settled(session.unusable(message, Side.SERVER, str(problem)))
            message = None
        else:
            verdict = await settled(session.take(message, Side.SERVER))
        if verdict.answer is not None:
            self._later(self._reply(request, verdict.answer))
        if verdict.forward is None:
            return None
        return data if verdict.forward is message else rpc.write(verdict.forward)

    async def _reply(self, request: web.Request, message: dict[str, Any]) -> None:
        """Tell the server of our own answer to a request of its."""
        headers = [
            (name, value)
            for name, value in for_server(request.headers)
            if name.lower() not in ("accept", "content-type", "last-event-id")
        ]
        headers += [
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
        ]
        data = rpc.write(message)
        async with self._client.post(
            self._url, headers=headers, data=data, allow_redirects=False
        ) as answer:
            await answer.read()

    def _later(self, work: Any) -> None:
        async def done() -> None:
            # A server that has gone waits for nothing.
            with contextlib.suppress(*_UNREACHABLE):
                await work

        task = asyncio.ensure_future(done())
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
