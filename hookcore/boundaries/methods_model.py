"""The methods that run a model call through its points, whole or streamed."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from importlib import import_module
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from hookcore_specs import ModelCallContext

from ..dispatch.current import current_run
from ..dispatch.plans import Plans
from ..later import Later
from ..waiting.requests import adrive
from .boundary import OnDenied, checked_on_denied
from .failed import BodyFailed, gone_on
from .fields import explained, refuse_text
from .iterators import WHOLE, refuse_coroutine, refuse_iterator, refuse_stream
from .model import ModelBoundary

if TYPE_CHECKING:
    from ..streaming import StreamCodec
    from . import modelstream_async, modelstream_sync
else:  # a third of all modules, for those who stream
    modelstream_async = Later(lambda: import_module(".modelstream_async", __package__))
    modelstream_sync = Later(lambda: import_module(".modelstream_sync", __package__))

__all__ = ["ModelMethods"]


class ModelMethods:
    """Model calls."""

    _plans: Plans
    _models_are_idle: bool
    """True while no hook, not even a scoped one, can see a model call."""

    def call_model(
        self,
        messages: list[Any] | ModelCallContext,
        call: Callable[[list[Any]], Any],
        *,
        on_denied: OnDenied = "raise",
        **fields: Any,
    ) -> Any:
        """Run a model call through its points and return the response.

        Args:
            messages: the host's own list; or a context, which has it and all else.
            call: calls the model with the messages that the hooks and gates settled on.
            on_denied: ``"raise"`` HookAborted, or ``"return"`` a :class:`Denied`.
            fields: fields of the context (``model``, ``provider``, ``tools``, ...); the enclosing
                run's where they are not given.

        Raises:
            HookAborted: a policy denied the call or its response.
            Exception: what the model raises.
        """
        if self._models_are_idle and type(messages) is list:
            if fields or on_denied != "raise":
                _check_model_call("call_model", fields, on_denied)
            try:
                return _checked_response(refuse_coroutine(call(messages)))
            except BodyFailed as failed:
                return gone_on(failed, self._plans.services)
        ctx = _model_context("call_model", messages, fields)
        boundary = ModelBoundary(self._plans, ctx, call, asynchronous=False, on_denied=on_denied)
        return self._plans.services.drive(boundary.steps())

    async def acall_model(
        self,
        messages: list[Any] | ModelCallContext,
        call: Callable[[list[Any]], Any],
        *,
        on_denied: OnDenied = "raise",
        **fields: Any,
    ) -> Any:
        """Run a model call like :meth:`call_model`; ``call`` may be async."""
        if self._models_are_idle and type(messages) is list:
            if fields or on_denied != "raise":
                _check_model_call("acall_model", fields, on_denied)
            try:
                response: Any = call(messages)
                while isawaitable(response):
                    response = await response
            except BodyFailed as failed:
                return gone_on(failed, self._plans.services)
            if type(response) not in WHOLE and type(response) is not dict:
                await adrive(refuse_stream(response, asynchronous=True))
            return response
        ctx = _model_context("acall_model", messages, fields)
        boundary = ModelBoundary(self._plans, ctx, call, asynchronous=True, on_denied=on_denied)
        return await adrive(boundary.steps())

    def astream_model(
        self,
        messages: list[Any] | ModelCallContext,
        call: Callable[[list[Any]], Any],
        *,
        codec: StreamCodec | None = None,
        **fields: Any,
    ) -> AsyncGenerator[Any, None]:
        """Return the events of a streamed model call as its points let them through.

        When a hook has to judge the whole response, nothing of it leaves before that. Pieces of
        tool calls are held until they are whole. An event that no codec can read is a failure of
        each hook that has to judge the response.

        Args:
            messages: the host's own list; or a context, which has it and all else.
            call: gives an async iterator of events, or a coroutine for one.
            codec: how to read and write the events; those of :mod:`hookcore.streaming` when None.
            fields: fields of the context (``model``, ``provider``, ``tools``, ...); the enclosing
                run's where they are not given.

        Raises:
            HookAborted: while iterating, when a policy denied the call or its response, or a
                tool call's arguments are no JSON object.
            Exception: while iterating, what the model raises.
        """
        ctx = _model_context("astream_model", messages, fields)
        return modelstream_async.AsyncModelStream(self._plans, ctx, call, codec).events()

    def stream_model(
        self,
        messages: list[Any] | ModelCallContext,
        call: Callable[[list[Any]], Any],
        *,
        codec: StreamCodec | None = None,
        **fields: Any,
    ) -> Generator[Any, None, None]:
        """Return the events of a streamed model call like :meth:`astream_model`, without a loop.

        Async hooks run on the manager's own background loop; a wrap is a plain generator with one
        yield.

        Args:
            messages: the host's own list; or a context, which has it and all else.
            call: gives an iterator of events.
            codec: how to read and write the events; those of :mod:`hookcore.streaming` when None.
            fields: fields of the context (``model``, ``provider``, ``tools``, ...); the enclosing
                run's where they are not given.

        Raises:
            HookAborted: while iterating, when a policy denied the call or its response, or a
                tool call's arguments are no JSON object.
            RegistrationError: while iterating, when a wrap is async.
            Exception: while iterating, what the model raises.
        """
        ctx = _model_context("stream_model", messages, fields)
        return modelstream_sync.SyncModelStream(self._plans, ctx, call, codec).events()


def _checked_response(response: Any) -> Any:
    """Return a response, which is no iterator."""
    if type(response) not in WHOLE and type(response) is not dict:
        refuse_iterator(response)
    return response


def _check_model_call(boundary: str, fields: dict[str, Any], on_denied: str) -> None:
    """Refuse what the boundary with hooks would refuse, where there are no hooks to ask."""
    checked_on_denied(on_denied)
    if fields:
        try:
            ModelCallContext(messages=None, **fields)
        except TypeError as error:
            raise explained(error, boundary, ModelCallContext, fields) from None


def _model_context(
    boundary: str, messages: list[Any] | ModelCallContext, fields: dict[str, Any]
) -> ModelCallContext:
    if isinstance(messages, ModelCallContext):
        refuse_text(messages.messages, boundary)
        return messages
    if type(messages) is not list:
        refuse_text(messages, boundary)
    try:
        return ModelCallContext(messages=messages, **current_run().fill(fields))
    except TypeError as error:
        raise explained(error, boundary, ModelCallContext, fields) from None
