"""The hook manager: what a host dispatches through and operators switch plugins on in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from inspect import ismodule
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from hookcore_specs import HookContext, HookDispatchedEvent

from .disk.state import is_recording
from .dispatch.collecting import collect
from .errors import RegistrationError
from .hooks.dialect import Registration
from .hooks.hook import HookInfo
from .hooks.marks import OnMark
from .hooks.options import OperatorOptions
from .hooks.points import PointSpec, read_specs
from .hooks.registry import Record
from .loading.declare import Declaring
from .loading.instantiate import instantiate
from .waiting.requests import adrive, drive

if TYPE_CHECKING:
    from .config import Config

__all__ = ["HookManager", "PluginInfo"]

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


class HookManager(Declaring):
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
        manager._load(start, config)
        return manager

    def _load(self, start: str | Path | None, config: Mapping[str, Any] | Config | None) -> None:
        from .config import Config, read_config
        from .discovery import discover
        from .loading.load import load_into

        if not isinstance(config, Config):
            config = read_config(None if start is None else Path(start), config)
        if config.telemetry_track_mutations:
            self.tracks_mutations = True
        load_into(self, config, discover())
        if config.log.enabled and is_recording():
            from .log.writer import attach  # SQLite, which nobody else should wait for

            attach(self, config.log)
        self.config = config

    # Points and plugins

    @property
    def points(self) -> Mapping[str, PointSpec]:
        """All points by name: the standard ones, and those that the host added."""
        return self._points

    def add_hookspecs(self, namespace: object) -> None:
        """Add a host's own points.

        Args:
            namespace: a class or module whose functions are marked with ``@hookspec``.

        Raises:
            RegistrationError: a point exists already or its signature is wrong.
        """
        with self._lock:
            specs = read_specs(namespace, self._points)
            self._points.add(specs)
            self._rebuild(spec.name for spec in specs)

    def has_hooks(self, point: str) -> bool:
        """Whether a dispatch of the point in the current scope can reach any hook."""
        return bool(self._plan_of(point).hooks)

    def hooks(self, point: str) -> tuple[HookInfo, ...]:
        """Return the point's chain in the current scope, in the order in which it runs."""
        hooks = self._plan_of(point).hooks
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
        return self._add(instantiate(plugin, settings), name)

    def _add(
        self,
        plugin: Any,
        name: str | None = None,
        *,
        distribution: str | None = None,
        version: str | None = None,
        operator: OperatorOptions | None = None,
    ) -> str:
        with self._lock:
            record = self._registry.add(
                plugin, name, distribution=distribution, version=version, operator=operator
            )
            # A module takes over what its @on functions registered, maybe at other points too.
            self._rebuild(self._points if ismodule(plugin) else record.points)
            self._check_declared(record)
            return record.name

    def _add_function(self, function: Callable[..., Any], mark: OnMark) -> str:
        return self._add_registration(Registration(function, mark))

    def _add_registration(self, given: Registration) -> str:
        with self._lock:
            record = self._registry.add_function(given)
            self._rebuild(record.points)
            return record.name

    def unregister(self, plugin: Any) -> Any:
        """Remove a plugin, given by its name or as the object itself, and return it.

        Raises:
            RegistrationError: no such plugin is registered, or it is required.
        """
        with self._lock:
            record = self._changeable(plugin, "unregistered")
            self._registry.remove(record)
            self._rebuild(record.points)
            return record.plugin

    def enable(self, name: str) -> None:
        """Let a disabled plugin's hooks run again, from the next dispatch on."""
        with self._lock:
            record = self._registry.find(name)
            record.enabled = True
            self._rebuild(record.points)

    def disable(self, name: str) -> None:
        """Keep a plugin registered, but let none of its hooks run, from the next dispatch on.

        Raises:
            RegistrationError: no such plugin is registered, or it is required.
        """
        with self._lock:
            record = self._changeable(name, "disabled")
            record.enabled = False
            self._rebuild(record.points)

    def _changeable(self, plugin: Any, what: str) -> Record:
        record = self._registry.find(plugin)
        if record.operator.required:
            raise RegistrationError(
                f"plugin {record.name} is required by the configuration and cannot be {what}",
                record.plugin,
            )
        return record

    def clear(self) -> int:
        """Remove all plugins but required ones and return how many were removed."""
        with self._lock:
            records = [
                record for record in self._registry.records.values() if not record.operator.required
            ]
            for record in records:
                self._registry.remove(record)
            self._rebuild(self._points)
            return len(records)

    def plugins(self) -> tuple[PluginInfo, ...]:
        """Return all registered plugins in the order of their registration."""
        return tuple(
            PluginInfo(
                name=record.name,
                plugin=record.plugin,
                distribution=record.distribution,
                version=record.version,
                enabled=record.enabled,
                required=record.operator.required,
                mode=record.operator.mode,
                points=tuple(name for name in self._points if name in record.points),
            )
            for record in self._registry.records.values()
        )

    def scope(self, *plugins: Any) -> AbstractContextManager[tuple[str, ...]]:
        """Add plugins for the current execution only, until the ``with`` block ends.

        Tasks, and threads started with the context, inherit them; siblings never see them.

        Args:
            plugins: objects or modules with hooks, or functions marked with ``@on``.

        Raises:
            RegistrationError: on entry, when one of them is wrong.
        """
        return self._scopes.enter(tuple(instantiate(plugin, None) for plugin in plugins))

    def subscribe(self, function: Callable[[HookDispatchedEvent], object]) -> Callable[[], None]:
        """Call ``function`` with the event of each dispatch; return what ends that.

        What the function raises is logged and changes nothing.
        """
        return self._listeners.add(function)

    def close(self) -> None:
        """Stop the background loop and the idle worker threads; the manager stays usable."""
        self._loop.close()
        self._workers.close()

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
            plan = self._plans[point]
        except KeyError:
            raise self._misused(point) from None
        if plan is None:
            return ctx
        rest = plan.fast(ctx)
        if rest is not None:
            steps = self._steps(plan, ctx, rest, asynchronous=False)
            if steps is not None:
                drive(steps, self._loop)
        return ctx

    async def adispatch(self, point: str, ctx: _C) -> _C:
        """Run a point's hooks like :meth:`dispatch`, awaiting the async ones.

        Plain functions run inline, on a worker thread with ``offload=True``.
        """
        try:
            plan = self._plans[point]
        except KeyError:
            raise self._misused(point) from None
        if plan is None:
            return ctx
        rest = plan.fast(ctx)
        if rest is not None:
            steps = self._steps(plan, ctx, rest, asynchronous=True)
            if steps is not None:
                await adrive(steps)
        return ctx

    def collect(self, point: str, ctx: HookContext) -> list[str]:
        """Ask a collect point's hooks and return the plugins that answered yes.

        Raises:
            UnknownPointError: there is no such point, or it is of another kind.
        """
        try:
            plan = self._collect_plans[point]
        except KeyError:
            raise self._misused(point) from None
        chain = None if plan is None else self._resolve(plan, ctx)
        return [] if plan is None or chain is None else collect(self, plan, chain, ctx)
