"""The manager's methods by which a host says what it dispatches, heeds and can serve."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from hookcore_specs import Kind

from ..dispatch.parts import Parts
from ..dispatch.plans import Plans
from ..hooks.loopless import Loopless
from ..later import logger
from .declare import Declaration, Declarations, check_declaration, read_declaration

if TYPE_CHECKING:
    from ..config import Config

__all__ = ["Capabilities"]


class Capabilities:
    """Holds plugins against what their host can do for them."""

    parts: Parts
    config: Config | None
    _plans: Plans
    _loopless: Loopless
    _declarations: Declarations
    _declared_by: dict[str, None]

    def declare(
        self,
        points: Iterable[str],
        supports: Iterable[str] | Mapping[str, Iterable[str]] = ("modify", "abort"),
        *,
        without: Iterable[str] = (),
        host: str | None = None,
        part: bool = False,
    ) -> None:
        """Say which points the host dispatches, so that no policy waits in vain at another.

        Each of several hosts of a process says its own; a second word of one replaces its first.

        Args:
            points: all points that the host dispatches.
            supports: which answers of hooks it heeds, ``"modify"`` and ``"abort"``, everywhere or
                for each point; both where it is not said.
            without: the points of operations that the host does not have, such as steps: a policy
                that hooks them and others besides misses nothing.
            host: the host's name for `hookctl doctor`; the program's when None.
            part: whether this is a part of a runtime, such as a model's client. Its points come to
                those of a host that stands on it, and no plugin is refused for waiting elsewhere.

        Raises:
            PluginLoadError: a required plugin hooks a point that the host never dispatches, or
                gates one where it cannot be stopped; for other plugins there is a line in the log.
            UnknownPointError: a point does not exist.
            ValueError: ``points`` or ``without`` is no list, a point is in both, or ``supports``
                says something that means nothing.
        """
        declaration = read_declaration(self.parts.table, points, supports, without)
        with self._plans.lock:
            declarations = self._declarations.adding(declaration, host, part=part)
            records = self.parts.registry.records.values()
            is_new = declarations != self._declarations
            check_declaration(declarations, records, is_told=is_new)
            if is_new:
                self._declarations = declarations
            if host is not None:
                self._declared_by[host] = None
        if self.config is not None and self.config.log.enabled:
            from pathlib import Path

            from ..log.writer import writer_of  # SQLite, which nobody else should wait for

            writer = writer_of(self)
            if writer is not None:
                name = host or Path(sys.argv[0]).name or "python"
                writer.declare(name, tuple(declaration.points))

    def tell_of_unreached(self) -> None:
        """Log which plugins wait at points that nothing dispatches, where only parts have declared.

        For a part of a runtime, at its first call: what stands on it has declared itself by then.
        """
        declaration = self.declaration
        if declaration is None or not declaration.is_part:
            return
        whole = replace(declaration, is_part=False)
        for record in self.parts.registry.records.values():
            for lack in whole.lacks(record.hooks):
                logger.warning("%s: %s", record.hooks[0].origin(), lack)

    def refuse_async_wraps(self, points: Iterable[str] | None = None, *, host: str) -> None:
        """Say that a host calls without an event loop: async wraps are refused from now on.

        For a host that is given a manager, so that the refusal comes when it is installed or the
        plugin registered, and not at a call. One that makes its own says ``sync=True``.

        Args:
            points: the wrap points, all when None.
            host: the host's name, for the message.

        Raises:
            RegistrationError: async wraps are registered there; nothing was changed.
            UnknownPointError: a point does not exist.
            ValueError: a point is no wrap point.
        """
        table = self.parts.table
        with self._plans.lock:
            if points is None:
                points = [spec.name for spec in table.values() if spec.kind is Kind.WRAP]
            specs = [table.find(point) for point in points]
            records = self.parts.registry.records.values()
            hooks = [hook for record in records for hook in record.hooks]
            self._loopless.add(specs, host, hooks)

    @property
    def declaration(self) -> Declaration | None:
        """The points that the hosts have declared between them; None when none has."""
        return self._declarations.together

    @property
    def declared_by(self) -> tuple[str, ...]:
        """The names of the hosts that have declared what they dispatch, each once."""
        return tuple(self._declared_by)
