"""After any series of changes a dispatch meets just the hooks that are there, in order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hookcore import HookContext, HookDispatchedEvent, HookManager, ToolCallContext, hookimpl

POINT = "pre_tool_call"
TOOLS = ("read_file", "delete_file")
FILTERS = (None, ("read_*",), ("delete_file",))
Entry = tuple[str, int, tuple[str, ...] | None]
"""A plugin's name, its priority, and the tools that it is for."""


class Changes(RuleBasedStateMachine):
    """Plugins, scopes and listeners come and go; a list is all that the model needs."""

    def __init__(self) -> None:
        super().__init__()
        self.manager = HookManager()
        self.count = 0
        self.there: list[Entry] = []
        self.disabled: set[str] = set()
        self.scopes: list[tuple[AbstractContextManager[Any], Entry]] = []
        self.events: list[HookDispatchedEvent] = []
        self.unsubscribe: Callable[[], None] | None = None

    def _plugin(self, priority: int, tools: tuple[str, ...] | None) -> tuple[object, Entry]:
        self.count += 1
        name = f"p{self.count}"

        def pre_tool_call(ctx: HookContext) -> None:
            ctx.attributes["chain"].append(name)

        hook = hookimpl(priority=priority, tools=tools)(pre_tool_call)
        plugin = type(name, (), {POINT: staticmethod(hook)})()
        return plugin, (name, priority, tools)

    @rule(priority=st.sampled_from([50, 100]), tools=st.sampled_from(FILTERS))
    def register(self, priority: int, tools: tuple[str, ...] | None) -> None:
        plugin, entry = self._plugin(priority, tools)
        assert self.manager.register(plugin) == entry[0]
        self.there.append(entry)

    @precondition(lambda self: self.there)
    @rule(data=st.data())
    def unregister(self, data: st.DataObject) -> None:
        entry = data.draw(st.sampled_from(self.there))
        self.manager.unregister(entry[0])
        self.there.remove(entry)
        self.disabled.discard(entry[0])

    @precondition(lambda self: self.there)
    @rule(data=st.data())
    def disable(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(self.there))[0]
        self.manager.disable(name)
        self.disabled.add(name)

    @precondition(lambda self: self.disabled)
    @rule(data=st.data())
    def enable(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.disabled)))
        self.manager.enable(name)
        self.disabled.remove(name)

    @rule(priority=st.sampled_from([50, 100]), tools=st.sampled_from(FILTERS))
    def enter_scope(self, priority: int, tools: tuple[str, ...] | None) -> None:
        plugin, entry = self._plugin(priority, tools)
        scope = self.manager.scope(plugin)
        scope.__enter__()
        self.scopes.append((scope, entry))

    @precondition(lambda self: self.scopes)
    @rule()
    def leave_scope(self) -> None:
        scope, _ = self.scopes.pop()
        scope.__exit__(None, None, None)

    @rule()
    def clear(self) -> None:
        assert self.manager.clear() == len(self.there)
        self.there.clear()
        self.disabled.clear()

    @rule()
    def listen_or_not(self) -> None:
        if self.unsubscribe is None:
            self.unsubscribe = self.manager.subscribe(self.events.append)
        else:
            self.unsubscribe()
            self.unsubscribe = None

    @rule()
    def track_or_not(self) -> None:
        self.manager.tracks_mutations = not self.manager.tracks_mutations

    @invariant()
    def dispatches_meet_what_is_there(self) -> None:
        for tool in TOOLS:
            expected = self._expected(tool)
            for _ in range(2):
                self.events.clear()
                ctx = ToolCallContext(tool_name=tool, payload={}, attributes={"chain": []})
                self.manager.dispatch(POINT, ctx)
                assert ctx.attributes["chain"] == expected
                listening = self.unsubscribe is not None and bool(expected)
                told = [[record.plugin for record in event.records] for event in self.events]
                assert told == ([expected] if listening else [])

    def _expected(self, tool: str) -> list[str]:
        enabled = [entry for entry in self.there if entry[0] not in self.disabled]
        chain = sorted(enabled, key=lambda entry: entry[1])
        chain += [entry for _, entry in self.scopes]
        return [name for name, _, tools in chain if tools is None or tools[0][:4] == tool[:4]]

    def teardown(self) -> None:
        while self.scopes:
            self.leave_scope()


TestChanges = Changes.TestCase
TestChanges.settings = settings(stateful_step_count=30)
