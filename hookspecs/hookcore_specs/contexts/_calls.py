"""The contexts of model calls and tool calls, whose payload changes meaning at the call."""

from __future__ import annotations

from typing import Any, ClassVar

from ._boundaries import EndingContext

__all__ = ["ModelCallContext", "ToolCallContext"]

_UNSET: Any = object()


class _CallContext(EndingContext):
    """A call: the payload is its input before the body has run, its result after it."""

    __slots__ = ("_input", "_settled")

    def __init__(
        self, *, call_input: Any, call_result: Any, payload: Any = _UNSET, **common: Any
    ) -> None:
        self._settled = call_result is not _UNSET
        self._input: Any = None if call_input is _UNSET else call_input
        if payload is _UNSET:
            payload = call_result if self._settled else self._input
        super().__init__(payload=payload, **common)

    def settle(self, result: Any) -> None:
        """Turn the context from before the call to after it; for hosts, between the two dispatches.

        Args:
            result: the call's result, which is the payload from now on.
        """
        if not self._is_after():
            self._input = self.payload
        self._settled = True
        self.payload = result

    def _is_after(self) -> bool:
        return self._settled or self.point in self.settled_points

    def _get_input(self) -> Any:
        return self._input if self._is_after() else self.payload

    def _set_input(self, value: Any) -> None:
        if self._is_after():
            self._input = value
        else:
            self.payload = value

    def _get_result(self) -> Any:
        return self.payload if self._is_after() else None

    def _set_result(self, name: str, value: Any) -> None:
        if not self._is_after():
            raise AttributeError(f"there is no {name} to replace before the call: at {self.point}")
        self.payload = value


class ModelCallContext(_CallContext):
    """A model call.

    Args:
        messages: the host's own message list, the payload before the call.
        response: the model's response, the payload after the call.
        model: the model's name.
        provider: the provider's name.
        tools: the tools that the model is offered.
        iterations: how many model calls this run made before.
        llm: the host's model object.
        executor: the host's executor object.
        usage: token counts, from the response on; as the model's API gives them.
        streamed: whether the response comes as a stream.
        hold: for a hook with ``stream="window"`` to set: how many characters at the end of the
            text to hold back until more has come; its ``window`` when it leaves it alone.
        common: what every context takes, and ``status``, ``error``, ``entered``.
    """

    __slots__ = (
        "executor",
        "hold",
        "iterations",
        "llm",
        "model",
        "provider",
        "streamed",
        "tools",
        "usage",
    )

    settled_points: ClassVar[set[str]] = set()

    def __init__(
        self,
        *,
        messages: Any = _UNSET,
        response: Any = _UNSET,
        model: str | None = None,
        provider: str | None = None,
        tools: Any = None,
        iterations: int = 0,
        llm: Any = None,
        executor: Any = None,
        usage: Any = None,
        streamed: bool = False,
        hold: int | None = None,
        **common: Any,
    ) -> None:
        super().__init__(call_input=messages, call_result=response, **common)
        self.model = model
        self.provider = provider
        self.tools: Any = tools
        self.iterations = iterations
        self.llm: Any = llm
        self.executor: Any = executor
        self.usage: Any = usage
        self.streamed = streamed
        self.hold = hold

    def _texts_stand_at(self) -> dict[str, Any]:
        return {"role": "assistant"} if self._is_after() else {}

    @property
    def messages(self) -> Any:
        """The messages: the payload before the call, and still readable after it."""
        return self._get_input()

    @messages.setter
    def messages(self, value: Any) -> None:
        self._set_input(value)

    @property
    def response(self) -> Any:
        """The response: None before the call, the payload after it."""
        return self._get_result()

    @response.setter
    def response(self, value: Any) -> None:
        self._set_result("response", value)


def _plain_name(name: Any) -> Any:
    """Return a name as all read it: a member of an enumeration is known by what it holds."""
    return str.__str__(name) if isinstance(name, str) else name


class ToolCallContext(_CallContext):
    """A tool call.

    Args:
        tool_name: the tool's name as the model wrote it.
        tool_input: the arguments, a dict; the payload before the call.
        tool_result: the result, the payload after the call.
        tool: the host's tool object.
        duration_ms: how long the body took, in milliseconds, after the call.
        common: what every context takes, and ``status``, ``error``, ``entered``.
    """

    __slots__ = ("duration_ms", "tool", "tool_name")

    settled_points: ClassVar[set[str]] = set()

    def __init__(
        self,
        *,
        tool_name: str | None = None,
        tool_input: Any = _UNSET,
        tool_result: Any = _UNSET,
        tool: Any = None,
        duration_ms: float | None = None,
        **common: Any,
    ) -> None:
        super().__init__(call_input=tool_input, call_result=tool_result, **common)
        self.tool_name = tool_name if type(tool_name) is str else _plain_name(tool_name)
        self.tool: Any = tool
        self.duration_ms = duration_ms

    def _texts_stand_at(self) -> dict[str, Any]:
        if self._is_after():
            return {"role": "tool", "tool": self.tool_name}
        return {"role": "assistant", "kind": "arguments", "tool": self.tool_name}

    @property
    def tool_input(self) -> Any:
        """The arguments: the payload before the call, and still readable after it."""
        return self._get_input()

    @tool_input.setter
    def tool_input(self, value: Any) -> None:
        self._set_input(value)

    @property
    def tool_result(self) -> Any:
        """The result: None before the call, the payload after it."""
        return self._get_result()

    @tool_result.setter
    def tool_result(self, value: Any) -> None:
        self._set_result("tool_result", value)
