"""The points of a turn."""

from __future__ import annotations

from typing import Any

from ..contexts import TurnContext
from ..markers import hookspec
from ..points import Kind

__all__ = ["TurnSpecs"]


class TurnSpecs:
    """The model's answer and the tool calls that it asks for."""

    @hookspec(payload=list, context=TurnContext)
    def pre_turn(self, ctx: TurnContext) -> list[Any] | None:
        """A turn is about to begin: a model call, and the tool calls that its answer asks for.

        The payload is the messages so far; ``ctx.index`` is the number of the turn, when the host
        counts.

        Continue or edit the list in place, or return another one. An abort stops the turn before
        the model is called; ``turn_finished`` tells of it.

        Example::

            from hookcore import HookAborted, HookManager, TurnContext, hookimpl

            class TurnLimit:
                @hookimpl(gate=True)
                def pre_turn(self, ctx: TurnContext):
                    if ctx.index >= 20:
                        raise HookAborted("20 turns without an answer")

            manager = HookManager()
            manager.register(TurnLimit())
            with manager.turn([{"role": "user", "content": "hi"}], index=19) as turn:
                assert turn.messages[0]["content"] == "hi"
            try:
                with manager.turn([], index=20):
                    pass
            except HookAborted as limit:
                told = limit.reason
            assert told == "20 turns without an answer"
        """

    @hookspec(context=TurnContext, after_body=True)
    def post_turn(self, ctx: TurnContext) -> Any:
        """A turn's body has ended or raised.

        The payload is the assistant message that opened the turn; after an error it is ``None``
        and ``ctx.error`` is the exception. It does not fire for a turn that was denied at its
        start.

        Continue or edit the message in place, or return another one, which the host goes on with;
        after an error it takes the exception's place. An abort ends the turn as denied.

        Example::

            from hookcore import HookManager, TurnContext, hookimpl

            class Notes:
                @hookimpl
                def post_turn(self, ctx: TurnContext):
                    if ctx.error is None:
                        return {**ctx.payload, "name": ctx.agent}

            manager = HookManager()
            manager.register(Notes())
            with manager.turn([], agent="clerk") as turn:
                turn.opening = {"role": "assistant", "content": "done"}
            assert turn.opening["name"] == "clerk"
        """

    @hookspec(kind=Kind.OBSERVE, context=TurnContext)
    def turn_finished(self, ctx: TurnContext) -> None:
        """A turn is over, whichever way; it fires exactly once for each turn.

        ``ctx.status`` is ``"ok"``, ``"error"``, ``"denied"`` or ``"cancelled"``; ``ctx.entered``
        says whether its body began. Nothing can be changed or stopped here.

        Example::

            from hookcore import HookManager, TurnContext, hookimpl

            class Statistics:
                statuses = []

                @hookimpl
                def turn_finished(self, ctx: TurnContext):
                    self.statuses.append(ctx.status)

            manager = HookManager()
            manager.register(Statistics())
            try:
                with manager.turn([]):
                    raise ConnectionError("the provider hung up")
            except ConnectionError:
                pass
            assert Statistics.statuses == ["error"]
        """
