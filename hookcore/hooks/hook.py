"""One hook, compiled: the function to call and the options that are in force for it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from inspect import isasyncgenfunction, isgeneratorfunction
from typing import Any, Literal

from hookcore_specs import HookContext, HookOptions, Kind, OnError, StreamMode

from ..naming.names import NamePatterns
from .dialect import Dialect
from .options import DEFAULT_PRIORITY, OperatorOptions
from .points import PointSpec
from .rollout import is_chosen
from .rules import Rules
from .validation import is_async

__all__ = ["MOST_HELD", "Hook", "HookInfo", "PluginDefaults"]

Form = Literal["yield", "stream", "await"]

MOST_HELD = 8192
"""The most characters of a stream that a window holds back; what needs more is buffered."""


_MOST_TWINS = 256


@dataclass(frozen=True, slots=True)
class PluginDefaults:
    """The author's defaults for all hooks of a plugin, from attributes on the plugin."""

    on_error: OnError | None = None
    priority: int | None = None
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class HookInfo:
    """One hook as :meth:`HookManager.hooks` tells of it, in chain order."""

    plugin: str
    hook: str
    distribution: str | None
    version: str | None
    priority: int
    tools: tuple[str, ...] | None
    agents: tuple[str, ...] | None
    on_error: OnError
    mode: str
    timeout: float | None
    gate: bool
    wrapper: bool
    asynchronous: bool
    scoped: bool


class Hook:
    """A hookimpl as the dispatcher calls it; immutable once made."""

    __slots__ = (
        "_agent_tests",
        "_monitored",
        "_tool_tests",
        "_twins",
        "asynchronous",
        "awaited_as_it_is",
        "call",
        "dialect",
        "distribution",
        "expired_rules",
        "form",
        "gate",
        "info",
        "is_looped",
        "key",
        "label",
        "monitor",
        "monitored_rules",
        "name",
        "offload",
        "on_error",
        "original",
        "owner",
        "plain",
        "plugin",
        "rollout",
        "rules",
        "source",
        "spec",
        "stream",
        "timeout",
        "version",
        "window",
        "wrapper",
    )

    def __init__(
        self,
        *,
        call: Callable[..., Any],
        spec: PointSpec,
        plugin: str,
        name: str,
        distribution: str | None,
        version: str | None,
        options: HookOptions,
        defaults: PluginDefaults,
        operator: OperatorOptions,
        flags: dict[str, Any],
        scoped: bool,
        sequence: tuple[float, int],
        dialect: Dialect | None = None,
        source: Any = None,
        owner: object = None,
    ) -> None:
        self.call = call
        self.spec = spec
        self.plugin = plugin
        #: Whose state the hook has: two plugins in different scopes may have one name.
        self.owner = plugin if owner is None else owner
        self.name = name
        self.label = f"{plugin}.{name}"
        #: How the answers are read; None for hookcore's own way.
        self.dialect = dialect
        #: What an abort gets as its source when the hook names none.
        self.source: Any = self.label if source is None else source
        self.distribution = distribution
        self.version = version
        self.gate = options.gate
        self.wrapper = bool(flags.get("wrapper")) and spec.kind is Kind.INTERCEPT
        self.asynchronous = is_async(call)
        #: How a hook at a wrap point stands around the operation.
        self.form: Form = _form(call)
        self.offload = options.offload
        self.stream: StreamMode = options.stream if options.window <= MOST_HELD else "buffer"
        self.window = options.window
        self.monitor = operator.mode == "monitor"
        #: The percentage of runs in which it is enforced; None for all.
        self.rollout = None if self.monitor else operator.rollout
        #: What the operator says of single rules; None where that is nothing.
        self.rules = Rules(plugin, operator.rules) if operator.rules else None
        #: The rules that are only monitored in the run at hand, and those that are over.
        self.monitored_rules: frozenset[str] = frozenset()
        self.expired_rules: frozenset[str] = frozenset()
        self._twins: dict[Any, Hook] = {}
        self.on_error: OnError = _on_error(options, defaults, operator)
        stands_around = self.wrapper or spec.kind is Kind.WRAP or spec.kind is Kind.COLLECT
        self.timeout = (
            None if stands_around else _first(operator.timeout, options.timeout, defaults.timeout)
        )
        priority = _first(operator.priority, options.priority, defaults.priority)
        priority = DEFAULT_PRIORITY if priority is None else priority
        self.key: tuple[float, ...] = (
            int(scoped),
            int(not self.wrapper),
            _rank(flags, operator),
            priority,
            *sequence,
        )
        tools = _given(options.tools, operator.tools) if spec.has_tool else ()
        agents = _given(options.agents, operator.agents)
        self._tool_tests = tuple(map(NamePatterns, tools))
        self._agent_tests = tuple(map(NamePatterns, agents))
        #: The hook itself; of a monitored twin, the hook that it is made from.
        self.original: Hook = self
        self._monitored: Hook | None = None
        called_as_it_is = not (
            self.wrapper
            or self.asynchronous
            or self.monitor
            or self.timeout is not None
            or self.rules is not None
        )
        #: Whether a compiled loop may call it; one that is offloaded, where no event loop waits.
        self.is_looped = called_as_it_is
        self.plain = called_as_it_is and not (self.gate or self.offload)
        #: Whether an async host only has to call it, and await what it may return.
        self.awaited_as_it_is = not (
            self.wrapper
            or self.offload
            or self.monitor
            or self.timeout is not None
            or self.rules is not None
        )
        self.info = self._describe(priority=priority, scoped=scoped, tools=tools, agents=agents)

    def _describe(
        self, *, priority: int, scoped: bool, tools: _Filters, agents: _Filters
    ) -> HookInfo:
        return HookInfo(
            plugin=self.plugin,
            hook=self.name,
            distribution=self.distribution,
            version=self.version,
            priority=priority,
            tools=_joined(tools),
            agents=_joined(agents),
            on_error=self.on_error,
            mode="monitor" if self.monitor else "enforce",
            timeout=self.timeout,
            gate=self.gate,
            wrapper=self.wrapper,
            asynchronous=self.asynchronous,
            scoped=scoped,
        )

    def monitored(self) -> Hook:
        """Return the same hook with nothing that it does applied; the same object each time."""
        if self.monitor:
            return self
        if self._monitored is None:
            twin = copy.copy(self)
            twin.monitor, twin.plain, twin.is_looped = True, False, False
            twin.awaited_as_it_is = False
            twin._twins = {}
            self._monitored = twin
        return self._monitored

    @property
    def by_run(self) -> bool:
        """True when the run decides what of the hook is enforced."""
        return self.rollout is not None or self.rules is not None

    def in_run(self, ctx: HookContext) -> Hook:
        """Return the hook as it acts in a context's run: monitored outside of its rollout."""
        if self.rollout is None and self.rules is None:
            return self
        run = ctx.run_id or ctx.session_id
        chosen = self.rollout is None or is_chosen(self.plugin, run, self.rollout)
        hook = self if chosen else self.monitored()
        return hook if self.rules is None else hook._under(*self.rules.in_run(run))

    def _under(self, monitored: frozenset[str], expired: frozenset[str]) -> Hook:
        """Return the same hook with some of its rules put apart; the same object each time."""
        if not monitored and not expired:
            return self
        twin = self._twins.get((monitored, expired))
        if twin is None:
            if len(self._twins) >= _MOST_TWINS:
                self._twins.clear()
            twin = copy.copy(self)
            twin.monitored_rules, twin.expired_rules = monitored, expired
            self._twins[monitored, expired] = twin
        return twin

    @property
    def by_tool(self) -> bool:
        """True when the tool's name decides if the hook runs."""
        return bool(self._tool_tests)

    @property
    def by_agent(self) -> bool:
        """True when the agent decides if the hook runs."""
        return bool(self._agent_tests)

    def wants(self, tools: tuple[tuple[str, ...], ...], agents: tuple[str, ...]) -> bool:
        """Tell whether the filters let the hook run; with nothing to compare, they do.

        Args:
            tools: the names that the tool is known by, each as the forms in which it is compared.
            agents: what the agent can be compared by.
        """
        if tools and not all(any(map(test.matches_forms, tools)) for test in self._tool_tests):
            return False
        return not agents or all(any(map(test.matches, agents)) for test in self._agent_tests)

    def origin(self) -> str:
        """Return plugin, distribution and version in words, for messages."""
        if self.distribution is None:
            return f"plugin {self.plugin}"
        return f"plugin {self.plugin} ({self.distribution} {self.version})"

    def __repr__(self) -> str:
        return f"<Hook {self.label} at {self.spec.name}>"


def _form(call: Callable[..., Any]) -> Form:
    if isgeneratorfunction(call):
        return "yield"
    return "stream" if isasyncgenfunction(call) else "await"


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


_Filters = tuple[tuple[str, ...], ...]


def _given(*filters: tuple[str, ...] | None) -> _Filters:
    return tuple(item for item in filters if item is not None)


def _joined(filters: _Filters) -> tuple[str, ...] | None:
    return tuple(pattern for patterns in filters for pattern in patterns) or None


def _rank(flags: dict[str, Any], operator: OperatorOptions) -> int:
    if operator.priority is not None:
        return 1
    return 0 if flags.get("tryfirst") else 2 if flags.get("trylast") else 1


def _on_error(options: HookOptions, defaults: PluginDefaults, operator: OperatorOptions) -> OnError:
    if operator.required:
        return "deny"
    fallback: OnError = "deny" if options.gate else "allow"
    chosen: OnError = _first(operator.on_error, options.on_error, defaults.on_error, fallback)
    return chosen
