"""The middleware of a server, whose tools are governed."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from hookcore import Denied, HookManager, get_manager
from hookcore.hosting import is_inside_tool

from .host import HOST
from .results import NotYetError, denied, restored, shown

__all__ = ["governing", "middleware"]

_log = logging.getLogger(__name__)
_INTERNAL_ERROR = -32603
_TRACE = ("traceparent", "tracestate")


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
        if manager is None or ctx.method != "tools/call" or ctx.request_id is None:
            return await call_next(ctx)
        return await _Call(ctx, call_next).made(manager, agent, peer)

    return govern


class _Call:
    """One call of a tool."""

    def __init__(self, ctx: Any, call_next: Any) -> None:
        self._ctx, self._call_next = ctx, call_next
        self._params = dict(ctx.params or {})
        self._result: dict[str, Any] | None = None
        #: What the server itself raised.
        self._own: Exception | None = None

    async def made(self, manager: HookManager, agent: str | None, peer: str | None) -> Any:
        """Return the call's result.

        Raises:
            MCPError: the server refused the call, or a policy failed, which is logged here.
        """
        fields: dict[str, Any] = {
            "call_id": str(self._ctx.request_id),
            "attributes": _came_with(self._params, peer),
        }
        if agent is not None:
            fields["agent"] = agent
        name, arguments = self._params.get("name"), self._params.get("arguments") or {}
        if is_inside_tool(manager, str(name), arguments, call_id=fields["call_id"]):
            return await self._call_next(self._ctx)  # the server has the middleware itself
        try:
            value = await manager.acall_tool(
                str(name), arguments, self._body, on_denied="return", **fields
            )
        except NotYetError as error:
            return error.result
        except Exception as error:
            if error is self._own:
                raise
            # The client's model may read what the error says: the details are the operator's.
            _log.exception("a policy failed at the tool %s", name)
            raise MCPError(_INTERNAL_ERROR, "the call could not be judged") from error
        result = denied(value) if isinstance(value, Denied) else restored(value, self._result)
        # The SDK tells each version of the protocol what it has to be told besides.
        return result if result is self._result else CallToolResult.model_validate(result)

    async def _body(self, arguments: dict[str, Any]) -> Any:
        try:
            params = {**self._params, "arguments": arguments}
            result = await self._call_next(replace(self._ctx, params=params))
        except Exception as error:
            self._own = error
            raise
        given = result if isinstance(result, dict) else _as_json(result)
        if "content" not in given:
            raise NotYetError(result)
        self._result = given
        return shown(given)


def _came_with(params: dict[str, Any], peer: str | None) -> dict[str, Any]:
    """Return what policies are told of where a call comes from: its trace, and from whom."""
    meta = params.get("_meta")
    sent = meta if isinstance(meta, dict) else {}
    found = {name: sent[name] for name in _TRACE if isinstance(sent.get(name), str)}
    return found if peer is None else {**found, "peer": peer}


def _as_json(result: Any) -> dict[str, Any]:
    given: dict[str, Any] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return given
