"""The manager's methods that run whole boundaries, so that hosts get the sequence right."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from inspect import isawaitable, iscoroutine
from typing import Any, Literal, TypeVar, overload

from hookcore_specs import HookContext, MessageContext, ModelCallContext, ToolCallContext

from ..dispatch.carrying import StartedIn
from ..dispatch.current import current_run
from ..dispatch.plans import Plans
from ..dispatch.stepping import source_of, stepped
from ..streaming import DEFAULT_CODEC, StreamCodec
from ..streams.wrapped import WrappedStream
from ..waiting.requests import AwaitBody, Steps, adrive
from ..wraps.wrapped import WrappedCall
from .boundary import checked_on_denied
from .failed import BodyFailed, gone_on
from .governed import governed
from .iterators import refuse_iterator, refuse_stream
from .lifetimes import RunBoundary, StepBoundary, TurnBoundary
from .message import settle, through
from .model import ModelBoundary
from .modelstream_async import AsyncModelStream
from .modelstream_sync import SyncModelStream
from .tool import ToolBoundary

__all__ = ["Boundaries"]

_F = TypeVar("_F", bound=Callable[..., Any])
OnDenied = Literal["raise", "return"]

# Asking whether a result is awaitable costs more than all else that an idle call does.
_CERTAINLY_THERE = frozenset({type(None), bool, bytes, dict, float, int, list, str, tuple})


class Boundaries:
    """Operations with a beginning and an end, and the wrap points around them."""

    _plans: Plans
    _tools_are_idle: bool
    """True while no hook, not even a scoped one, can see a tool call."""
    _models_are_idle: bool
    """True while no hook, not even a scoped one, can see a model call."""

    # Wrap points by themselves

    def wrap(self, point: str, ctx: HookContext, call: Callable[[Any], Any]) -> Any:
        """Run ``call(payload)`` inside the hooks of a wrap point and return the result.

        Args:
            point: the wrap point.
            ctx: the context; its payload is the request.
            call: the operation.

        Raises:
            HookAborted: a hook stopped the operation.
            RegistrationError: one of the hooks is async.
        """
        steps = self._wrap_steps(point, ctx, call, asynchronous=False)
        return self._plans.services.drive(steps)

    async def awrap(self, point: str, ctx: HookContext, call: Callable[[Any], Any]) -> Any:
        """Run an operation inside the hooks of a wrap point, awaiting what is async."""
        return await adrive(self._wrap_steps(point, ctx, call, asynchronous=True))

    def awrap_stream(
        self, point: str, ctx: HookContext, call: Callable[[Any], Any]
    ) -> AsyncGenerator[Any, None]:
        """Return the events of a streaming operation as the hooks of a wrap point pass them on.

        Args:
            point: the wrap point.
            ctx: the context; its payload is the request.
            call: gives an async iterator of events, or a coroutine for one.
        """
        plan = self._plans.wrap(point)
        chain = self._plans.resolve(plan, ctx)
        if plan is None or chain is None:
            return stepped(StartedIn(self._plans.scopes), lambda: source_of(call(ctx.payload)))
        return WrappedStream(self._plans, plan, chain, ctx, call).stream()

    def _wrap_steps(
        self, point: str, ctx: HookContext, call: Callable[[Any], Any], *, asynchronous: bool
    ) -> Steps:
        plan = self._plans.wrap(point)

        def body(payload: Any) -> Steps:
            result = call(payload)
            if asynchronous and hasattr(result, "__await__"):
                result = yield AwaitBody(result)
            return result

        chain = self._plans.resolve(plan, ctx)
        if plan is None or chain is None:
            return (yield from body(ctx.payload))
        run = WrappedCall(self._plans, plan, chain, ctx, body, asynchronous=asynchronous)
        return (yield from run.steps())

    # Tool calls

    def call_tool(
        self,
        name: str | ToolCallContext,
        arguments: Any = None,
        call: Callable[[dict[str, Any]], Any] | None = None,
        *,
        on_denied: OnDenied = "raise",
        resolve: Callable[[str], Callable[[dict[str, Any]], Any]] | None = None,
        **fields: Any,
    ) -> Any:
        """Run a tool call through its points and return the result.

        Args:
            name: the tool's name; or a context, which has the name, the arguments and all else.
            arguments: the arguments, a mapping or a JSON text.
            call: runs the tool with the arguments that the hooks and gates settled on.
            on_denied: ``"raise"`` HookAborted, or ``"return"`` a :class:`Denied` for the model.
            resolve: gives the callable of another tool, for hooks that change ``ctx.tool_name``.
            fields: fields of the context (``agent``, ``run_id``, ``call_id``, ``tool``, ...); the
                enclosing run's where they are not given.

        Raises:
            HookAborted: a policy denied the call, or its arguments are no JSON object.
            Exception: what the tool raises.
        """
        if self._tools_are_idle and type(arguments) is dict and callable(call):
            if fields or on_denied != "raise":
                _check_call(name, fields, on_denied)
            try:
                return _refused_coroutine(call(arguments))
            except BodyFailed as failed:
                return gone_on(failed, self._plans.services)
        options = {"asynchronous": False, "on_denied": on_denied, "resolve": resolve}
        steps = self._tool_steps(name, arguments, call, fields, **options)
        return self._plans.services.drive(steps)

    async def acall_tool(
        self,
        name: str | ToolCallContext,
        arguments: Any = None,
        call: Callable[[dict[str, Any]], Any] | None = None,
        *,
        on_denied: OnDenied = "raise",
        resolve: Callable[[str], Callable[[dict[str, Any]], Any]] | None = None,
        **fields: Any,
    ) -> Any:
        """Run a tool call like :meth:`call_tool`; ``call`` may be async."""
        if self._tools_are_idle and type(arguments) is dict and callable(call):
            if fields or on_denied != "raise":
                _check_call(name, fields, on_denied)
            try:
                result: Any = call(arguments)
                while isawaitable(result):
                    result = await result
            except BodyFailed as failed:
                return gone_on(failed, self._plans.services)
            return result
        options = {"asynchronous": True, "on_denied": on_denied, "resolve": resolve}
        return await adrive(self._tool_steps(name, arguments, call, fields, **options))

    def _tool_steps(
        self,
        name: str | ToolCallContext,
        arguments: Any,
        call: Any,
        fields: dict[str, Any],
        **options: Any,
    ) -> Steps:
        if isinstance(name, ToolCallContext):
            ctx, call = name, arguments if call is None else call
        else:
            ctx = ToolCallContext(tool_name=name, payload=arguments, **current_run().fill(fields))
        if not callable(call):
            raise TypeError("call_tool() takes the function that runs the tool")
        return ToolBoundary(self._plans, ctx, call, **options).steps()

    @overload
    def tool(self, function: _F) -> _F: ...

    @overload
    def tool(
        self, function: None = None, *, name: str | None = None, on_denied: OnDenied = "raise"
    ) -> Callable[[_F], _F]: ...

    def tool(
        self,
        function: Any = None,
        *,
        name: str | None = None,
        on_denied: OnDenied = "raise",
    ) -> Any:
        """Make every call of a plain or async function a tool call.

        Args:
            function: the function.
            name: the tool's name; the function's own when None.
            on_denied: ``"raise"`` HookAborted, or ``"return"`` a :class:`Denied` for the model.
        """

        def decorate(target: Callable[..., Any]) -> Callable[..., Any]:
            return governed(
                target,
                name,
                on_denied,
                call_tool=self.call_tool,
                acall_tool=self.acall_tool,
                is_idle=lambda: self._tools_are_idle,
                gone_on=lambda failed: gone_on(failed, self._plans.services),
            )

        return decorate if function is None else decorate(function)

    # Model calls

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
                _check_model_call(fields, on_denied)
            try:
                return _checked_response(_refused_coroutine(call(messages)))
            except BodyFailed as failed:
                return gone_on(failed, self._plans.services)
        ctx = _model_context(messages, fields)
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
                _check_model_call(fields, on_denied)
            try:
                response: Any = call(messages)
                while isawaitable(response):
                    response = await response
            except BodyFailed as failed:
                return gone_on(failed, self._plans.services)
            if type(response) is not str and type(response) is not dict:
                await adrive(refuse_stream(response, asynchronous=True))
            return response
        ctx = _model_context(messages, fields)
        boundary = ModelBoundary(self._plans, ctx, call, asynchronous=True, on_denied=on_denied)
        return await adrive(boundary.steps())

    def astream_model(
        self,
        messages: list[Any] | ModelCallContext,
        call: Callable[[list[Any]], Any],
        *,
        codec: StreamCodec = DEFAULT_CODEC,
        **fields: Any,
    ) -> AsyncGenerator[Any, None]:
        """Return the events of a streamed model call as its points let them through.

        When a hook has to judge the whole response, nothing of it leaves before that. Pieces of
        tool calls are held until they are whole. An event that no codec can read is a failure of
        each hook that has to judge the response.

        Args:
            messages: the host's own list; or a context, which has it and all else.
            call: gives an async iterator of events, or a coroutine for one.
            codec: how to read and write the events; those of :mod:`hookcore.streaming` by default.
            fields: fields of the context (``model``, ``provider``, ``tools``, ...); the enclosing
                run's where they are not given.

        Raises:
            HookAborted: while iterating, when a policy denied the call or its response, or a
                tool call's arguments are no JSON object.
            Exception: while iterating, what the model raises.
        """
        ctx = _model_context(messages, fields)
        return AsyncModelStream(self._plans, ctx, call, codec).events()

    def stream_model(
        self,
        messages: list[Any] | ModelCallContext,
        call: Callable[[list[Any]], Any],
        *,
        codec: StreamCodec = DEFAULT_CODEC,
        **fields: Any,
    ) -> Generator[Any, None, None]:
        """Return the events of a streamed model call like :meth:`astream_model`, without a loop.

        Async hooks run on the manager's own background loop; a wrap is a plain generator with one
        yield.

        Args:
            messages: the host's own list; or a context, which has it and all else.
            call: gives an iterator of events.
            codec: how to read and write the events; those of :mod:`hookcore.streaming` by default.
            fields: fields of the context (``model``, ``provider``, ``tools``, ...); the enclosing
                run's where they are not given.

        Raises:
            HookAborted: while iterating, when a policy denied the call or its response, or a
                tool call's arguments are no JSON object.
            RegistrationError: while iterating, when a wrap is async.
            Exception: while iterating, what the model raises.
        """
        ctx = _model_context(messages, fields)
        return SyncModelStream(self._plans, ctx, call, codec).events()

    # Runs, turns and steps

    def run(
        self, inputs: dict[str, Any] | None = None, *, message: Any = None, **fields: Any
    ) -> RunBoundary:
        """Return a run, for ``with`` or ``async with``.

        Args:
            inputs: the inputs dict.
            message: the input message; or a function of the inputs, as the hooks left them, that
                gives it.
            fields: fields of the context (``agent``, ``run_id``, ``session_id``, ...).

        The block sets ``run.result``. It raises HookAborted, on entry or exit, when a policy
        denies the run or its output.
        """
        current = current_run()
        fields.setdefault("parent_run_id", current.run_id)
        inherited = {**fields, "run_id": fields.get("run_id")}
        filled = current.fill(inherited)
        filled["run_id"] = fields.get("run_id")
        filled["parent_run_id"] = fields["parent_run_id"]
        return RunBoundary(self._plans, {} if inputs is None else inputs, message, **filled)

    def turn(self, messages: list[Any] | None = None, **fields: Any) -> TurnBoundary:
        """Return a turn, for ``with`` or ``async with``; the block sets ``turn.opening``.

        Args:
            messages: the turn's messages.
            fields: fields of the context (``index``, ``agent``, ...).
        """
        return TurnBoundary(
            self._plans, [] if messages is None else messages, **current_run().fill(fields)
        )

    def step(self, step_input: Any = None, **fields: Any) -> StepBoundary:
        """Return a step, for ``with`` or ``async with``; the block sets ``step.output``.

        Args:
            step_input: the step's input.
            fields: fields of the context (``kind``, ``step_name``, ``agent``, ...).
        """
        return StepBoundary(self._plans, step_input, **current_run().fill(fields))

    # Messages, and points whose payload a host goes on with

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
        return context(payload=payload, **current_run().fill(fields))

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
        ctx = _message_context(message, fields)
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
        ctx = _message_context(message, fields)
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
        ctx = _message_context(message, fields)
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
        ctx = _message_context(message, fields)
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


def _refused_coroutine(result: Any) -> Any:
    """Return a result, which is no coroutine."""
    if type(result) not in _CERTAINLY_THERE and isawaitable(result):
        if iscoroutine(result):
            result.close()
        raise TypeError(
            "the function returned an awaitable to a host that does not await: "
            "call it through the boundary's async twin"
        )
    return result


def _checked_response(response: Any) -> Any:
    """Return a response, which is no iterator."""
    if type(response) is not str and type(response) is not dict:
        refuse_iterator(response)
    return response


def _check_model_call(fields: dict[str, Any], on_denied: str) -> None:
    """Refuse what the boundary with hooks would refuse, where there are no hooks to ask."""
    checked_on_denied(on_denied)
    if fields:
        ModelCallContext(**fields)


def _check_call(name: str | ToolCallContext, fields: dict[str, Any], on_denied: str) -> None:
    """Refuse what the boundary with hooks would refuse, where there are no hooks to ask."""
    checked_on_denied(on_denied)
    if fields and not isinstance(name, ToolCallContext):
        ToolCallContext(tool_name=name, payload=None, **fields)


def _message_context(message: Any, fields: dict[str, Any]) -> HookContext:
    if isinstance(message, HookContext):
        return message
    return MessageContext(payload=message, **current_run().fill(fields))


def _model_context(
    messages: list[Any] | ModelCallContext, fields: dict[str, Any]
) -> ModelCallContext:
    if isinstance(messages, ModelCallContext):
        return messages
    return ModelCallContext(messages=messages, **current_run().fill(fields))
