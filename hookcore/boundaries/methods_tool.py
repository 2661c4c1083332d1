"""The methods that run a tool call through its points."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isawaitable
from typing import Any, TypeVar, overload

from hookcore_specs import ToolCallContext

from ..dispatch.current import current_run
from ..dispatch.plans import Plans
from ..waiting.requests import Steps, adrive
from .boundary import OnDenied, checked_on_denied
from .failed import BodyFailed, gone_on
from .fields import explained
from .governed import governed
from .iterators import refuse_coroutine
from .tool import ToolBoundary

__all__ = ["ToolMethods"]

_F = TypeVar("_F", bound=Callable[..., Any])


class ToolMethods:
    """Tool calls."""

    _plans: Plans
    _tools_are_idle: bool
    """True while no hook, not even a scoped one, can see a tool call."""

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
                _check_call("call_tool", name, fields, on_denied)
            try:
                return refuse_coroutine(call(arguments))
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
                _check_call("acall_tool", name, fields, on_denied)
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
            try:
                filled = current_run().fill(fields)
                ctx = ToolCallContext(tool_name=name, payload=arguments, **filled)
            except TypeError as error:
                boundary = "acall_tool" if options["asynchronous"] else "call_tool"
                raise explained(error, boundary, ToolCallContext, fields) from None
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


def _check_call(
    boundary: str, name: str | ToolCallContext, fields: dict[str, Any], on_denied: str
) -> None:
    """Refuse what the boundary with hooks would refuse, where there are no hooks to ask."""
    checked_on_denied(on_denied)
    if fields and not isinstance(name, ToolCallContext):
        try:
            ToolCallContext(tool_name=name, payload=None, **fields)
        except TypeError as error:
            raise explained(error, boundary, ToolCallContext, fields) from None
