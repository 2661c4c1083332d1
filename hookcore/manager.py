"""The hook manager: what a host dispatches through and operators switch plugins on in."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from inspect import ismodule
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from hookcore_specs import STANDARD_SPECS, HookContext, HookDispatchedEvent

from .boundaries.methods import Boundaries
from .dispatch.collecting import collect
from .dispatch.plan import Plan
from .dispatch.plans import Plans
from .dispatch.scoping import Scoping
from .dispatch.services import Services, Tracer
from .dispatch.telling import Telling
from .errors import RegistrationError
from .hooks.dialect import Registration
from .hooks.hook import HookInfo
from .hooks.options import OperatorOptions
from .hooks.points import PointSpec, PointTable, read_specs
from .hooks.registry import Record, Registry
from .loading.declare import Declaration, check_declaration, read_declaration
from .loading.instantiate import instantiate
from .prompting import Prompter
from .waiting.requests import adrive, drive

if TYPE_CHECKING:
    from .config import Config

__all__ = ["HookManager", "Parts", "PluginInfo"]

_C = TypeVar("_C", bound=HookContext)


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """What :meth:`HookManager.plugins` tells of one plugin."""

    name: str
    plugin: Any
    distribution: str | None
    version: str | None
    enabled: bool
    required: bool
    mode: str
    points: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a manager is composed of, for hosts that dispatch in a way of their own."""

    table: PointTable
    registry: Registry
    services: Services
    plans: Plans
    scoping: Scoping


class HookManager(Boundaries):
    """Registers plugins and dispatches points through their hooks.

    An empty manager is made by calling the class; :meth:`load` makes one with the plugins that the
    configuration enables. All methods may be called from any thread; a dispatch takes no lock.

    Args:
        track_mutations: count edits of a payload in place as changes, at the price of a digest
            before and after each hook.
        control_flow: exception classes of the host's own that mean no failure, whoever raises
            them, and always pass.
        prompter: whom ``ctx.request_human_input`` asks; the terminal when None.
        sync: the host calls its wraps without an event loop, so async ones are refused.
    """

    config: Config | None = None
    """The configuration that :meth:`load` read."""

    def __init__(
        self,
        *,
        track_mutations: bool = False,
        control_flow: Iterable[type[BaseException]] = (),
        prompter: Prompter | None = None,
        sync: bool = False,
    ) -> None:
        table = PointTable()
        services = Services(
            control_flow=tuple(control_flow),
            prompter=prompter,
            track_mutations=track_mutations,
        )
        registry = Registry(table, sync=sync)
        plans = self._plans = Plans(table, registry, services)
        telling = Telling(plans, plans.listeners)
        services.emit, plans.make_teller = telling.emit, telling.teller
        #: The parts, for hosts that dispatch in a way of their own.
        self.parts = Parts(table, registry, services, plans, Scoping(plans, sync=sync))
        self._declaration: Declaration | None = None
        for namespace in STANDARD_SPECS:
            table.add(read_specs(namespace, table))
        plans.follow(self._plans_changed)
        plans.rebuild(table)

    def _plans_changed(self) -> None:
        # What a dispatch reads stands on the manager itself, one look-up away.
        self._live: dict[str, Plan | None] = self._plans.live
        self._tools_are_idle = self._plans.tools_are_idle
        self._models_are_idle = self._plans.models_are_idle

    @classmethod
    def load(
        cls,
        start: str | Path | None = None,
        config: Mapping[str, Any] | Config | None = None,
        **options: Any,
    ) -> HookManager:
        """Return a manager with the plugins that the configuration enables.

        Args:
            start: the folder whose project configuration counts; the working folder when None.
            config: the last layer, in the form of the TOML file; or a whole configuration.
            options: what the class takes.

        Raises:
            ConfigError: a configuration file, or ``config``, is wrong.
            PluginLoadError: enabled plugins cannot be loaded; it lists all of them.
        """
        manager = cls(**options)
        manager.load_configured(start, config)
        return manager

    def load_configured(
        self,
        start: str | Path | None = None,
        config: Mapping[str, Any] | Config | None = None,
    ) -> None:
        """Add the plugins that the configuration enables, as :meth:`load` does to a new manager."""
        from .config import Config, read_config
        from .discovery import discover
        from .disk.state import is_recording
        from .loading.load import load_into

        if not isinstance(config, Config):
            config = read_config(None if start is None else Path(start), config)
        if config.telemetry_track_mutations:
            self.tracks_mutations = True
        load_into(self.register_configured, config, discover())
        if config.log.enabled and is_recording():
            from .log.writer import attach  # SQLite, which nobody else should wait for

            attach(self, config.log)
        self.config = config

    # Points and plugins

    @property
    def points(self) -> Mapping[str, PointSpec]:
        """All points by name: the standard ones, and those that the host added."""
        return self.parts.table

    @property
    def tracks_mutations(self) -> bool:
        """Whether edits of a payload in place are noticed."""
        return self.parts.services.tracks_mutations

    @tracks_mutations.setter
    def tracks_mutations(self, value: bool) -> None:
        self.parts.services.tracks_mutations = value
        self._plans.refresh_watch()

    @property
    def prompter(self) -> Prompter:
        """The one whom ``ctx.request_human_input`` asks."""
        return self.parts.services.human_input.prompter

    @prompter.setter
    def prompter(self, prompter: Prompter) -> None:
        self.parts.services.human_input.prompter = prompter

    @property
    def control_flow(self) -> tuple[type[BaseException], ...]:
        """The exception classes that mean no failure and always pass."""
        return self.parts.services.control_flow

    def add_control_flow(self, *classes: type[BaseException]) -> None:
        """Let more exception classes of the host's own pass, from the next dispatch on.

        Hooks, wraps and bodies heed them alike; one that is known already changes nothing.

        Args:
            classes: the exception classes.

        Raises:
            TypeError: one of them is no exception class.
        """
        for kind in classes:
            if not (isinstance(kind, type) and issubclass(kind, BaseException)):
                raise TypeError(f"control flow is told by exception classes, not {kind!r}")
        services = self.parts.services
        with self._plans.lock:
            new = tuple(kind for kind in classes if kind not in services.control_flow)
            if new:
                services.control_flow = (*services.control_flow, *new)
                self._plans.rebuild(self.points)

    def add_hookspecs(self, namespace: object) -> None:
        """Add a host's own points.

        Args:
            namespace: a class or module whose functions are marked with ``@hookspec``.

        Raises:
            RegistrationError: a point exists already or its signature is wrong.
        """
        table = self.parts.table
        with self._plans.lock:
            specs = read_specs(namespace, table)
            table.add(specs)
            self._plans.rebuild([spec.name for spec in specs])

    def has_hooks(self, point: str) -> bool:
        """Return whether a dispatch of the point in the current scope can reach any hook."""
        return bool(self._plans.of(point).hooks)

    def hooks(self, point: str) -> tuple[HookInfo, ...]:
        """Return the point's chain in the current scope, in the order in which it runs."""
        hooks = self._plans.of(point).hooks
        return tuple(hook.info for hook in sorted(hooks, key=lambda hook: hook.gate))

    def register(self, plugin: Any, name: str | None = None, settings: Any = None) -> str:
        """Register a plugin and return its name.

        Args:
            plugin: an object or module with hooks, a class (which is made into an object), or a
                function marked with ``@on``.
            name: the plugin's name; one is made, and made unique, when it is None.
            settings: what the plugin's ``Settings`` model is made of.

        Raises:
            RegistrationError: the plugin, one of its hooks or its settings are wrong; nothing of
                it is left behind.
        """
        return self.register_configured(instantiate(plugin, settings), name)

    def register_configured(
        self,
        plugin: Any,
        name: str | None = None,
        *,
        distribution: str | None = None,
        version: str | None = None,
        operator: OperatorOptions | None = None,
    ) -> str:
        """Register a plugin that is made already, under what an operator says of it.

        Args:
            plugin: an object or module with hooks, or a function marked with ``@on``.
            name: the plugin's name; one is made when it is None.
            distribution: the distribution that it comes from.
            version: that distribution's version.
            operator: what the operator's configuration says of it.

        Returns:
            The plugin's name.

        Raises:
            RegistrationError: the plugin or one of its hooks is wrong; nothing of it is left.
            PluginLoadError: it is required, and the host has declared that it cannot serve it.
        """
        plans = self._plans
        with plans.lock:
            if ismodule(plugin):
                plans.ready()
            record = self.parts.registry.add(
                plugin, name, distribution=distribution, version=version, operator=operator
            )
            # A module takes over what its @on functions registered, maybe at other points too.
            plans.rebuild(self.points if ismodule(plugin) else record.points)
            if self._declaration is not None:
                check_declaration(self._declaration, [record])
            return record.name

    def register_hook(self, given: Registration) -> str:
        """Register one function for one point and return its name.

        Args:
            given: the function, the point, the options, and how its answers are read.

        Raises:
            RegistrationError: the function cannot be a hook of the point.
        """
        with self._plans.lock:
            record = self.parts.registry.add_function(given)
            self._plans.rebuild(record.points)
            return record.name

    def unregister(self, plugin: Any) -> Any:
        """Remove a plugin, given by its name or as the object itself, and return it.

        Raises:
            RegistrationError: no such plugin is registered, or it is required.
        """
        with self._plans.lock:
            record = self._changeable(plugin, "unregistered")
            self.parts.registry.remove(record)
            self._plans.rebuild(record.points)
            return record.plugin

    def enable(self, name: str) -> None:
        """Let a disabled plugin's hooks run again, from the next dispatch on."""
        with self._plans.lock:
            record = self.parts.registry.find(name)
            record.enabled = True
            self._plans.rebuild(record.points)

    def disable(self, name: str) -> None:
        """Keep a plugin registered, but let none of its hooks run, from the next dispatch on.

        Raises:
            RegistrationError: no such plugin is registered, or it is required.
        """
        with self._plans.lock:
            record = self._changeable(name, "disabled")
            record.enabled = False
            self._plans.rebuild(record.points)

    def _changeable(self, plugin: Any, what: str) -> Record:
        record = self.parts.registry.find(plugin)
        if record.operator.required:
            raise RegistrationError(
                f"plugin {record.name} is required by the configuration and cannot be {what}",
                record.plugin,
            )
        return record

    def clear(self) -> int:
        """Remove all plugins but required ones and return how many were removed."""
        with self._plans.lock:
            records = [
                record
                for record in self.parts.registry.records.values()
                if not record.operator.required
            ]
            for record in records:
                self.parts.registry.remove(record)
            self._plans.rebuild(self.points)
            return len(records)

    def plugins(self) -> tuple[PluginInfo, ...]:
        """Return all registered plugins in the order of their registration."""
        with self._plans.lock:
            records = tuple(self.parts.registry.records.values())
        return tuple(
            PluginInfo(
                name=record.name,
                plugin=record.plugin,
                distribution=record.distribution,
                version=record.version,
                enabled=record.enabled,
                required=record.operator.required,
                mode=record.operator.mode,
                points=tuple(name for name in self.points if name in record.points),
            )
            for record in records
        )

    def scope(self, *plugins: Any) -> AbstractContextManager[tuple[str, ...]]:
        """Add plugins for the current execution only, until the ``with`` block ends.

        Tasks, and threads started with the context, inherit them; siblings never see them.

        Args:
            plugins: objects or modules with hooks, or functions marked with ``@on``.

        Raises:
            RegistrationError: on entry, when one of them is wrong.
        """
        made = tuple(instantiate(plugin, None) for plugin in plugins)
        return self.parts.scoping.enter(made)

    def subscribe(self, function: Callable[[HookDispatchedEvent], object]) -> Callable[[], None]:
        """Call ``function`` with the event of each dispatch; return what ends that.

        What the function raises is logged and changes nothing.
        """
        return self._plans.listeners.add(function)

    def close(self) -> None:
        """Stop the background loop and the idle worker threads; the manager stays usable."""
        self.parts.services.close()

    # Dispatch

    def dispatch(self, point: str, ctx: _C) -> _C:
        """Run an intercept or observe point's hooks and return the context.

        Async hooks run to completion on the manager's own background loop.

        Args:
            point: the point, as an enum member or a string.
            ctx: the context; its payload is afterwards what the hooks made of it.

        Raises:
            HookAborted: a hook stopped the operation.
            UnknownPointError: there is no such point, or it is of another kind.
        """
        try:
            plan = self._live[point]
        except KeyError:
            raise self._plans.misused(point) from None
        if plan is None:
            return ctx
        left = plan.loop(ctx)
        if left is not None:
            steps = self._plans.steps(plan, ctx, left, asynchronous=False)
            if steps is not None:
                drive(steps, self.parts.services.loop)
        return ctx

    async def adispatch(self, point: str, ctx: _C) -> _C:
        """Run a point's hooks like :meth:`dispatch`, awaiting the async ones.

        Plain functions run inline, on a worker thread with ``offload=True``.
        """
        try:
            plan = self._live[point]
        except KeyError:
            raise self._plans.misused(point) from None
        if plan is None:
            return ctx
        loop = plan.async_loop
        left = plan.loop(ctx) if loop is None else await loop(ctx)
        if left is not None:
            steps = self._plans.steps(plan, ctx, left, asynchronous=True)
            if steps is not None:
                await adrive(steps)
        return ctx

    def collect(self, point: str, ctx: HookContext) -> list[str]:
        """Ask a collect point's hooks and return the plugins that answered yes.

        Raises:
            UnknownPointError: there is no such point, or it is of another kind.
        """
        try:
            plan = self._plans.collects[point]
        except KeyError:
            raise self._plans.misused(point) from None
        chain = self._plans.resolve(plan, ctx)
        if plan is None or chain is None:
            return []
        return collect(self.parts.services, plan, chain, ctx)

    # What a host says of itself, and changes at once

    def declare(
        self,
        points: Iterable[str],
        supports: Iterable[str] | Mapping[str, Iterable[str]] = ("modify", "abort"),
        *,
        without: Iterable[str] = (),
        host: str | None = None,
    ) -> None:
        """Say which points the host dispatches, so that no policy waits in vain at another.

        Args:
            points: all points that the host dispatches.
            supports: which answers of hooks it heeds, ``"modify"`` and ``"abort"``, everywhere or
                for each point; both where it is not said.
            without: the points of operations that the host does not have, such as steps: a policy
                that hooks them and others besides misses nothing.
            host: the host's name for `hookctl doctor`; the program's when None.

        Raises:
            PluginLoadError: a required plugin hooks a point that the host never dispatches, or
                gates one where it cannot be stopped; for other plugins there is a line in the log.
            UnknownPointError: a point does not exist.
            ValueError: ``points`` or ``without`` is no list, a point is in both, or ``supports``
                says something that means nothing.
        """
        declaration = read_declaration(self.parts.table, points, supports, without)
        with self._plans.lock:
            check_declaration(declaration, self.parts.registry.records.values())
            self._declaration = declaration
        if self.config is not None and self.config.log.enabled:
            from .log.writer import writer_of  # SQLite, which nobody else should wait for

            writer = writer_of(self)
            if writer is not None:
                name = host or Path(sys.argv[0]).name or "python"
                writer.declare(name, tuple(declaration.points))

    @property
    def declaration(self) -> Declaration | None:
        """What the host has declared; None when it declared nothing."""
        return self._declaration

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Let all changes until the block ends come into force together.

        Others who change something wait; dispatches go on with the plugins from before.
        """
        with self._plans.at_once():
            yield

    def traced(self, tracer: Tracer) -> AbstractContextManager[None]:
        """Call ``tracer`` for each hook until the block ends; see :mod:`hookcore.tracing`."""
        return self._plans.traced(tracer)
