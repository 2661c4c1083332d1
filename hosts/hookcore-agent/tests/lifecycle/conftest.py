"""An empty manager, an agent with a tool, and an extension that notes what it is called with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_agent import Agent, ScriptedModel, ToolCall
from hookcore_agent.lifecycle import Extension, PhaseTransitionEvent


@pytest.fixture
def manager() -> Iterator[HookManager]:
    """Return an empty manager, whose background loop ends with the test."""
    made = HookManager()
    yield made
    made.close()


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@pytest.fixture
def make_agent(manager: HookManager) -> Callable[..., Agent]:
    """Return a maker of agents: (*extensions, turns=a tool turn and an answer, **options)."""

    def make(*extensions: Any, turns: Any = None, **options: Any) -> Agent:
        if turns is None:
            turns = [[ToolCall("add", {"a": 1, "b": 2}, "c1")], "three"]
        options.setdefault("tools", [add])
        options.setdefault("model", ScriptedModel(turns))
        return Agent("adder", extensions=extensions, hooks=manager, **options)

    return make


class Journal(Extension):
    """Notes each method that is called, and raises where it is told to."""

    def __init__(
        self,
        log: list[str],
        name: str = "journal",
        priority: int = 100,
        fails: dict[str, BaseException] | None = None,
    ) -> None:
        super().__init__(name=name, priority=priority)
        self.log = log
        self.fails = fails or {}

    def note(self, what: str) -> None:
        self.log.append(what if self.name == "journal" else f"{self.name}.{what}")
        if what in self.fails:
            raise self.fails[what]

    async def on_tool(self, context: Any) -> None:
        self.note("on_tool")

    async def on_state(self, context: Any) -> None:
        self.note("on_state")

    async def on_message(self, context: Any) -> None:
        self.note("on_message")

    async def before_run(self, context: Any) -> None:
        self.note("before_run")

    async def after_run(self, context: Any, result: Any) -> None:
        self.note("after_run")

    async def on_success(self, context: Any, result: Any) -> None:
        self.note("on_success")

    async def on_error(self, context: Any, error: Exception) -> None:
        self.note("on_error")

    async def before_turn(self, context: Any) -> None:
        self.note("before_turn")

    async def after_turn(self, context: Any, message: Any) -> None:
        self.note("after_turn")

    async def before_model(self, context: Any, request: Any) -> None:
        self.note("before_model")

    async def after_model(self, context: Any, response: Any) -> None:
        self.note("after_model")

    async def before_tool(self, context: Any, call: Any) -> None:
        self.note("before_tool")

    async def after_tool(self, context: Any, call: Any, result: Any, error: Any) -> None:
        self.note("after_tool")

    async def on_event(self, context: Any, event: Any) -> None:
        if isinstance(event, PhaseTransitionEvent):
            self.note(str(event.target))
        else:
            self.note(type(event).__name__)


@pytest.fixture
def journal() -> type[Journal]:
    """Return the class of extensions that write a log: (log, name, priority, fails)."""
    return Journal
