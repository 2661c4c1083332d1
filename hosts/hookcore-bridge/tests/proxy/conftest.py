"""A made-up provider, the proxy before it, and a client over HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_bridge.relay.guard import Guard
from hookcore_bridge.relay.upstream import open_client
from tests.conftest import bare_machine

__all__ = ["bare_machine"]


class Lab:
    """The provider's answers and requests, and the proxy's address."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        """The answers of the provider, in order: responses, or functions that give one."""
        self.requests: list[tuple[Any, bytes]] = []
        self.notes: list[str] = []
        self.client: Any = None
        self.url = ""
        self.away = False
        """True when the provider breaks its connections."""

    async def serve(self, request: Any) -> Any:
        self.requests.append((request, await request.read()))
        if self.away:
            request.transport.abort()
        answer: Any = self.answers.pop(0)
        return await answer(request) if callable(answer) else answer

    @property
    def sent(self) -> Any:
        """The last body that the provider was sent."""
        return json.loads(self.requests[-1][1])

    async def post(self, path: str, body: Any, **headers: str) -> tuple[int, str]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"Content-Type": "application/json", **headers}
        async with self.client.post(self.url + path, data=data, headers=given) as answer:
            return answer.status, await answer.text()


@pytest.fixture
def lab() -> Callable[..., Any]:
    """Return what opens a room for a block."""
    pytest.importorskip("aiohttp", reason="aiohttp is not installed: hookcore-bridge[proxy]")
    import aiohttp
    from aiohttp import test_utils, web

    from hookcore_bridge.proxy.server import ModelProxy, Upstreams

    @asynccontextmanager
    async def opened(
        manager: HookManager | None = None, *, judged_only: bool = False
    ) -> AsyncIterator[Lab]:
        made = HookManager() if manager is None else manager
        room = Lab()
        app, front = web.Application(client_max_size=2**26), web.Application()
        app.router.add_route("*", "/{path:.*}", room.serve)
        async with (
            test_utils.TestServer(app) as server,
            open_client() as upstream,
            aiohttp.ClientSession() as client,
        ):
            urls = [str(server.make_url(f"/{name}")) for name in ("anthropic", "openai", "google")]
            proxy = ModelProxy(
                made,
                upstream,
                Upstreams(*urls),
                Guard(),
                room.notes.append,
                judged_only=judged_only,
            )
            front.router.add_route("*", "/{path:.*}", proxy.answer)
            before = test_utils.TestServer(front)
            await before.start_server(auto_decompress=False)
            async with before:
                room.client, room.url = client, str(before.make_url("")).rstrip("/")
                yield room

    return opened
