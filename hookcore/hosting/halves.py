"""A call whose beginning and end come in two callbacks, as one boundary with one end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hookcore_specs import ModelCallContext, ToolCallContext

from ..boundaries.failed import BodyFailed, gone_on
from ..boundaries.fields import explained
from ..dispatch.carrying import UNSET
from ..dispatch.services import Services
from ..errors import HookcoreError
from ..manager import HookManager

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Answered", "SplitCalls", "UnknownCallError"]


class UnknownCallError(HookcoreError, LookupError):
    """No call with this id is open: it never began, was denied, or has ended already."""


class Answered(Exception):  # noqa: N818 - it says what happened, and is no error
    """A wrap has answered in the place of a call: do not run it, and go on with ``value``."""

    def __init__(self, value: Any) -> None:
        super().__init__("a wrap has answered in the place of the call")
        self.value = value


class SplitCalls:
    """Calls in two halves, for runtimes that tell of a call's beginning and end by callbacks.

    All methods belong on one event loop. Each call that was begun ends exactly once: by
    :meth:`end`, by :meth:`abandon`, or when all are closed. As ``async with SplitCalls(manager)``
    it closes those that are left.

    Args:
        manager: the hooks.
    """

    def __init__(self, manager: HookManager) -> None:
        self._manager = manager
        self._open: dict[str, _Split | _Unheard] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def open(self) -> tuple[str, ...]:
        """The ids of the calls that were begun and have not ended."""
        return tuple(self._open)

    async def begin(self, name: str, arguments: Any, *, call_id: str, **fields: Any) -> Any:
        """Dispatch what comes before a tool call; return the arguments that it is to have.

        Args:
            name: the tool's name.
            arguments: the arguments, a mapping or a JSON text.
            call_id: the call's id, by which :meth:`end` finds it.
            fields: fields of the context (``agent``, ``session_id``, ``tool``, ...).

        Raises:
            HookAborted: a policy denied the call; it has ended.
            Answered: a wrap answered in its place; it has ended.
            ValueError: a call with this id is open.
        """
        manager = self._manager
        if type(arguments) is dict and manager.parts.plans.tools_are_idle:
            self._refuse_open(call_id)
            try:
                ToolCallContext(tool_name=name, payload=None, call_id=call_id, **fields)
            except TypeError as error:
                raise explained(error, "begin", ToolCallContext, fields) from None
            self._open[call_id] = _Unheard(manager.parts.services)
            return arguments

        async def run(body: Callable[[Any], Awaitable[Any]]) -> Any:
            return await manager.acall_tool(name, arguments, body, call_id=call_id, **fields)

        return await self._begin(call_id, run)

    async def begin_run(
        self,
        inputs: dict[str, Any] | None = None,
        *,
        run_id: str,
        message: Any = None,
        **fields: Any,
    ) -> Any:
        """Dispatch what comes before a run; return the message that it is to have.

        Nothing is inside the run by itself: name it in the fields of what belongs to it.

        Args:
            inputs: the inputs dict.
            run_id: the run's id, by which :meth:`end` finds it.
            message: the input message; or a function of the inputs that gives it.
            fields: fields of the context (``agent``, ``session_id``, ...).

        Raises:
            HookAborted: a policy denied the run; it has ended.
            ValueError: a run or a call with this id is open.
        """

        async def run(body: Callable[[Any], Awaitable[Any]]) -> Any:
            boundary = self._manager.run(inputs, message=message, run_id=run_id, **fields)
            async with boundary:
                boundary.result = await body(boundary.message)
            return boundary.result

        return await self._begin(run_id, run)

    async def begin_model(
        self, messages: list[Any] | ModelCallContext, *, call_id: str, **fields: Any
    ) -> Any:
        """Dispatch what comes before a model call; return the messages that it is to have.

        Args:
            messages: the host's own list; or a context, which has it and all else.
            call_id: the call's id, by which :meth:`end` finds it.
            fields: fields of the context (``model``, ``tools``, ``agent``, ...).

        Raises:
            HookAborted: a policy denied the call; it has ended.
            Answered: a wrap answered in its place; it has ended.
            ValueError: a call with this id is open.
        """
        acall = self._manager.acall_model

        async def run(body: Callable[[Any], Awaitable[Any]]) -> Any:
            if isinstance(messages, ModelCallContext):
                messages.call_id = call_id
                return await acall(messages, body)
            return await acall(messages, body, call_id=call_id, **fields)

        return await self._begin(call_id, run)

    async def begin_step(self, step_input: Any, *, call_id: str, **fields: Any) -> Any:
        """Dispatch what comes before a step; return the input that it is to have.

        Args:
            step_input: the step's input.
            call_id: the id by which :meth:`end` finds the step.
            fields: fields of the context (``kind``, ``step_name``, ``agent``, ...).

        Raises:
            HookAborted: a policy denied the step; it has ended.
            ValueError: a call with this id is open.
        """

        async def run(body: Callable[[Any], Awaitable[Any]]) -> Any:
            async with self._manager.step(step_input, call_id=call_id, **fields) as step:
                step.output = await body(step.input)
            return step.output

        return await self._begin(call_id, run)

    async def end(self, call_id: str, value: Any = UNSET, *, error: Exception | None = None) -> Any:
        """Dispatch what comes after a call; return what the host goes on with.

        Args:
            call_id: the call's id.
            value: the result or the response; beside an error, what the host goes on with unless a
                hook says otherwise.
            error: what the call failed with.

        Raises:
            HookAborted: a policy withholds the result.
            Exception: the error, when it came without a value and no hook put one in its place.
            UnknownCallError: no such call is open.
        """
        split = self._taken(call_id)
        if error is None:
            return await split.end(None if value is UNSET else value)
        return await split.fail(error if value is UNSET else BodyFailed(value, error))

    async def abandon(self, call_id: str) -> None:
        """End a call whose end nobody told: its status is "cancelled".

        Raises:
            UnknownCallError: no such call is open.
        """
        await self._taken(call_id).abandon()

    async def close(self) -> None:
        """Abandon all calls that are open."""
        problem: Exception | None = None
        while self._open:
            try:
                await self.abandon(next(iter(self._open)))
            except Exception as error:  # noqa: BLE001 - raised when all have ended
                problem = problem or error
        if problem is not None:
            raise problem

    async def _begin(
        self, call_id: str, run: Callable[[Callable[[Any], Awaitable[Any]]], Awaitable[Any]]
    ) -> Any:
        self._refuse_open(call_id)
        split = self._open[call_id] = _Split(run)
        begun = False
        try:
            value = await split.begin()
            begun = True
        finally:
            if not begun:
                self._open.pop(call_id, None)
        return value

    def _refuse_open(self, call_id: str) -> None:
        if call_id in self._open:
            raise ValueError(f"a call with the id {call_id!r} is open: end or abandon it first")

    def _taken(self, call_id: str) -> _Split | _Unheard:
        split = self._open.pop(call_id, None)
        if split is None:
            raise UnknownCallError(
                f"no call with the id {call_id!r} is open: it never began, was denied, or has "
                "ended already"
            )
        return split


class _Unheard:
    """One call that no hook can see."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def end(self, value: Any) -> Any:
        return value

    async def fail(self, error: Exception) -> Any:
        if isinstance(error, BodyFailed):
            return gone_on(error, self._services)
        raise error

    async def abandon(self) -> None:
        """Let go of it."""


class _Split:
    """One call, in a task of its own that waits for the second half."""

    def __init__(self, run: Callable[[Callable[[Any], Awaitable[Any]]], Awaitable[Any]]) -> None:
        loop = asyncio.get_running_loop()
        #: Done as soon as the body is entered, or the task has ended without it.
        self._reached: asyncio.Future[None] = loop.create_future()
        self._is_entered = False
        self._payload: Any = None
        self._result: asyncio.Future[Any] = loop.create_future()
        self._task = asyncio.ensure_future(run(self._body))
        self._task.add_done_callback(self._reach)

    async def _body(self, payload: Any) -> Any:
        if self._is_entered:
            raise RuntimeError("a call in two halves runs once: no wrap can call it again")
        self._is_entered, self._payload = True, payload
        self._reach(self._task)
        return await self._result

    def _reach(self, _: object) -> None:
        if not self._reached.done():
            self._reached.set_result(None)

    async def begin(self) -> Any:
        try:
            await self._reached
        except BaseException:
            await self.abandon()
            raise
        if not self._task.done():
            return self._payload
        raise Answered(self._task.result())

    async def end(self, value: Any) -> Any:
        # A wrap may have given the call up meanwhile; then its answer stands.
        if not self._result.done():
            self._result.set_result(value)
        return await self._task

    async def fail(self, error: Exception) -> Any:
        if not self._result.done():
            self._result.set_exception(error)
        return await self._task

    async def abandon(self) -> None:
        self._task.cancel()
        await asyncio.wait({self._task})
        if not self._task.cancelled():
            self._task.result()  # a hook's failure that has to reach the host
