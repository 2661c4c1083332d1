"""The middleware of a server of the SDK's, whose requests are governed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hookcore import HookManager, get_manager

from .host import HOST
from .judging import JUDGED, came_with, serve
from .results import NotYetError

__all__ = ["governing", "middleware"]


def middleware(
    manager: HookManager | None = None, *, agent: str | None = None, peer: str | None = None
) -> Callable[..., Any]:
    """Return a server's middleware: ``MCPServer("name", middleware=[middleware()])``.

    Args:
        manager: the hooks; the process-wide manager when None.
        agent: by which name policies know the server, where there are several.
        peer: the name of the clients that can reach this server, as policies know them, such as
            ``mcp:internal-mails``; what clients say of themselves is nobody's name.

    Raises:
        PluginLoadError: a required plugin needs what this host does not do.
    """
    hooks = get_manager() if manager is None else manager
    HOST.declare(hooks)
    hooks.add_control_flow(NotYetError)

    return governing(lambda: hooks, agent, peer)


def governing(
    hooks: Callable[[], HookManager | None], agent: str | None = None, peer: str | None = None
) -> Callable[..., Any]:
    """Return a middleware whose manager may change.

    Args:
        hooks: gives the hooks that are in force, if any are.
        agent: by which name policies know the server.
        peer: by which name policies know its clients.
    """

    async def govern(ctx: Any, call_next: Any) -> Any:
        manager = hooks()
        if manager is None or ctx.method not in JUDGED or ctx.request_id is None:
            return await call_next(ctx)
        params = dict(ctx.params or {})
        fields: dict[str, Any] = {} if agent is None else {"agent": agent}
        return await serve(
            manager,
            ctx.method,
            params,
            lambda settled: call_next(replace(ctx, params=settled)),
            call_id=str(ctx.request_id),
            attributes=came_with(params.get("_meta"), peer),
            **fields,
        )

    return govern
