"""FastMCP's servers: their middleware, and their methods that carry requests out, governed."""

from __future__ import annotations

import base64
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Final

import mcp_types as types
from fastmcp.prompts.base import InputRequiredPromptResult, Message, PromptResult
from fastmcp.resources.base import InputRequiredResourceResult, ResourceContent, ResourceResult
from fastmcp.server.context import Context
from fastmcp.server.middleware import Middleware
from fastmcp.tools.base import InputRequiredToolResult, ToolResult
from fastmcp.utilities.versions import VersionSpec

from hookcore import HookManager, get_manager
from hookcore.hosting import TOOL_POINTS, is_inside_tool, with_defaults

from .host import FASTMCP
from .judging import JUDGED, Form, Run, came_with, serve
from .results import NotYetError

__all__ = ["METHODS", "fastmcp_middleware", "governed"]

METHODS: Final = {
    "call_tool": ("tools/call", "name", "arguments"),
    "read_resource": ("resources/read", "uri"),
    "render_prompt": ("prompts/get", "name", "arguments"),
}
"""The methods of servers that carry requests out, each with its request and their params."""
_request: ContextVar[Any] = ContextVar("hookcore_mcp_request", default=None)
"""The request of a client's that is being carried out."""
_tool: ContextVar[tuple[str, tuple[str, ...]]] = ContextVar("hookcore_mcp_tool", default=("", ()))
"""The tool that is being called, and the names under which mounted servers know it."""


def fastmcp_middleware(
    manager: HookManager | None = None, *, agent: str | None = None, peer: str | None = None
) -> Middleware:
    """Return a server's middleware: ``FastMCP("name", middleware=[fastmcp_middleware()])``.

    It governs what comes through the server, to those that are mounted in it as well. It belongs
    at the end of the list: what middleware below it changes is not judged.

    Args:
        manager: the hooks; the process-wide manager when None.
        agent: by which name policies know the server, where there are several.
        peer: by which name policies know the clients that can reach it; see ``middleware()``.

    Raises:
        PluginLoadError: a required plugin needs what this host does not do.
    """
    hooks = get_manager() if manager is None else manager
    FASTMCP.declare(hooks)
    hooks.add_control_flow(NotYetError)
    return _Governing(hooks, {} if agent is None else {"agent": agent}, peer)


class _Governing(Middleware):
    def __init__(self, manager: HookManager, fields: dict[str, Any], peer: str | None) -> None:
        self._manager, self._fields, self._peer = manager, fields, peer

    async def on_request(self, context: Any, call_next: Any) -> Any:
        if context.method not in JUDGED:
            return await call_next(context)
        message = context.message

        async def run(params: dict[str, Any]) -> Any:
            return await call_next(context.copy(message=message.model_copy(update=params)))

        given = ((name, getattr(message, name, None)) for name in ("name", "arguments", "uri"))
        params = {name: value for name, value in given if value is not None}
        pinned = ((message.meta or {}).get("fastmcp") or {}).get("version")
        version = None if pinned is None else VersionSpec(eq=str(pinned))
        request = _Request(context.fastmcp_context.fastmcp, context.method, params, self._peer)
        return await request.judged(self._manager, run, version, self._fields)


def governed(
    old: Callable[..., Any],
    hooks: Callable[[], HookManager | None],
    method: str,
    names: list[str],
) -> Callable[..., Any]:
    """Return a method of servers, governed around their middleware and below it.

    Args:
        old: the method as it was.
        hooks: gives the hooks that are in force, if any are.
        method: the request that it carries out.
        names: that request's params, as the method takes them.
    """

    async def carry_out(self: Any, *args: Any, **options: Any) -> Any:
        manager = hooks()
        if manager is None:
            return await old(self, *args, **options)
        given = dict(zip(names, args, strict=False))
        given |= {name: options.pop(name) for name in names if name in options}

        async def run(params: dict[str, Any]) -> Any:
            return await old(self, **params, **options)

        params = {name: value for name, value in given.items() if value is not None}
        return await _Request(self, method, params).judged(manager, run, options.get("version"), {})

    return carry_out


class _Request:
    """A request to a server.

    Args:
        server: the server.
        method: the request's method.
        params: its params.
        peer: by which name policies know who sent it.
    """

    def __init__(
        self, server: Any, method: str, params: dict[str, Any], peer: str | None = None
    ) -> None:
        self._server, self._method, self._params = server, method, params
        self._sent = Context(fastmcp=server).request_context
        self._attributes = came_with(None if self._sent is None else self._sent.meta, peer)
        self._form = _FORMS.get(method)
        if "uri" in params:
            params["uri"] = str(params["uri"])
            self._form = _form_of_resource(params["uri"])

    async def judged(
        self, manager: HookManager, run: Run, version: Any, fields: dict[str, Any]
    ) -> Any:
        """Return the result.

        Args:
            manager: the hooks.
            run: carries it out.
            version: that of the tool, None for the newest.
            fields: fields of the context.
        """
        tool = _tool.get()
        if self._method == "tools/call":
            name, given = self._params["name"], self._params.get("arguments") or {}
            if name in tool[1] and is_inside_tool(manager, tool[0], given):
                return await run(self._params)  # it was judged under this name, too
            if any(map(manager.has_hooks, TOOL_POINTS)):
                below, schema = await _found(self._server, name, version)
                self._params["arguments"] = with_defaults(given, schema)
                self._attributes |= {"tool_aliases": list(below)} if below else {}
                tool = (name, below)
        if self._sent not in (None, _request.get()) and self._sent.request_id is not None:
            # What a tool asks of its own server is another request.
            fields = {**fields, "call_id": str(self._sent.request_id)}
        tokens = _request.set(self._sent), _tool.set(tool)
        try:
            fields = {**fields, "attributes": self._attributes, "form": self._form}
            return await serve(manager, self._method, self._params, run, **fields)
        finally:
            _request.reset(tokens[0])
            _tool.reset(tokens[1])


async def _found(server: Any, name: str, version: Any) -> tuple[tuple[str, ...], Any]:
    """Return the other names of a tool, those it is made of or mounted as, and its schema."""
    names: list[str] = []
    schema = None
    with suppress(Exception):  # what cannot be found fails as the call does
        async with Context(fastmcp=server):
            tool = await server.get_tool(name, version=version)
        schema = getattr(tool, "parameters", None)
        while tool is not None:
            mounted, parent = getattr(tool, "_original_name", None), None
            if mounted is not None:
                names.append(mounted)
                async with Context(fastmcp=tool._server):
                    parent = await tool._server.get_tool(mounted)
            elif (parent := getattr(tool, "parent_tool", None)) is not None:
                names.append(parent.name)
            tool = parent
    return tuple(dict.fromkeys(other for other in names if other != name)), schema


def _read_tool(result: Any) -> dict[str, Any] | None:
    if not isinstance(result, ToolResult) or isinstance(result, InputRequiredToolResult):
        return None
    given: dict[str, Any] = {"content": [_json(part) for part in result.content]}
    if result.structured_content is not None:
        given["structuredContent"] = result.structured_content
    if result.meta is not None:
        given["_meta"] = result.meta
    return {**given, "isError": True} if result.is_error else given


def _made_tool(given: dict[str, Any]) -> Any:
    made = types.CallToolResult.model_validate(given)
    return ToolResult(
        content=made.content,
        structured_content=made.structured_content,
        meta=made.meta,
        is_error=bool(made.is_error),
    )


def _form_of_resource(uri: str) -> Form:
    def read(result: Any) -> dict[str, Any] | None:
        is_asking = isinstance(result, InputRequiredResourceResult)
        return None if is_asking else _json(result.to_mcp_result(uri))

    return Form(read, _made_resource)


def _made_resource(given: dict[str, Any]) -> Any:
    made = types.ReadResourceResult.model_validate(given)
    contents = [
        ResourceContent(
            part.text
            if isinstance(part, types.TextResourceContents)
            else base64.b64decode(part.blob),
            mime_type=part.mime_type,
            meta=part.meta,
        )
        for part in made.contents
    ]
    return ResourceResult(contents, meta=made.meta)


def _read_prompt(result: Any) -> dict[str, Any] | None:
    if isinstance(result, InputRequiredPromptResult):
        return None
    return _json(result.to_mcp_prompt_result())


def _made_prompt(given: dict[str, Any]) -> Any:
    made = types.GetPromptResult.model_validate(given)
    messages = [Message(part.content, role=part.role) for part in made.messages]
    return PromptResult(messages, description=made.description, meta=made.meta)


def _json(model: Any) -> dict[str, Any]:
    given: dict[str, Any] = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    return given


_FORMS: Final = {
    "tools/call": Form(_read_tool, _made_tool),
    "prompts/get": Form(_read_prompt, _made_prompt),
}
"""FastMCP's own results, by the method of the request."""
