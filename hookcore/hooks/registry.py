"""The registered plugins: pluggy keeps them, this module asks it and adds our options."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import pluggy

from hookcore_specs import PROJECT_NAME

from ..errors import RegistrationError
from ..naming.suggest import did_you_mean
from .candidates import candidates_of, chosen, defaults_of, on_candidate
from .dialect import Registration
from .entries import PluginEntries, entry_of, hook_of
from .hook import Hook, PluginDefaults
from .loopless import Loopless
from .marks import marks_of
from .options import OperatorOptions
from .points import PointSpec, PointTable
from .record import Record
from .rules import check_rules
from .validation import Candidate, check_candidate

__all__ = ["Registry"]

_MARKS = pluggy.PluginManager(PROJECT_NAME)
"""Reads pluggy's marks for registries that keep nothing in pluggy."""


class Registry:
    """Plugins by name and hooks by point; not thread-safe, its manager holds a lock around it.

    Args:
        table: the points.
        scoped: whether the hooks are a scope's; those are compiled as they are, without pluggy,
            which nobody could ask for them.
        loopless: where async wraps are refused.
    """

    def __init__(
        self, table: PointTable, *, scoped: bool = False, loopless: Loopless | None = None
    ) -> None:
        self._table = table
        self._scoped = scoped
        self._loopless = Loopless() if loopless is None else loopless
        self._pm = _MARKS if scoped else pluggy.PluginManager(PROJECT_NAME)
        self._specified: set[str] = set()
        self._sequence = 0
        self.records: dict[str, Record] = {}
        self._by_object: dict[int, Record] = {}
        #: The last number that was put behind a made name, for each name.
        self._numbers: dict[str, int] = {}

    def add(
        self,
        plugin: Any,
        name: str | None = None,
        *,
        distribution: str | None = None,
        version: str | None = None,
        operator: OperatorOptions | None = None,
        sequence: float | None = None,
    ) -> Record:
        """Register a plugin; a refused one leaves nothing behind.

        Args:
            plugin: the plugin.
            name: its name; one is made when it is None.
            distribution: the distribution that it comes from.
            version: that distribution's version.
            operator: what the operator says of it.
            sequence: where it stands among those of its priority; last when it is None.

        Raises:
            RegistrationError: what is wrong with the plugin or with one of its hooks.
        """
        operator = operator or OperatorOptions()
        alone = self._alone(plugin)
        name = self._checked_name(plugin, name, but=alone)
        where = f"plugin {name}" + (f" ({distribution} {version})" if distribution else "")
        record = Record(
            name,
            plugin,
            distribution,
            version,
            operator,
            defaults_of(plugin, where),
            self._sequence if sequence is None else sequence,
        )
        found = [
            (candidate, spec)
            for candidate in candidates_of(self._pm, plugin, where, self._table)
            if (spec := check_candidate(candidate, self._table)) is not None
        ]
        for candidate, spec in found:
            self._loopless.check(candidate.where, candidate.function, spec)
        wanted = chosen(found, operator, where)
        if not found and not record.answers:
            raise RegistrationError(
                f"{where} has no hooks: mark its functions with @hookimpl or @on", plugin
            )
        check_rules(plugin, operator.rules, where)
        for other in alone:
            self.remove(other)
        self._register(record, wanted)
        self._keep(record)
        return record

    def _alone(self, plugin: Any) -> list[Record]:
        """Return the records of a module's functions that ``@on`` registered at its import.

        As the module's own hooks they would run twice, once out of the operator's reach.
        """
        if not inspect.ismodule(plugin):
            return []
        functions = [value for value in vars(plugin).values() if marks_of(value)]
        return [
            record
            for record in self.records.values()
            if record.given is not None and any(record.plugin is item for item in functions)
        ]

    def answerers(self) -> list[Any]:
        """Return the plugins that answer the questions of others, in the order of registration."""
        return [
            record.plugin
            for record in tuple(self.records.values())
            if record.enabled and record.operator.mode == "enforce" and record.answers
        ]

    def add_function(self, given: Registration) -> Record:
        """Register a function for one point; the same function may be registered again."""
        name = self._unique_name(given.function)
        record = Record(
            name, given.function, None, None, OperatorOptions(), PluginDefaults(), self._sequence
        )
        record.given = given
        candidate = on_candidate(given.function, given.mark, f"function {name}")
        spec = check_candidate(candidate, self._table)
        found = [] if spec is None else [(candidate, spec)]
        for candidate, spec in found:
            self._loopless.check(candidate.where, candidate.function, spec)
        self._register(record, found)
        self._keep(record)
        return record

    def _keep(self, record: Record) -> None:
        self.records[record.name] = record
        if record.given is None:
            self._by_object[id(record.plugin)] = record
        self._sequence += 1

    def remove(self, record: Record) -> None:
        """Unregister a plugin."""
        self._pm.unregister(record.holder)
        del self.records[record.name]
        base, _, number = record.name.rpartition("-")
        self._numbers.pop(base if number.isdigit() else record.name, None)
        self._by_object.pop(id(record.plugin), None)
        if record.given is not None and record.given.removed is not None:
            record.given.removed()

    def hooks_at(self, point: str) -> list[Hook]:
        """Return the enabled hooks of a point, as pluggy has them."""
        caller = getattr(self._pm.hook, point, None)
        if caller is None:
            return []
        hooks: list[Hook] = [hook_of(impl.function) for impl in caller.get_hookimpls()]
        # A dispatch may ask while somebody unregisters a plugin.
        found = ((hook, self.records.get(hook.plugin)) for hook in hooks)
        return [hook for hook, record in found if record is not None and record.enabled]

    def has_hooks_at(self, point: str) -> bool:
        """Return whether a point has an enabled hook."""
        caller = getattr(self._pm.hook, point, None)
        if caller is None:
            return False
        return any(
            self.records[hook_of(impl.function).plugin].enabled for impl in caller.get_hookimpls()
        )

    def state(self) -> Mapping[str, tuple[Record, bool]]:
        """Return what is registered and enabled, for :meth:`restore`."""
        return {name: (record, record.enabled) for name, record in self.records.items()}

    def restore(self, state: Mapping[str, tuple[Record, bool]]) -> None:
        """Make the registry hold what it held at an earlier time."""
        for name, record in list(self.records.items()):
            if name not in state or state[name][0] is not record:
                self.remove(record)
        for name, (record, enabled) in state.items():
            if name not in self.records:
                self._pm.register(record.holder, name)
            record.enabled = enabled
        self.records = {name: record for name, (record, _) in state.items()}
        self._by_object = {
            id(record.plugin): record for record in self.records.values() if record.given is None
        }

    def find(self, key: Any) -> Record:
        """Return the record of a plugin by its name or by the object itself."""
        if isinstance(key, str) and key in self.records:
            return self.records[key]
        known = self._by_object.get(id(key))
        if known is not None and known.plugin is key:
            return known
        for record in self.records.values():
            # A bound method is another object each time.
            if record.plugin is key or (inspect.ismethod(key) and record.plugin == key):
                return record
        raise RegistrationError(
            f"no plugin {key!r} is registered{did_you_mean(str(key), self.records)}", key
        )

    def _checked_name(self, plugin: Any, name: str | None, *, but: list[Record]) -> str:
        record = self._by_object.get(id(plugin))
        # A bound method is another object each time, so functions are not compared at all.
        if record is not None and record.plugin is plugin and not inspect.isroutine(plugin):
            raise RegistrationError(
                f"this plugin is registered already, as {record.name!r}", plugin
            )
        if name is not None:
            if not isinstance(name, str) or not name.strip():
                raise RegistrationError(f"a plugin's name is a non-empty text, not {name!r}")
            if name in self.records and self.records[name] not in but:
                raise RegistrationError(f"a plugin named {name!r} is registered already", plugin)
            return name
        return self._unique_name(plugin)

    def _unique_name(self, plugin: Any) -> str:
        base = str(getattr(plugin, "__qualname__", None) or getattr(plugin, "__name__", ""))
        base = base or type(plugin).__qualname__
        number = self._numbers.get(base, 1)
        unique = base if number == 1 else f"{base}-{number}"
        while unique in self.records:
            number += 1
            unique = f"{base}-{number}"
        self._numbers[base] = number
        return unique

    def _register(self, record: Record, found: list[tuple[Candidate, PointSpec]]) -> None:
        entries: dict[str, Any] = {}
        for index, (candidate, spec) in enumerate(found):
            hook = record.hook(candidate, spec, index, scoped=self._scoped)
            record.hooks.append(hook)
            if not self._scoped:
                if spec.name not in self._specified:
                    self._specified.add(spec.name)
                    self._pm.add_hookspecs(spec.namespace())
                entries[f"{spec.name}_{index}"] = entry_of(hook, candidate)
        if self._scoped:
            return
        record.holder = PluginEntries(entries)
        self._pm.register(record.holder, record.name)
