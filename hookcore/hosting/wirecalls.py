"""A request in one of the formats of :mod:`hookcore.wires` as the model call that hooks see."""

from __future__ import annotations

from typing import Any, Final

from hookcore_specs import HookAborted, ModelCallContext, ModelResponse

from ..dispatch.copying import digest
from ..dispatch.current import current_run
from ..manager import HookManager
from ..wires import MalformedError, Wire, WireCodec, as_responses

__all__ = ["WireCall"]

_OF_TOOLS: Final = ("tools", "tool_choice", "parallel_tool_calls")
"""The fields that mean nothing without tools."""
_LOOKING: Final = ("wrap_model_call", "post_model_call", "model_output")
"""The points at which hooks are shown an answer."""


class WireCall:
    """One request: the context that hooks see of it, and what they leave of it and its answer.

    Args:
        manager: the hooks.
        wire: the format.
        body: the request as JSON; messages and tools may be objects of a library's.
        asked: what is asked for, for the operator, should it be refused.
        source: who refuses it then.
        counts: whether it only counts tokens, so that its answer is nobody's business.
        fields: further fields of the context.

    Raises:
        HookAborted: it holds what nobody can judge.
    """

    def __init__(
        self,
        manager: HookManager,
        wire: Wire,
        body: dict[str, Any],
        *,
        asked: str,
        source: str,
        counts: bool = False,
        **fields: Any,
    ) -> None:
        self._manager, self._wire, self._body, self._counts = manager, wire, body, counts
        self._tools = body.get("tools")
        try:
            self._messages = wire.messages(body)
        except MalformedError as error:
            reason = f"{asked} cannot be judged: {error}"
            raise HookAborted(reason, source=source, message=reason) from error
        told = {"model": body.get("model"), "attributes": {"wire": wire.name}, **fields}
        told["tools"] = None if self._tools is None else list(self._tools)
        #: The context.
        self.ctx = ModelCallContext(messages=list(self._messages), **current_run().fill(told))
        #: Reads the events of its stream.
        self.codec = WireCodec(wire)
        self._answer: Any = None
        #: What hooks were shown, and its digest; None when they were shown nothing.
        self._shown: tuple[Any, bytes | None] | None = None

    def settled(self, messages: list[Any]) -> dict[str, Any]:
        """Return the request as hooks left it.

        Args:
            messages: the messages as they left them.
        """
        body, ctx = self._body, self.ctx
        if messages != self._messages:
            body = self._wire.with_messages(body, messages)
        if ctx.model != self._body.get("model"):
            body = {**body, "model": ctx.model}
        if ctx.tools != self._tools:
            if ctx.tools:
                body = {**body, "tools": list(ctx.tools)}
            else:
                body = {name: value for name, value in body.items() if name not in _OF_TOOLS}
        return body

    def shown(self, answer: Any) -> Any:
        """Return what hooks see of an answer that came whole: a neutral one, where it can be.

        Args:
            answer: the answer as JSON; a text where it is none.
        """
        value = self._answer = answer
        if self._counts:
            value = ModelResponse()
        elif not any(map(self._manager.has_hooks, _LOOKING)):
            self._shown = (value, None)
            return value
        elif isinstance(answer, dict):
            event = self._wire.as_event(answer)
            value = answer if self.codec.parts(event) is None else self.codec.assemble([event])
        self._shown = (value, digest(value))
        return value

    def left(self, value: Any) -> Any:
        """Return the answer for what hooks left of it: JSON, or a text where a text had come.

        Args:
            value: what they left.

        Returns:
            The answer; None for that which came.

        Raises:
            TypeError: it is no answer.
        """
        if self._shown is not None and (self._counts or self._is_as_shown(value, *self._shown)):
            return None
        if isinstance(value, dict) or (isinstance(value, str) and isinstance(self._answer, str)):
            return value
        if isinstance(self._answer, dict):
            return self.codec.answer(value, self._wire.as_event(self._answer))
        return self._wire.answer_of(as_responses(value), None)

    @staticmethod
    def _is_as_shown(value: Any, shown: Any, before: bytes | None) -> bool:
        return value is shown if before is None else digest(value) == before
