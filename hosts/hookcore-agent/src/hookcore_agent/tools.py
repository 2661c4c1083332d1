"""Tools: functions whose arguments are validated from their signatures, and hosted ones."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, overload

from hookcore.hosting import with_defaults

from .errors import AgentProtocolError, ToolArgumentsError
from .gathering import gathered

__all__ = ["RequestView", "ServerTool", "Tool", "ToolResult", "current_tool_call_id", "tool"]

CALL_ID: contextvars.ContextVar[str | None] = contextvars.ContextVar(
    "hookcore_agent_tool_call_id", default=None
)


class RequestView:
    """A request in progress, as a tool sees it: see :class:`RequestContext`, the only kind."""


def current_tool_call_id() -> str | None:
    """Return the id of the tool call that the calling code serves; None outside any."""
    return CALL_ID.get()


@dataclass
class ToolResult:
    """The result of a tool call, as extensions around it see it; tools may return one too."""

    content: Any


@dataclass(frozen=True)
class ServerTool:
    """A tool that the model's provider runs itself: no hook of a tool call ever sees it.

    Args:
        type: the provider's word for it, e.g. ``"web_search"``.
        options: what else the provider is told.
    """

    type: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The type, under which it stands among the tools."""
        return self.type


class Tool:
    """A function that a model may call.

    Args:
        function: plain or async. Plain ones run in a worker thread. What a generator yields, of
            either kind, is joined. A parameter annotated with ``RequestContext`` is given the
            request and is no argument for the model.
        name: the function's own when None.
        description: the first paragraph of the function's docstring when None.
        parallel: whether it may run at the same time as other calls of the same answer.

    Raises:
        AgentProtocolError: the signature cannot be offered to a model.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        parallel: bool = True,
    ) -> None:
        self.function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.description = _described(function) if description is None else description
        self.parallel = parallel
        #: The agent behind a tool that is one.
        self.agent: Any = None
        self._signature = _Signature(function, self.name)

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        schema: dict[str, Any] = self._signature.model.model_json_schema()
        return schema

    @functools.cached_property
    def _defaults(self) -> dict[str, Any]:
        return with_defaults({}, self.parameters)

    def with_defaults(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments with the plain defaults of those that are left out.

        Args:
            arguments: the arguments; they stay as they are.
        """
        missing = self._defaults.keys() - arguments.keys()
        return (
            {**arguments, **{name: self._defaults[name] for name in missing}}
            if missing
            else arguments
        )

    def validated(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments as the function's annotations want them.

        Raises:
            ToolArgumentsError: they do not fit; the text names each argument, and no value.
        """
        from pydantic import ValidationError

        model = self._signature.model
        try:
            made = model.model_validate(dict(arguments))
        except ValidationError as error:
            problems = "; ".join(
                f"{'.'.join(map(str, item['loc'])) or 'arguments'}: {item['msg']}"
                for item in error.errors(include_url=False, include_input=False)
            )
            raise ToolArgumentsError(
                f"the arguments of {self.name} do not fit: {problems}"
            ) from None
        extra = made.model_extra or {}
        fields = self._signature.fields
        given = made.model_fields_set & fields.keys()  # no attribute that a model names itself
        values = {fields[name]: getattr(made, name) for name in given}
        return {**values, **extra}

    async def invoke(self, arguments: Mapping[str, Any], context: RequestView | None) -> Any:
        """Run the tool and return its result, unwrapped.

        Args:
            arguments: what the model wrote, as the hooks left it.
            context: the request.

        Raises:
            ToolArgumentsError: the arguments do not fit.
            Exception: whatever the function raises.
        """
        values = self.validated(arguments)
        if self._signature.context is not None:
            values[self._signature.context] = context
        if inspect.iscoroutinefunction(self.function):
            result = await self.function(**values)
        else:
            result = await asyncio.to_thread(_called, self.function, values)
        while inspect.isawaitable(result):
            result = await result
        result = result.content if isinstance(result, ToolResult) else result
        return await gathered(result)

    def __deepcopy__(self, _memo: dict[int, Any]) -> Tool:
        return self

    def __repr__(self) -> str:
        return f"<Tool {self.name}>"


def _called(function: Callable[..., Any], values: dict[str, Any]) -> Any:
    try:
        return function(**values)
    except StopIteration as error:
        # No asyncio future can carry it: whoever awaits the thread would wait for ever.
        raise RuntimeError("the tool raised StopIteration") from error


class _Signature:
    """A function's signature as it is used: a pydantic model, and where the request goes."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        from pydantic import ConfigDict, Field, create_model

        self.context: str | None = None
        #: The parameters by the names of the model's fields, which may not begin with ``_``.
        self.fields: dict[str, str] = {}
        hints = _hints(function, name)
        extra = "forbid"
        made: dict[str, Any] = {}
        for index, parameter in enumerate(inspect.signature(function).parameters.values()):
            annotation = hints.get(parameter.name, Any)
            if _is_context(annotation):
                self.context = parameter.name
            elif parameter.kind is parameter.VAR_KEYWORD:
                extra = "allow"
            elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
                raise AgentProtocolError(
                    f"tool {name}: a model names its arguments, so the parameter "
                    f"{parameter} cannot be given; make it a keyword parameter"
                )
            else:
                default = ... if parameter.default is parameter.empty else parameter.default
                key = f"argument_{index}"
                self.fields[key] = parameter.name
                made[key] = (annotation, Field(default, alias=parameter.name))
        config = ConfigDict(extra=extra, arbitrary_types_allowed=True, title=name)  # type: ignore[typeddict-item]
        self.model = create_model(f"{name}_arguments", __config__=config, **made)


def _hints(function: Callable[..., Any], name: str) -> dict[str, Any]:
    from typing import get_type_hints

    while isinstance(function, functools.partial):
        function = function.func
    target = function if inspect.isroutine(function) else type(function).__call__
    # Authors import the request's class for type checkers only, as linters want it.
    namespace = {
        "RequestContext": RequestView,
        **getattr(inspect.unwrap(target), "__globals__", {}),
    }
    try:
        return get_type_hints(target, globalns=namespace, include_extras=True)
    except NameError as error:
        raise AgentProtocolError(
            f"tool {name}: its annotations cannot be read ({error}); import what they name at "
            "the top of the module, not for type checkers only"
        ) from error


def _is_context(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, RequestView)


def _described(function: Callable[..., Any]) -> str:
    text = inspect.getdoc(function) if inspect.isroutine(function) else None
    return " ".join((text or "").partition("\n\n")[0].split())


@overload
def tool(function: Callable[..., Any]) -> Tool: ...


@overload
def tool(
    function: None = None,
    *,
    name: str | None = None,
    description: str | None = None,
    parallel: bool = True,
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Make a function a :class:`Tool`; with keywords only, return the decorator that does.

    Args:
        function: the function.
        options: ``name``, ``description`` and ``parallel``, as the class takes them.
    """
    if function is not None:
        return Tool(function)
    return lambda target: Tool(target, **options)
