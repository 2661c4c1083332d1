"""Requests that are steps: resources, prompts, and what a person is asked."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, ClassVar, Final

from hookcore import HookAborted, StepContext

from . import rpc
from .exchange import Exchange
from .inputs import asks_for_input
from .results import restored_error
from .rpc import MalformedError
from .tasks import Deferred, task_of

__all__ = ["Elicitation", "Prompt", "Resource"]


class Step(Exchange):
    """A request that is a step: its input are the params, its output is the result."""

    kind: ClassVar[str]
    named_by: ClassVar[str | None] = None

    async def begin(self) -> dict[str, Any]:
        """Judge the params."""
        connection = self.connection
        name = None if self.named_by is None else self.text(self.named_by)
        params = await connection.replied(self)
        shown = {key: value for key, value in params.items() if key not in _BESIDE}
        settled = await connection.calls.begin_step(
            deepcopy(shown),
            call_id=self.call_id,
            kind=self.kind,
            step_name=name,
            **connection.fields(),
        )
        if rpc.same(settled, shown):
            return params
        if not isinstance(settled, dict):
            raise MalformedError(f"a policy left {type(settled).__name__} of the params")
        return {**settled, **{key: params[key] for key in _BESIDE if key in params}}

    async def end(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Judge the result, or the error, which a model may read too."""
        name = "error" if "error" in answer else "result"
        shown = answer[name]
        if name == "result" and asks_for_input(shown):
            return await self.connection.asked(self, answer)
        value = await self.ended(deepcopy(shown))
        self.connection.tasks.begun(
            self.sender, task_of(shown), Deferred(self._settled, _an_object)
        )
        if rpc.same(value, shown):
            return answer
        if name == "error":
            return {**answer, "error": restored_error(value, shown)}
        return {**answer, "result": _an_object(value, shown)}

    async def _settled(self, value: Any) -> Any:
        """Judge what came of the step later, as a task."""
        fields = {"call_id": self.call_id, **self.connection.fields()}
        ctx = StepContext(payload=value, kind=self.kind, step_name=None, **fields)
        return await self.connection.manager.asettle("post_step", ctx)


_BESIDE: Final = ("_meta", "inputResponses", "requestState")
"""The params that are the protocol's own."""


def _an_object(value: Any, result: Any) -> dict[str, Any]:
    del result
    if not isinstance(value, dict):
        raise MalformedError(f"a policy left {type(value).__name__} of the result")
    return value


class Resource(Step):
    """A ``resources/read``."""

    kind = "mcp_resource"
    named_by = "uri"


class Prompt(Step):
    """A ``prompts/get``."""

    kind = "mcp_prompt"
    named_by = "name"


class Elicitation(Step):
    """An ``elicitation/create``: a server asks the person at the client."""

    kind = "mcp_elicitation"

    def denied(self, denial: HookAborted) -> dict[str, Any]:
        """Return what a server is told when the person says no."""
        del denial
        return rpc.result(self.id, {"action": "decline"})
