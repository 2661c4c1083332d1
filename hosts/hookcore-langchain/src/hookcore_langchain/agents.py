"""Agents and graphs whose runs are runs of a manager's."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Any

from langchain import agents
from langgraph.prebuilt import ToolNode

from hookcore import HookManager, get_manager
from hookcore.hosting import arun_stream, denials_outside, run_stream, stoppable

from .middleware import Hookcore, StoppedError

__all__ = ["create_agent", "govern", "governed_agent", "tool_node"]


def create_agent(
    model: Any,
    tools: Any = None,
    *,
    middleware: Sequence[Any] = (),
    manager: HookManager | None = None,
    **options: Any,
) -> Any:
    """Return an agent as ``langchain.agents.create_agent`` does, governed.

    Args:
        model: the model.
        tools: the tools.
        middleware: the program's own middleware, which stands around the governed calls; a
            :class:`Hookcore` of its own may be among it.
        manager: the hooks; the process-wide manager when None.
        options: the other options of LangChain's function.
    """
    # A process that is governed as a whole has another function in the place of LangChain's.
    original = getattr(agents.create_agent, "__wrapped__", agents.create_agent)
    return governed_agent(original, model, tools, middleware=middleware, manager=manager, **options)


def governed_agent(
    original: Callable[..., Any],
    model: Any,
    tools: Any,
    *,
    middleware: Sequence[Any] = (),
    manager: HookManager | None = None,
    **options: Any,
) -> Any:
    """Return an agent that LangChain's own function makes, governed.

    Args:
        original: the function that makes agents.
        model: the model.
        tools: the tools.
        middleware: the program's own middleware.
        manager: the hooks; the process-wide manager when None.
        options: the other options of LangChain's function.
    """
    hooks = get_manager() if manager is None else manager
    own = any(isinstance(item, Hookcore) for item in middleware)
    inside = [*middleware] if own else [*middleware, Hookcore(hooks)]
    return govern(original(model, tools, middleware=inside, **options), hooks)


def tool_node(tools: Any, *, manager: HookManager | None = None, **options: Any) -> Any:
    """Return a ``ToolNode`` whose tools are governed.

    Args:
        tools: the tools.
        manager: the hooks; the process-wide manager when None.
        options: the other options of LangGraph's class.
    """
    hooks = Hookcore(manager)
    wrapped = {"wrap_tool_call": hooks.wrap_tool_call, "awrap_tool_call": hooks.awrap_tool_call}
    return ToolNode(tools, **wrapped, **options)


def govern(graph: Any, manager: HookManager | None = None) -> Any:
    """Return a graph like another, each of whose runs is a run of a manager's.

    What its nodes do is governed where they have governed models and tools.

    Args:
        graph: the compiled graph, which stays as it is.
        manager: the hooks; the process-wide manager when None.
    """
    hooks = get_manager() if manager is None else manager
    kind = type(graph)

    class Governed(kind):  # type: ignore[misc, valid-type]
        """A graph whose runs, however they are started, come down to these two."""

        def stream(self, input: Any, config: Any = None, **options: Any) -> Iterator[Any]:  # noqa: A002 - LangGraph's name
            run = _Run(self, input, config, options)

            def items(boundary: Any) -> Iterator[Any]:
                with stoppable(boundary) as stopped:
                    for item in kind.stream(self, boundary.message, config, **options):
                        run.note(item, boundary)
                        yield item
                        if stopped:
                            return

            with _outside():
                yield from run_stream(hooks, items, **run.arguments)

        async def astream(
            self,
            input: Any,  # noqa: A002 - LangGraph's name
            config: Any = None,
            **options: Any,
        ) -> AsyncIterator[Any]:
            run = _Run(self, input, config, options)

            async def items(boundary: Any) -> AsyncIterator[Any]:
                source = kind.astream(self, boundary.message, config, **options)
                with stoppable(boundary) as stopped:
                    async with aclosing(source):
                        async for item in source:
                            run.note(item, boundary)
                            yield item
                            if stopped:
                                return

            with _outside():
                async with aclosing(arun_stream(hooks, items, **run.arguments)) as source:
                    async for item in source:
                        yield item

    Governed.__name__, Governed.__qualname__ = kind.__name__, kind.__qualname__
    twin = copy.copy(graph)
    twin.__class__ = Governed
    return twin


@contextmanager
def _outside() -> Iterator[None]:
    """Let denials leave with their message, and failures of policies as they are."""
    with denials_outside():
        try:
            yield
        except StoppedError as stopped:
            raise (stopped.__cause__ or stopped) from None


class _Run:
    """One run of a graph: what the manager is told, and which items tell the graph's state."""

    def __init__(self, graph: Any, given: Any, config: Any, options: dict[str, Any]) -> None:
        mode = options.get("stream_mode")
        self._whole = (graph.stream_mode if mode is None else mode) == "values"
        self._has_place = bool(options.get("subgraphs"))
        self._is_dict = options.get("version") == "v2"
        self._rewrite: Callable[[Any], Any] | None = None
        inputs = given if isinstance(given, dict) else {"input": given}
        self.arguments: dict[str, Any] = {
            "inputs": inputs,
            "message": lambda now: now if isinstance(given, dict) else now["input"],
            "agent": graph.name,
            "events": self._events,
        }
        thread = ((config or {}).get("configurable") or {}).get("thread_id")
        if thread is not None:
            self.arguments["session_id"] = str(thread)

    def note(self, item: Any, boundary: Any) -> None:
        """Take the state that an item tells for the run's result."""
        found = self._state(item)
        if found is not None:
            boundary.result, self._rewrite = found

    def _state(self, item: Any) -> tuple[Any, Callable[[Any], Any]] | None:
        """Return the state that an item tells, and how to tell another."""
        if self._is_dict:
            if item.get("type") != "values" or item.get("ns"):
                return None
            return item["data"], lambda state: {**item, "data": state}
        if self._whole and not self._has_place:
            return item, lambda state: state
        if not isinstance(item, tuple) or (self._has_place and item[0]):
            return None
        if self._whole or item[-2] == "values":
            return item[-1], lambda state: (*item[:-1], state)
        return None

    def _events(self, result: Any, items: list[Any]) -> list[Any]:
        """Return what is told in the place of a result that policies changed: it, and no pieces."""
        if self._rewrite is None:
            return result if isinstance(result, list) else [result]
        return [*filter(_interrupts, items), self._rewrite(result)]


def _interrupts(item: Any) -> bool:
    """Return whether an item tells that the graph waits for somebody."""
    told = item[-1] if isinstance(item, tuple) else item
    return isinstance(told, dict) and set(told) == {"__interrupt__"}
