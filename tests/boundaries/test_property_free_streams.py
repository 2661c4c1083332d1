"""A stream that no hook can see comes to what it comes to under a hook that only hears of its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import ExitStack, nullcontext
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore import HookManager, TextChunk, ToolCallChunk, hookimpl

from .conftest import plugin_of

EVENTS: dict[str, Callable[[], Any]] = {
    "text": lambda: "text",
    "chunk": lambda: TextChunk("chunk"),
    "call": lambda: ToolCallChunk(0, "id", "tool", '{"a": '),
    "rest": lambda: ToolCallChunk(0, None, None, "1}"),
    "other": lambda: {"ping": 1},
}
ENTERS = st.sampled_from(["nothing", "nothing", "nothing", "scope", "run"])


class Case(NamedTuple):
    """A stream, what its model enters and leaves open, and where and how it is read."""

    events: list[str]
    enters: list[str]
    fails: bool
    started_in: str
    read_in: list[str]
    read: int


CASES = st.builds(
    Case,
    events=st.lists(st.sampled_from([*EVENTS, "text", "text"]), max_size=6),
    enters=st.lists(ENTERS, min_size=7, max_size=7),
    fails=st.booleans(),
    started_in=ENTERS,
    read_in=st.lists(ENTERS, min_size=7, max_size=7),
    read=st.integers(0, 8),
)


class Ends:
    """A hook that hears of the end of each model call."""

    @hookimpl
    def model_finished(self, ctx: Any) -> None:
        """Let it end."""


class Bench:
    """A manager, and what is seen where code of a stream runs."""

    def __init__(self, case: Case, *, heard: bool) -> None:
        self.case = case
        self.manager = HookManager()
        if heard:
            self.manager.register(Ends())
        self.seen: list[Any] = []
        self.judges: list[str] = []

    def place(self, what: str, name: str) -> Any:
        """Return a scope or a run to enter; a null one for nothing."""
        if what == "scope":
            return self.manager.scope(
                plugin_of("pre_tool_call", lambda ctx: self.judges.append(name))
            )
        return self.manager.run(run_id=name) if what == "run" else nullcontext()

    def look(self, where: str) -> None:
        """Note the run and the scopes that code runs in."""
        self.judges.clear()
        runs: list[Any] = []
        with self.manager.scope(plugin_of("pre_tool_call", lambda ctx: runs.append(ctx.run_id))):
            self.manager.call_tool("look", {}, lambda arguments: None)
        self.seen.append((where, *runs, *self.judges))

    def model(self, _messages: Any) -> Generator[Any, None, None]:
        """Yield the events, and enter what the case says before each."""
        case = self.case
        with ExitStack() as entered:
            try:
                for index, event in enumerate(case.events):
                    entered.enter_context(self.place(case.enters[index], f"model {index}"))
                    self.look(f"model {index}")
                    yield EVENTS[event]()
                if case.fails:
                    raise LookupError
            finally:
                self.look("model ends")

    async def amodel(self, messages: Any) -> AsyncGenerator[Any, None]:
        """Yield the same, waiting in between."""
        events = self.model(messages)
        try:
            for event in events:
                await asyncio.sleep(0)
                yield event
        finally:
            events.close()

    async def read(self, *, sync: bool) -> Any:
        """Read the stream as the case says; return all that was seen."""
        case, manager = self.case, self.manager
        with self.place(case.started_in, "start"):
            stream: Any = (
                manager.stream_model([], self.model)
                if sync
                else manager.astream_model([], self.amodel)
            )
        try:
            for index in range(case.read):
                with self.place(case.read_in[min(index, 6)], f"reader {index}"):
                    event = next(stream) if sync else await anext(stream)
                    self.seen.append(("event", event))
                    self.look(f"reader {index}")
        except (StopIteration, StopAsyncIteration):
            self.seen.append("over")
        except Exception as error:  # noqa: BLE001 - compared with the other way's
            self.seen.append((type(error), str(error)))
        if sync:
            stream.close()
        else:
            await stream.aclose()
        self.look("after")
        return self.seen


@given(case=CASES)
@settings(max_examples=40)
@pytest.mark.parametrize("sync", [True, False])
def test_streams_come_to_the_same_with_and_without_a_hook_that_hears_of_their_ends(
    case: Case, *, sync: bool
) -> None:
    free = asyncio.run(Bench(case, heard=False).read(sync=sync))
    assert free == asyncio.run(Bench(case, heard=True).read(sync=sync))
