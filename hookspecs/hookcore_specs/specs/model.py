"""The points of a model call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..contexts import ModelCallContext
from ..markers import hookspec
from ..messages import ModelChoice
from ..points import Kind

__all__ = ["ModelSpecs"]


class ModelSpecs:
    """A call to a model: its choice, its prompt, its messages, its response."""

    @hookspec(payload=ModelChoice, context=ModelCallContext)
    def model_resolve(self, ctx: ModelCallContext) -> ModelChoice | None:
        """The model is chosen; the payload is the :class:`ModelChoice`."""

    @hookspec(payload=str, context=ModelCallContext)
    def prompt_build(self, ctx: ModelCallContext) -> str | None:
        """The prompt is built; the payload is its text."""

    @hookspec(payload=list, context=ModelCallContext, false_aborts=True, write_back=True)
    def pre_model_call(self, ctx: ModelCallContext) -> list[Any] | bool | None:
        """The model is about to be called; the payload is the host's own messages list."""

    @hookspec(kind=Kind.WRAP, context=ModelCallContext)
    def wrap_model_call(self, ctx: ModelCallContext, call_next: Callable[..., Any]) -> Any:
        """Stands around the call; the result is a response, or an iterator of stream events."""

    @hookspec(kind=Kind.OBSERVE, context=ModelCallContext)
    def model_input(self, ctx: ModelCallContext) -> None:
        """The messages as they are sent, after all wraps."""

    @hookspec(context=ModelCallContext)
    def post_model_call(self, ctx: ModelCallContext) -> Any:
        """The model has answered; the payload is the response."""

    @hookspec(kind=Kind.OBSERVE, context=ModelCallContext)
    def model_output(self, ctx: ModelCallContext) -> None:
        """The response as the host goes on with it."""

    @hookspec(kind=Kind.OBSERVE, context=ModelCallContext)
    def model_finished(self, ctx: ModelCallContext) -> None:
        """The call is over, exactly once, with ``ctx.status`` and ``ctx.usage``; no payload."""
