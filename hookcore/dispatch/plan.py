"""The execution plan of a point: which hooks run, in which order, for which tool and agent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

from hookcore_specs import HookContext, Kind

from ..hooks.hook import Hook
from ..hooks.points import PointSpec
from ..naming.names import TOOL_ALIASES, agent_names_of, tool_aliases, tool_forms
from .unfinished import ALL, Loop, Unfinished, leave

__all__ = ["Chain", "Plan"]

_COMPILED = frozenset({Kind.INTERCEPT, Kind.OBSERVE})
_CACHE_LIMIT = 4096
_LONGEST_CACHED_NAME = 256
_LATE = frozenset(
    {
        "_by_agent",
        "_by_tool",
        "_cache",
        "_partial",
        "_regated",
        "async_loop",
        "chain",
        "has_async",
        "hooks",
    }
)


def _where_nobody_awaits(loop: Loop) -> Loop:
    """Return a loop that leaves all to the engine, with its threads, where an event loop runs."""
    modules = sys.modules

    def run(ctx: HookContext) -> Unfinished | None:
        events = modules.get("asyncio.events")  # who has not imported it runs no event loop
        if events is not None and events._get_running_loop() is not None:
            return ALL
        return loop(ctx)

    return run


class Chain:
    """The hooks that run for one tool and agent, in order, the gates apart; never empty."""

    __slots__ = (
        "async_loop",
        "gates",
        "hooks",
        "is_all_async",
        "is_awaitable",
        "is_simple",
        "is_whole",
        "is_yielding",
        "loop",
        "simple",
    )

    def __init__(self, hooks: tuple[Hook, ...]) -> None:
        self.hooks = tuple(hook for hook in hooks if not hook.gate)
        self.gates = tuple(hook for hook in hooks if hook.gate)
        simple = all(hook.is_looped for hook in self.gates) and all(
            hook.is_looped and hook.spec.kind in _COMPILED and not hook.spec.options.ends_run
            for hook in self.hooks
        )
        #: Whether all are plain functions, which a compiled loop can run.
        self.is_simple = simple
        #: The calls of a simple chain, each with its hook.
        self.simple: tuple[tuple[Callable[..., Any], Hook], ...] = (
            tuple((hook.call, hook) for hook in self.hooks) if simple else ()
        )

        #: Whether an async host may run it with its own compiled loop.
        self.is_awaitable = not simple and all(
            hook.awaited_as_it_is
            and hook.spec.kind is Kind.INTERCEPT
            and not hook.spec.options.ends_run
            for hook in hooks
        )
        #: Whether all hooks of a wrap point are plain generators, and none only watches.
        self.is_yielding = all(hook.form == "yield" and not hook.monitor for hook in self.hooks)
        #: Whether none of a wrap point's hooks is a stream, and none only watches.
        self.is_whole = not any(hook.form == "stream" or hook.monitor for hook in self.hooks)
        #: Whether all are async, so that a sync host has nothing of its own to run between them.
        self.is_all_async = self.is_awaitable and all(hook.asynchronous for hook in hooks)
        #: The compiled loop of an async host; see :mod:`hookcore.dispatch.asyncloop`.
        self.async_loop: Any = None
        #: The compiled loop of a simple chain; see :mod:`hookcore.dispatch.loops`.
        self.loop: Loop = leave


class Plan:
    """All hooks of a point in order; immutable but for its cache of resolved chains.

    Args:
        spec: the point.
        hooks: its hooks, in any order; or a function that gives them, which is asked at the first
            dispatch, so that a change of many plugins costs one compilation.
        scoped: whether the scopes of the current execution have to be asked for further hooks.
        compile_chain: makes a simple chain's loop; None when every chain is the engine's.
        compile_async: makes the loop of a chain with async hooks, for async hosts.
    """

    __slots__ = (
        "_by_agent",
        "_by_tool",
        "_cache",
        "_compile",
        "_compile_async",
        "_partial",
        "_regated",
        "_source",
        "async_loop",
        "chain",
        "ends_run",
        "has_async",
        "hooks",
        "label",
        "loop",
        "plain",
        "scoped",
        "spec",
    )

    def __init__(
        self,
        spec: PointSpec,
        hooks: Iterable[Hook] | Callable[[], Iterable[Hook]],
        *,
        scoped: bool = False,
        compile_chain: Callable[[Plan, Chain], Loop] | None = None,
        compile_async: Callable[[Plan, Chain], Any] | None = None,
    ) -> None:
        self.spec = spec
        self.label = spec.label
        #: Whether a dispatch here ends a run that only shows as the contexts' ``run_id``.
        self.ends_run = spec.options.ends_run
        #: Whether what gates judge is made of plain dicts and lists: a tool's arguments.
        self.plain = spec.options.payload is dict
        self.scoped = scoped
        self._compile = compile_chain
        self._compile_async = compile_async
        if callable(hooks):
            self._source = hooks
            #: The compiled loop of every dispatch, where there is one.
            self.loop: Loop = self._first
        else:
            self._build(hooks)

    def __getattr__(self, name: str) -> Any:
        # A slot that is not set: nobody has needed the hooks yet.
        if name not in _LATE:
            raise AttributeError(name)
        self._build(self._source())
        return object.__getattribute__(self, name)

    def ready(self) -> Plan:
        """Return the plan with its loop compiled, for those who keep the loop."""
        _ = self.hooks
        return self

    def _first(self, ctx: HookContext) -> Unfinished | None:
        return self.ready().loop(ctx)

    def _build(self, hooks: Iterable[Hook]) -> None:
        compile_chain, scoped = self._compile, self.scoped
        ordered = tuple(sorted(hooks, key=attrgetter("key")))
        self._by_tool = any(hook.by_tool for hook in ordered)
        self._by_agent = any(hook.by_agent for hook in ordered)
        # A hook may rename the tool, and the gates of the new name then judge: the engine's work.
        self._regated = any(hook.gate and hook.by_tool for hook in ordered)
        self._partial = tuple(hook for hook in ordered if hook.by_run)
        self._cache: dict[Any, Chain | None] = {}
        #: Whether any of them is async; without one there is no compiled loop to be awaited.
        self.has_async = any(hook.asynchronous for hook in ordered)
        filtered = self._by_tool or self._by_agent or bool(self._partial)
        loop: Loop = leave
        #: The compiled loop of async hosts; None where there is none, or it depends on the tool.
        self.async_loop: Any = None
        #: The chain of every dispatch; None when it depends on the tool, the agent or the scope.
        self.chain = self._chain(ordered) if ordered and not filtered and not scoped else None
        if self.chain is not None:
            loop = self.chain.loop
            self.async_loop = self.chain.async_loop
        elif (
            self._by_tool
            and not (self._by_agent or self._partial or scoped)
            and compile_chain is not None
        ):
            loop = self._by_tool_name()
        #: The hooks in order; set last, so that who finds them finds all else.
        self.hooks = ordered
        self.loop = loop

    def _chain(self, hooks: tuple[Hook, ...]) -> Chain:
        chain = Chain(hooks)
        # Gates judge copies: where there are only gates, no hook renames the tool.
        if self._compile is not None and not (self._regated and chain.hooks):
            if chain.is_simple:
                loop = self._compile(self, chain)
                offloaded = any(hook.offload for hook in hooks)
                chain.loop = _where_nobody_awaits(loop) if offloaded else loop
            elif chain.is_awaitable and self._compile_async is not None:
                chain.async_loop = self._compile_async(self, chain)
        return chain

    def _by_tool_name(self) -> Loop:
        cache = self._cache

        def run(ctx: Any) -> Unfinished | None:
            if ctx.attributes and TOOL_ALIASES in ctx.attributes:
                return ALL
            try:
                chain = cache[ctx.tool_name]
            except (KeyError, AttributeError):
                return ALL
            return None if chain is None else chain.loop(ctx)

        return run

    def resolve(self, ctx: HookContext) -> Chain | None:
        """Return the hooks for the context's tool and agent, or None when none is left."""
        tool: Any = getattr(ctx, "tool_name", None) if self._by_tool else None
        if tool is not None and ctx.attributes and TOOL_ALIASES in ctx.attributes:
            tool = (tool, *tool_aliases(ctx))
        key: Any = (tool, agent_names_of(ctx)) if self._by_agent else tool
        if self._partial:
            key = (key, *(hook.in_run(ctx) for hook in self._partial))
        try:
            return self._cache[key]
        except KeyError:
            return self._add(key, tool, ctx)

    def _add(self, key: Any, tool: Any, ctx: HookContext) -> Chain | None:
        known = () if tool is None else tool if isinstance(tool, tuple) else (tool,)
        # A name that is no text can be compared with no pattern, and then the hooks run.
        names = tuple(tool_forms(str.__str__(name)) for name in known if isinstance(name, str))
        agents = agent_names_of(ctx) if self._by_agent else ()
        wanted = tuple(hook.in_run(ctx) for hook in self.hooks if hook.wants(names, agents))
        chain = self._chain(wanted) if wanted else None
        # Names come from a model: neither their number nor their length may fill the memory.
        if sum(map(len, (*agents, *(forms[0] for forms in names)))) <= _LONGEST_CACHED_NAME:
            if len(self._cache) >= _CACHE_LIMIT:
                self._cache.clear()
            self._cache[key] = chain
        return chain
