"""The proxy: calls of models are judged, everything else passes untouched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import aiohttp
from aiohttp import web
from yarl import URL

from hookcore import HookManager
from hookcore.wires import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    MalformedError,
    Operation,
    Wire,
    find_operation,
)

from ..relay.guard import Guard
from ..relay.headers import for_client, for_server
from ..relay.reading import is_compressed, limited
from ..relay.sse import TooLargeError
from .calls import ModelCall, refusal
from .received import UNREACHABLE
from .request import ModelRequest

__all__ = ["ModelProxy", "Upstreams"]

_READING: Final = ("GET", "HEAD", "OPTIONS")
_MOST_NOTED: Final = 100


@dataclass(frozen=True, slots=True)
class Upstreams:
    """The addresses of the providers.

    Args:
        anthropic: for Anthropic's format.
        openai: for OpenAI's.
        google: for Gemini's.
    """

    anthropic: str
    openai: str
    google: str

    def of(self, wire: Wire) -> str:
        """Return the address for a format."""
        address: str = getattr(self, wire.provider)
        return address


class _RefusedError(Exception):
    """A request goes no further.

    Args:
        status: the status of the answer.
        text: why.
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class ModelProxy:
    """Takes the place of the providers' addresses, with the policies before them.

    Args:
        manager: the hooks.
        client: asks the providers.
        upstreams: their addresses.
        guard: refuses pages in browsers.
        note: tells the operator something, a line.
        judged_only: refuse what may carry content and cannot be judged.
    """

    def __init__(
        self,
        manager: HookManager,
        client: aiohttp.ClientSession,
        upstreams: Upstreams,
        guard: Guard,
        note: Callable[[str], None],
        *,
        judged_only: bool = False,
    ) -> None:
        self._manager, self._client, self._upstreams = manager, client, upstreams
        self._guard, self._note, self._judged_only = guard, note, judged_only
        self._noted: set[str] = set()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer a request of a client."""
        operation = find_operation(request.rel_url.raw_path)
        wire = _speaks(request) if operation is None else operation.wire
        try:
            self._check(request)
            if operation is None or request.method != "POST":
                return await self._passed(request, wire)
            asked = await self._read(request, operation)
        except _RefusedError as error:
            return refusal(wire, str(error), error.status)
        send = partial(self._send, request, asked)
        return await ModelCall(self._manager, request, asked, send).answer()

    def _check(self, request: web.Request) -> None:
        problem = self._guard.problem(request.headers)
        if problem is not None:
            raise _RefusedError(403, problem)
        if "upgrade" in request.headers.get("Connection", "").lower():
            raise _RefusedError(426, "connections are not upgraded here: use HTTP alone")
        if ".." in request.path.split("/"):
            raise _RefusedError(400, "this address cannot be judged")

    async def _read(self, request: web.Request, operation: Operation) -> ModelRequest:
        if is_compressed(request.headers.get("Content-Encoding")):
            raise _RefusedError(415, "compressed requests are not taken")
        try:
            data = await limited(request.content, "the request")
            return ModelRequest(operation, data, request.headers)
        except TooLargeError as error:
            raise _RefusedError(413, str(error)) from error
        except MalformedError as error:
            raise _RefusedError(400, str(error)) from error

    def _send(self, request: web.Request, asked: ModelRequest, body: bytes) -> Any:
        path = asked.path(request.rel_url.raw_path)
        return self._client.post(
            self._url(request, asked.operation.wire, path),
            headers=for_server(request.headers),
            data=body,
            allow_redirects=False,
        )

    def _url(self, request: web.Request, wire: Wire, path: str) -> URL:
        query = request.rel_url.raw_query_string
        address = self._upstreams.of(wire) + path
        return URL(f"{address}?{query}" if query else address, encoded=True)

    async def _passed(self, request: web.Request, wire: Wire) -> web.StreamResponse:
        """Pass on what is no call of a model."""
        if request.method not in _READING:
            if self._judged_only:
                raise _RefusedError(403, "this cannot be judged, and nothing else is let through")
            self._note_once(f"passed on unjudged: {request.method} {request.path}")
        response: web.StreamResponse | None = None
        try:
            async with self._client.request(
                request.method,
                self._url(request, wire, request.rel_url.raw_path),
                headers=for_server(request.headers),
                data=request.content if request.body_exists else None,
                allow_redirects=False,
            ) as answer:
                headers = for_client(answer.headers)
                response = web.StreamResponse(status=answer.status, headers=headers)
                await response.prepare(request)
                async for piece in answer.content.iter_any():
                    await response.write(piece)
                await response.write_eof()
                return response
        except UNREACHABLE as error:
            if response is None:
                text = f"the provider cannot be reached ({type(error).__name__})"
                return refusal(wire, text, 502)
            if request.transport is not None:
                request.transport.abort()
            return response

    def _note_once(self, text: str) -> None:
        if text not in self._noted and len(self._noted) < _MOST_NOTED:
            self._noted.add(text)
            self._note(text)


def _speaks(request: web.Request) -> Wire:
    """Return the format of the client, by what else it says."""
    headers: Mapping[str, str] = request.headers
    if "X-Goog-Api-Key" in headers or "key" in request.query or ":" in request.path:
        return GEMINI
    if "Anthropic-Version" in headers or "X-Api-Key" in headers:
        return ANTHROPIC
    return GEMINI if request.path.startswith("/v1beta") else CHAT
