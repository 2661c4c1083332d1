"""The manager's methods that register plugins and switch them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from inspect import ismodule
from typing import Any

from ..dispatch.parts import Parts
from ..dispatch.plans import Plans
from ..errors import RegistrationError
from ..hooks.dialect import Registration
from ..hooks.hook import HookInfo
from ..hooks.options import OperatorOptions
from ..hooks.points import PointSpec, read_specs
from ..hooks.record import Record
from .declare import Declarations, check_declaration
from .instantiate import instantiate

__all__ = ["PluginInfo", "Plugins"]


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """One plugin as :meth:`HookManager.plugins` tells of it."""

    name: str
    plugin: Any
    distribution: str | None
    version: str | None
    enabled: bool
    required: bool
    mode: str
    points: tuple[str, ...]


class Plugins:
    """Registers plugins by name, and says what they are."""

    parts: Parts
    _plans: Plans
    _declarations: Declarations

    @property
    def points(self) -> Mapping[str, PointSpec]:
        """All points by name: the standard ones, and those that the host added."""
        return self.parts.table

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
        plan = self._plans.kept(point)
        return plan is not None and bool(self._plans.in_scope(plan).hooks)

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
            check_declaration(self._declarations, [record])
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
