"""The methods that settle a value, and take messages in and out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hookcore_specs import HookContext, MessageContext

from ..dispatch.current import current_run
from ..dispatch.plans import Plans
from ..waiting.requests import adrive
from .boundary import OnDenied
from .fields import explained
from .message import settle, through

__all__ = ["MessageMethods"]


class MessageMethods:
    """Messages, and points whose payload a host goes on with."""

    _plans: Plans

    def settle(self, point: str, payload: Any = None, **fields: Any) -> Any:
        """Return a value as the hooks of an intercept point left it and its gates judged it.

        For ``setup_*``, ``model_resolve``, ``prompt_build``, and a host's own points: the host goes
        on with what is returned, which nobody else can change.

        Args:
            point: the point.
            payload: the value; or a context, which has it and all else.
            fields: fields of the context; the enclosing run's where they are not given.

        Raises:
            HookAborted: a hook stopped the operation.
            UnknownPointError: there is no such point, or it is of another kind.
        """
        ctx = self._settled_context(point, payload, fields)
        return self._plans.services.drive(settle(self._plans, point, ctx, asynchronous=False))

    async def asettle(self, point: str, payload: Any = None, **fields: Any) -> Any:
        """Return a settled value like :meth:`settle`, awaiting the async hooks."""
        ctx = self._settled_context(point, payload, fields)
        return await adrive(settle(self._plans, point, ctx, asynchronous=True))

    def _settled_context(self, point: str, payload: Any, fields: dict[str, Any]) -> HookContext:
        if isinstance(payload, HookContext):
            return payload
        context = self._plans.table.find(point).options.context
        try:
            return context(payload=payload, **current_run().fill(fields))
        except TypeError as error:
            raise explained(error, "settle", context, fields) from None

    def receive_message(
        self,
        message: Any,
        call: Callable[[Any], Any] | None = None,
        *,
        on_denied: OnDenied = "raise",
        **fields: Any,
    ) -> Any:
        """Settle a message that came in, and hand it to the host.

        Args:
            message: the :class:`ChannelMessage`; or a context, which has it and all else.
            call: what the host does with the message that the hooks and gates settled on; the
                message itself is returned when None.
            on_denied: ``"raise"`` HookAborted, or ``"return"`` a :class:`Denied`.
            fields: fields of the context; the enclosing run's where they are not given.

        Returns:
            What ``call`` returned, or the message.

        Raises:
            HookAborted: a policy dropped the message.
        """
        ctx = _message_context("receive_message", message, fields)
        steps = through(
            self._plans, "message_received", ctx, call, asynchronous=False, on_denied=on_denied
        )
        return self._plans.services.drive(steps)

    async def areceive_message(
        self,
        message: Any,
        call: Callable[[Any], Any] | None = None,
        *,
        on_denied: OnDenied = "raise",
        **fields: Any,
    ) -> Any:
        """Settle a message like :meth:`receive_message`; ``call`` may be async."""
        ctx = _message_context("areceive_message", message, fields)
        steps = through(
            self._plans, "message_received", ctx, call, asynchronous=True, on_denied=on_denied
        )
        return await adrive(steps)

    def send_message(
        self,
        message: Any,
        call: Callable[[Any], Any] | None = None,
        *,
        on_denied: OnDenied = "raise",
        **fields: Any,
    ) -> Any:
        """Settle a message that is to leave, deliver it, and tell of it when it was delivered.

        Args:
            message: the :class:`ChannelMessage`; or a context, which has it and all else.
            call: delivers the message that the hooks and gates settled on; what it raises is no
                delivery, and ``message_sent`` does not fire. The message is returned when None.
            on_denied: ``"raise"`` HookAborted, or ``"return"`` a :class:`Denied`.
            fields: fields of the context; the enclosing run's where they are not given.

        Returns:
            What ``call`` returned, or the message.

        Raises:
            HookAborted: a policy keeps the message from being sent.
        """
        ctx = _message_context("send_message", message, fields)
        steps = through(
            self._plans,
            "message_sending",
            ctx,
            call,
            sent="message_sent",
            asynchronous=False,
            on_denied=on_denied,
        )
        return self._plans.services.drive(steps)

    async def asend_message(
        self,
        message: Any,
        call: Callable[[Any], Any] | None = None,
        *,
        on_denied: OnDenied = "raise",
        **fields: Any,
    ) -> Any:
        """Deliver a message like :meth:`send_message`; ``call`` may be async."""
        ctx = _message_context("asend_message", message, fields)
        steps = through(
            self._plans,
            "message_sending",
            ctx,
            call,
            sent="message_sent",
            asynchronous=True,
            on_denied=on_denied,
        )
        return await adrive(steps)


def _message_context(boundary: str, message: Any, fields: dict[str, Any]) -> HookContext:
    if isinstance(message, HookContext):
        return message
    try:
        return MessageContext(payload=message, **current_run().fill(fields))
    except TypeError as error:
        raise explained(error, boundary, MessageContext, fields) from None
