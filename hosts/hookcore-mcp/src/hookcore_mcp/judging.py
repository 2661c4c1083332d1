"""The requests of MCP that policies judge, whichever way they come: calls, resources, prompts."""

from __future__ import annotations

import functools
import logging
from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types
from mcp.shared.exceptions import MCPError

from hookcore import Denied, HookAborted, HookManager
from hookcore.hosting import inside_tool, is_inside_tool

from .results import NotYetError, denied, restored, shown

__all__ = ["JUDGED", "Form", "Request", "came_with", "judge", "serve"]

_log = logging.getLogger(__name__)
_INTERNAL_ERROR: Final = -32603
_DENIED: Final = -1
"""The code by which MCP's clients say that a person refused; a policy refuses likewise."""
_BESIDE: Final = ("_meta", "inputResponses", "requestState")
"""The params that are the protocol's own."""
_TRACE: Final = ("traceparent", "tracestate")

Run = Callable[[dict[str, Any]], Awaitable[Any]]
"""Carries a request out: from its params to its result."""


@dataclass(frozen=True)
class Form:
    """A sort of results: reads and makes them.

    Args:
        read: gives a result as the protocol has it; None for what is no result yet.
        make: gives the result for that.
    """

    read: Callable[[Any], dict[str, Any] | None]
    make: Callable[[dict[str, Any]], Any]


def _of_the_sdk(model: Any, content: str) -> Form:
    def read(result: Any) -> dict[str, Any] | None:
        given = result if isinstance(result, dict) else _as_json(result)
        return given if content in given else None

    return Form(read, model.model_validate)


def _as_json(result: Any) -> dict[str, Any]:
    given: dict[str, Any] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return given


@dataclass(frozen=True)
class Request:
    """A sort of request that is judged.

    Args:
        form: its results, as the SDK has them.
        kind: of which kind of step it is; None for a tool call.
        named_by: the param that names what is asked for.
    """

    form: Form
    kind: str | None
    named_by: str = "name"


JUDGED: Final = {
    "tools/call": Request(_of_the_sdk(types.CallToolResult, "content"), None),
    "resources/read": Request(
        _of_the_sdk(types.ReadResourceResult, "contents"), "mcp_resource", "uri"
    ),
    "prompts/get": Request(_of_the_sdk(types.GetPromptResult, "messages"), "mcp_prompt"),
}
"""The requests that are judged, by their methods."""


class _RefusedError(MCPError):
    """The denial of a request whose result cannot tell of it."""


async def judge(
    manager: HookManager,
    method: str,
    params: dict[str, Any],
    run: Run,
    *,
    form: Form | None = None,
    **fields: Any,
) -> Any:
    """Return the result of a request that policies judge; of one judged already, as it is.

    Args:
        manager: the hooks.
        method: the request's method, one of :data:`JUDGED`.
        params: its params.
        run: carries it out, with the params that the policies left.
        form: its results, where they are not the SDK's.
        fields: fields of the context.

    Raises:
        MCPError: a policy denied it, and its result cannot tell of that.
    """
    request = JUDGED[method]
    name, given = params.get(request.named_by), params.get("arguments") or {}
    seen = given if request.kind is None else _without_beside(params)
    if is_inside_tool(manager, request.kind or str(name), seen, call_id=fields.get("call_id")):
        return await run(params)
    results = _Results(form or request.form)
    try:
        if request.kind is None:
            return await _call(manager, params, run, results, fields)
        with_step = {**fields, "kind": request.kind, "step_name": str(name)}
        return await _step(manager, params, run, results, with_step)
    except NotYetError as error:
        if not _asks(error.result):
            _tell_of_later()
        return error.result


def _asks(result: Any) -> bool:
    """Return whether a result asks for input, after which the request comes again."""
    if isinstance(result, dict):
        return "inputRequests" in result
    return isinstance(getattr(result, "input_required", result), types.InputRequiredResult)


@functools.cache
def _tell_of_later() -> None:
    _log.warning("no policy of hookcore sees what comes of MCP requests that go on as tasks")


async def _call(
    manager: HookManager,
    params: dict[str, Any],
    run: Run,
    results: _Results,
    fields: dict[str, Any],
) -> Any:
    async def body(arguments: dict[str, Any]) -> Any:
        return shown(results.keep(await run({**params, "arguments": arguments})))

    name, given = str(params.get("name")), params.get("arguments") or {}
    value = await manager.acall_tool(name, given, body, on_denied="return", **fields)
    if isinstance(value, Denied):
        return results.form.make(denied(value))
    return results.given_back(restored(value, results.shown))


async def _step(
    manager: HookManager,
    params: dict[str, Any],
    run: Run,
    results: _Results,
    fields: dict[str, Any],
) -> Any:
    try:
        async with manager.step(deepcopy(_without_beside(params)), **fields) as step:
            beside: dict[str, Any] = {name: params[name] for name in _BESIDE if name in params}
            with inside_tool(manager, fields["kind"], step.input):
                result = await run({**step.input, **beside})
            step.output = deepcopy(results.keep(result))
    except HookAborted as error:
        raise _RefusedError(_DENIED, error.message) from error
    return results.given_back(step.output)


class _Results:
    """The result of a request, and the form in which hooks were shown it."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.shown: dict[str, Any] | None = None
        self._result: Any = None

    def keep(self, result: Any) -> dict[str, Any]:
        """Return a result as hooks are shown it.

        Raises:
            NotYetError: it is none.
        """
        given = self.form.read(result)
        if given is None:
            raise NotYetError(result)
        self._result, self.shown = result, given
        return given

    def given_back(self, left: dict[str, Any]) -> Any:
        """Return the result for what hooks left of it."""
        return self._result if left == self.shown else self.form.make(left)


def _without_beside(params: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name not in _BESIDE}


async def serve(
    manager: HookManager, method: str, params: dict[str, Any], run: Run, **options: Any
) -> Any:
    """Return the result of a request as :func:`judge` does, for those who serve it.

    Raises:
        MCPError: it was denied, or a policy failed, which is logged here.
    """
    own: list[Exception] = []

    async def carried_out(settled: dict[str, Any]) -> Any:
        try:
            return await run(settled)
        except Exception as error:
            own.append(error)
            raise

    try:
        return await judge(manager, method, params, carried_out, **options)
    except _RefusedError:
        raise
    except Exception as error:
        if any(error is raised for raised in own):
            raise
        # The client's model may read what the error says: the details are the operator's.
        _log.exception("a policy failed at %s", params.get(JUDGED[method].named_by))
        raise MCPError(_INTERNAL_ERROR, "the call could not be judged") from error


def came_with(meta: Any, peer: str | None) -> dict[str, Any]:
    """Return what policies are told of where a request comes from.

    Args:
        meta: what came with it.
        peer: by which name policies know who sent it.
    """
    sent = meta if isinstance(meta, dict) else {}
    found = {name: sent[name] for name in _TRACE if isinstance(sent.get(name), str)}
    return found if peer is None else {**found, "peer": peer}
