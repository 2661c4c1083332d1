"""A model of the SDK's, each of whose requests is a model call that policies judge."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from agents.models.interface import Model
from agents.tool import FunctionTool

from hookcore import HookAborted, HookManager, ModelCallContext
from hookcore.hosting import (
    MODEL_POINTS,
    Handle,
    Raised,
    current_run,
    denials_outside,
    has_any_hooks,
    stop_if_failed,
    stopping,
)

from .responses import Codec, as_response

__all__ = ["GovernedModel"]

_log = logging.getLogger(__name__)
_CODEC = Codec()
_told: set[str] = set()


class GovernedModel(Model):
    """A model whose requests go through the points of a manager.

    Args:
        inner: the model.
        manager: the hooks.
        agent: the agent that it answers.
    """

    def __init__(self, inner: Any, manager: HookManager, agent: Any) -> None:
        self._inner, self._manager, self._agent = inner, manager, agent

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def close(self) -> None:
        """Close the model."""
        await self._inner.close()

    async def _cleanup_on_run_end(self, owner: object) -> None:
        cleanup = getattr(self._inner, "_cleanup_on_run_end", None)
        if cleanup is not None:
            await cleanup(owner)

    def get_retry_advice(self, request: Any) -> Any:
        """Return the model's advice."""
        return self._inner.get_retry_advice(request)

    @denials_outside()
    async def get_response(
        self,
        system_instructions: Any,
        input: Any,  # noqa: A002 - the SDK's name
        *args: Any,
        **options: Any,
    ) -> Any:
        """Ask the model as the policies let it be asked, and return what they left of its answer.

        Raises:
            PolicyDenied: a policy denied the request or the response.
            TypeError: a hook gave something else than a response.
        """
        stop_if_failed()
        if not has_any_hooks(self._manager, MODEL_POINTS):
            return await self._inner.get_response(system_instructions, input, *args, **options)
        request = self._request(system_instructions, input, args, options)
        answers: list[Any] = []
        raised = Raised()

        async def body(sent: list[Any]) -> Any:
            first, rest, given = request.settled(sent)
            with raised:
                answers.append(await self._inner.get_response(*first, *rest, **given))
            return answers[-1]

        with stopping(raised):
            answer = await self._manager.acall_model(request.ctx, body)
        return as_response(answer, answers[-1] if answers else None)

    @denials_outside()
    async def stream_response(
        self,
        system_instructions: Any,
        input: Any,  # noqa: A002 - the SDK's name
        *args: Any,
        **options: Any,
    ) -> AsyncIterator[Any]:
        """Yield the events that the policies let through.

        Raises:
            PolicyDenied: a policy denied the request or the response.
        """
        stop_if_failed()
        request = self._request(system_instructions, input, args, options)

        raised = Raised()

        async def asked(sent: list[Any]) -> AsyncIterator[Any]:
            first, rest, given = request.settled(sent)
            with raised:
                async with aclosing(self._inner.stream_response(*first, *rest, **given)) as events:
                    async for event in events:
                        yield event

        made = self._manager.astream_model(request.ctx, asked, codec=_CODEC)
        with stopping(raised):
            async with aclosing(made) as events:
                async for event in events:
                    yield event

    def _request(self, system: Any, given: Any, args: Any, options: Any) -> _Request:
        return _Request(self._inner, self._agent, system, given, args, options)


class _Request:
    """One request as hooks see it: the instructions stand in front of the messages."""

    def __init__(  # noqa: PLR0917 - the SDK's own arguments
        self, model: Any, agent: Any, system: Any, given: Any, args: Any, options: Any
    ) -> None:
        self._args, self._options = list(args), dict(options)
        self._name = getattr(model, "model", None)
        # After the instructions and the input come the settings and the tools.
        self._tools = self._args[1] if args else self._options.get("tools")
        _tell_of_unseen(agent, self._tools or ())
        front = [] if system is None else [{"role": "system", "content": system, _MARK: True}]
        items = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
        told = {"llm": Handle(model), "agent": Handle(agent), "model": self._name}
        tools = [Handle(tool) for tool in self._tools or ()]
        fields = current_run().fill({**told, "provider": type(model).__name__, "tools": tools})
        self._shown = list(tools)
        self.ctx = ModelCallContext(messages=[*front, *items], **fields)

    def settled(self, sent: list[Any]) -> tuple[tuple[Any, Any], list[Any], dict[str, Any]]:
        """Return the arguments of the request, as the hooks left the messages and the context.

        Raises:
            HookAborted: a hook named another model.
        """
        if self.ctx.model != self._name:
            raise HookAborted(
                f"a hook changed the model from {self._name} to {self.ctx.model}, and the Agents "
                "SDK asks only the one that it has",
                source="hookcore-openai-agents",
            )
        fronts = [item for item in sent if _is_front(item)]
        system = "\n".join(item["content"] for item in fronts) if fronts else None
        items = [item for item in sent if not _is_front(item)]
        args, options = list(self._args), dict(self._options)
        if self.ctx.tools != self._shown:
            tools = [getattr(tool, "target", tool) for tool in self.ctx.tools or ()]
            if args:
                args[1] = tools
            else:
                options["tools"] = tools
        return (system, items), args, options


_MARK = "hookcore_instructions"


def _is_front(item: Any) -> bool:
    return isinstance(item, dict) and _MARK in item


def _tell_of_unseen(agent: Any, tools: Any) -> None:
    """Say once of each kind of tool that no policy sees its calls."""
    for tool in tools:
        kind = type(tool).__name__
        if not isinstance(tool, FunctionTool) and kind not in _told:
            _told.add(kind)
            _log.warning(
                "the agent %s has a %s, whose calls no policy of hookcore sees; what the model "
                "says of them is judged",
                getattr(agent, "name", agent),
                kind,
            )
