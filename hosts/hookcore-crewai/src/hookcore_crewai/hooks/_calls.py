"""The contexts of model and tool calls, with CrewAI's constructors and attributes."""

from __future__ import annotations

from typing import Any

from hookcore_specs import ModelCallContext, ToolCallContext

from ._base import CrewContext
from ._points import AFTER_CALL_POINTS

__all__ = ["LLMCallHookContext", "ToolCallHookContext"]


class ToolCallHookContext(CrewContext, ToolCallContext):
    """A tool call.

    Args:
        tool_name: the tool's name; CrewAI gives it sanitised.
        tool_input: the arguments; edits and replacements both reach the tool.
        tool: the tool object.
        agent: who calls.
        task: the task at hand.
        crew: the crew at work.
        tool_result: the text that the agent will see, after the call.
        raw_tool_result: what the tool really returned, after the call.
    """

    __slots__ = ("_result", "crew", "quiet", "raw_tool_result", "task")

    status = duration_ms = None
    error: BaseException | None = None
    entered = False

    def __init__(  # noqa: PLR0917 - CrewAI's signature
        self,
        tool_name: str,
        tool_input: dict[str, Any],
        tool: Any,
        agent: Any = None,
        task: Any = None,
        crew: Any = None,
        tool_result: Any = None,
        raw_tool_result: Any = None,
    ) -> None:
        # Not super(): hookcore's constructor takes keywords, at three times the price.
        self.tool_name = tool_name
        self.payload = tool_input
        self.tool = tool
        self.agent = agent
        self.task = task
        self.crew = crew
        self.point = self.run_id = self.parent_run_id = self.session_id = self.call_id = None
        self.quiet = self._settled = False
        self._result = tool_result
        if tool_result is not None:
            self.arrive("post_tool_call")
        self.raw_tool_result = raw_tool_result

    def arrive(self, point: str) -> None:
        """Make the arguments the payload before the call, and the result after it."""
        after = point in AFTER_CALL_POINTS
        if after and not self._settled:
            self._input, self.payload = self.payload, self._result
        elif self._settled and not after:
            self._result, self.payload = self.payload, self._input
        self._settled = after

    @property
    def tool_input(self) -> Any:
        """The arguments."""
        return self._input if self._settled else self.payload

    @tool_input.setter
    def tool_input(self, value: Any) -> None:
        if self._settled:
            self._input = value
        else:
            self.payload = value

    @property
    def tool_result(self) -> Any:
        """The result; None before the call."""
        return self.payload if self._settled else self._result

    @tool_result.setter
    def tool_result(self, value: Any) -> None:
        if self._settled:
            self.payload = value
        else:
            self._result = value


class LLMCallHookContext(CrewContext, ModelCallContext):
    """A model call.

    Args:
        executor: the executor that calls, whose messages list is the payload; None for a direct
            call of a model.
        response: the model's answer, after the call.
        messages: the messages of a direct call.
        llm: the model object of a direct call.
        agent: who calls directly.
        task: the task at hand in a direct call.
        crew: the crew at work in a direct call.
    """

    status = error = provider = tools = usage = hold = None
    entered = False
    _live = False
    _model: str | None = None

    def __init__(  # noqa: PLR0917 - CrewAI's signature
        self,
        executor: Any = None,
        response: Any = None,
        messages: list[Any] | None = None,
        llm: Any = None,
        agent: Any = None,
        task: Any = None,
        crew: Any = None,
    ) -> None:
        self.point = self.run_id = self.parent_run_id = self.session_id = self.call_id = None
        self.quiet = False
        self._settled = response is not None
        self.executor = executor
        self._response = response
        if executor is None:
            # An empty list is the caller's own as well: what hooks add to it has to arrive.
            self._messages: Any = [] if messages is None else messages
            self.llm, self.iterations = llm, 0
            self.agent, self.task, self.crew = agent, task, crew
            return
        self._live = True
        self._messages = executor.messages
        self.llm, self.iterations = executor.llm, executor.iterations
        if hasattr(executor, "agent"):
            self.agent, self.task, self.crew = executor.agent, executor.task, executor.crew
        else:
            self.agent = getattr(executor, "original_agent", executor)

    def arrive(self, point: str) -> None:
        """Make the messages the payload before the call, and the response after it."""
        self._settled = point in AFTER_CALL_POINTS

    def _detach(self) -> None:
        if self._live:
            self._messages, self._live = self.executor.messages, False

    @property
    def payload(self) -> Any:
        """The messages before the call, the response after it."""
        return self._response if self._settled else self.messages

    @payload.setter
    def payload(self, value: Any) -> None:
        if self._settled:
            self._response = value
        else:
            self.messages = value

    @property
    def messages(self) -> Any:
        """The messages: the executor's own list, also when a hook gave the executor another."""
        return self.executor.messages if self._live else self._messages

    @messages.setter
    def messages(self, value: Any) -> None:
        if self._live and value is not self.executor.messages:
            self.executor.messages = value
        self._messages = value

    @property
    def response(self) -> Any:
        """The response; None before the call."""
        return self._response

    @response.setter
    def response(self, value: Any) -> None:
        self._response = value

    @property
    def model(self) -> str | None:
        """The model's name: what was assigned, or else what the model object tells."""
        name = self._model or getattr(self.llm, "model", None)
        return name if isinstance(name, str) else None

    @model.setter
    def model(self, value: str | None) -> None:
        self._model = value
