"""One registered plugin: where it is from, what its operator says of it, and its hooks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .dialect import Registration
from .hook import Hook, PluginDefaults
from .options import OperatorOptions
from .points import PointSpec
from .positions import by_position
from .validation import Candidate

__all__ = ["Record"]


@dataclass(slots=True, eq=False)
class Record:
    """One registered plugin."""

    name: str
    plugin: Any
    distribution: str | None
    version: str | None
    operator: OperatorOptions
    defaults: PluginDefaults
    sequence: float
    enabled: bool = True
    holder: Any = None
    """The object that pluggy has registered for the plugin."""
    hooks: list[Hook] = field(default_factory=list)
    given: Registration | None = None
    """The options that a function was registered with."""

    @property
    def points(self) -> frozenset[str]:
        """The points that the plugin has hooks at."""
        return frozenset(hook.spec.name for hook in self.hooks)

    @property
    def answers(self) -> bool:
        """True when the plugin answers the questions of other plugins' hooks."""
        # On its class: an object that has every attribute, as a mock does, promises nothing by it.
        return callable(getattr(type(self.plugin), "answer_question", None))

    def hook(self, candidate: Candidate, spec: PointSpec, index: int, *, scoped: bool) -> Hook:
        """Return a function of the plugin as a hook.

        Args:
            candidate: the function.
            spec: the point that it stands at.
            index: its place among the plugin's functions.
            scoped: whether it is a scope's.
        """
        return Hook(
            call=by_position(candidate, spec),
            spec=spec,
            plugin=self.name,
            name=str(getattr(candidate.function, "__name__", spec.name)),
            distribution=self.distribution,
            version=self.version,
            options=candidate.options,
            defaults=self.defaults,
            operator=self.operator,
            flags=dict(candidate.flags),
            scoped=scoped,
            sequence=(self.sequence, index),
            dialect=None if self.given is None else self.given.dialect,
            source=None if self.given is None else self.given.source,
            owner=self,
        )
