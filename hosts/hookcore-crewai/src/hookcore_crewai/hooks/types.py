"""The shapes of hook functions, for annotations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from ._calls import LLMCallHookContext, ToolCallHookContext

__all__ = [
    "AfterLLMCallHook",
    "AfterLLMCallHookCallable",
    "AfterLLMCallHookType",
    "AfterToolCallHook",
    "AfterToolCallHookCallable",
    "AfterToolCallHookType",
    "BeforeLLMCallHook",
    "BeforeLLMCallHookCallable",
    "BeforeLLMCallHookType",
    "BeforeToolCallHook",
    "BeforeToolCallHookCallable",
    "BeforeToolCallHookType",
    "ContextT",
    "Hook",
    "ReturnT",
]

ContextT = TypeVar("ContextT", contravariant=True)  # noqa: PLC0105 - CrewAI's name
ReturnT = TypeVar("ReturnT", covariant=True)  # noqa: PLC0105 - CrewAI's name


@runtime_checkable
class Hook(Protocol, Generic[ContextT, ReturnT]):
    """Anything that can be called with a context."""

    def __call__(self, context: ContextT) -> ReturnT:
        """Be told of the operation and say what becomes of it."""
        ...


class BeforeLLMCallHook(Hook["LLMCallHookContext", "bool | None"], Protocol):
    """Stands before a model call; False blocks it."""

    def __call__(self, context: LLMCallHookContext) -> bool | None:
        """Return False to block the call."""
        ...


class AfterLLMCallHook(Hook["LLMCallHookContext", "str | None"], Protocol):
    """Stands after a model call; a text replaces the response."""

    def __call__(self, context: LLMCallHookContext) -> str | None:
        """Return a text to replace the response."""
        ...


class BeforeToolCallHook(Hook["ToolCallHookContext", "bool | None"], Protocol):
    """Stands before a tool call; False blocks it."""

    def __call__(self, context: ToolCallHookContext) -> bool | None:
        """Return False to block the call."""
        ...


class AfterToolCallHook(Hook["ToolCallHookContext", "str | None"], Protocol):
    """Stands after a tool call; a text replaces the result."""

    def __call__(self, context: ToolCallHookContext) -> str | None:
        """Return a text to replace the result."""
        ...


BeforeLLMCallHookType = Hook["LLMCallHookContext", "bool | None"]
AfterLLMCallHookType = Hook["LLMCallHookContext", "str | None"]
BeforeToolCallHookType = Hook["ToolCallHookContext", "bool | None"]
AfterToolCallHookType = Hook["ToolCallHookContext", "str | None"]

BeforeLLMCallHookCallable = Callable[["LLMCallHookContext"], "bool | None"]
AfterLLMCallHookCallable = Callable[["LLMCallHookContext"], "str | None"]
BeforeToolCallHookCallable = Callable[["ToolCallHookContext"], "bool | None"]
AfterToolCallHookCallable = Callable[["ToolCallHookContext"], "str | None"]
