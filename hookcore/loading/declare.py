"""A host's word on what it dispatches, held against what the registered plugins need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from types import MappingProxyType
from typing import Literal

from ..errors import PluginLoadError
from ..hooks.hook import Hook
from ..hooks.points import PointTable
from ..hooks.record import Record
from ..later import logger

__all__ = ["Capability", "Declaration", "Declarations", "check_declaration", "read_declaration"]

Capability = Literal["modify", "abort"]
CAPABILITIES: tuple[Capability, ...] = ("modify", "abort")
# Dispatched by the manager itself, whatever the host does.
_ALWAYS = frozenset({"hook_dispatched"})


@dataclass(frozen=True, slots=True)
class Declaration:
    """The points that a host dispatches, each with the answers of hooks that it heeds.

    Args:
        points: the points, and the answers.
        without: the points of operations that the host does not have.
        is_part: it is only a part of a runtime that speaks, such as a model's client: what it does
            not dispatch may be dispatched by what stands on it.
    """

    points: Mapping[str, frozenset[str]]
    without: frozenset[str] = frozenset()
    is_part: bool = False

    def with_part(self, part: Declaration | None) -> Declaration:
        """Return the declaration with what a part of the runtime dispatches besides."""
        if part is None:
            return self
        points = {**part.points, **self.points}
        return replace(self, points=points, without=self.without - set(points))

    def beside(self, other: Declaration) -> Declaration:
        """Return what this host and another one of the same process dispatch between them."""
        heeded = {**other.points, **self.points}
        both = {
            name: self.points[name] & other.points[name]
            for name in self.points.keys() & other.points
        }
        absent = self.without & other.without - set(heeded)
        return Declaration({**heeded, **both}, absent, self.is_part and other.is_part)

    def lacks(
        self, hooks: Sequence[Hook], *, is_reached: bool | None = None, host: str = "this host"
    ) -> list[str]:
        """Tell what hooks need and the host does not do, a sentence for each kind of lack.

        Args:
            hooks: the hooks of one plugin.
            is_reached: whether any host dispatches for one of them; None: whether this one does.
            host: what the host is called in the sentences.
        """
        if is_reached is None:
            is_reached = self.reaches(hooks)
        unreached: dict[str, None] = {}
        ungated: dict[str, None] = {}
        for hook in hooks:
            point = hook.spec.name
            if point not in self.points:
                unreached[point] = None
            elif hook.gate and not hook.monitor and "abort" not in self.points[point]:
                ungated[point] = None
        if self.is_part:
            unreached = {}
        elif is_reached:
            # Nothing passes a policy at an operation that there is not, if it has another part.
            unreached = {point: None for point in unreached if point not in self.without}
        never = ", ".join(point for point in unreached if point not in _ALWAYS)
        told = [f"it hooks {never}, which {host} never dispatches"] if never else []
        if ungated:
            told.append(f"it gates {', '.join(ungated)}, where {host} cannot be stopped")
        return told

    def reaches(self, hooks: Iterable[Hook]) -> bool:
        """Return whether the host dispatches a point of one of the hooks."""
        return any(hook.spec.name in self.points for hook in hooks)


_NONE: Mapping[str | None, Declaration] = MappingProxyType({})


class Declarations:
    """The words of all hosts of a process, each for itself, and of what is a part of each.

    What one host does is no excuse for another: a policy has to be kept wherever its operations
    are carried out.

    Args:
        whole: the words of the hosts, by their names; None for the program itself.
        part: the word of the parts.
    """

    def __init__(
        self, whole: Mapping[str | None, Declaration] = _NONE, part: Declaration | None = None
    ) -> None:
        self._whole, self._part = whole, part
        self._each = {host: said.with_part(part) for host, said in whole.items()}
        if not whole and part is not None:
            self._each = {None: part}
        #: What all of them dispatch; None when none has said anything.
        self.together = reduce(Declaration.beside, self._each.values()) if self._each else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Declarations) and self._each == other._each

    __hash__ = None  # type: ignore[assignment]

    def adding(self, declaration: Declaration, host: str | None, *, part: bool) -> Declarations:
        """Return these with a host's word, in the place of its earlier one.

        Args:
            declaration: what it dispatches.
            host: its name; None for the program itself.
            part: whether it is a part of a runtime.
        """
        if part:
            added = replace(declaration, is_part=True).with_part(self._part)
            return Declarations(self._whole, added)
        return Declarations({**self._whole, host: declaration}, self._part)

    def lacks(self, hooks: Sequence[Hook]) -> list[str]:
        """Tell what hooks need and one of the hosts does not do."""
        is_reached = any(said.reaches(hooks) for said in self._each.values())
        return [
            lack
            for host, said in self._each.items()
            for lack in said.lacks(
                hooks,
                is_reached=is_reached,
                host="this host" if host is None or len(self._each) == 1 else host,
            )
        ]


def read_declaration(
    table: PointTable,
    points: Iterable[str],
    supports: Iterable[str] | Mapping[str, Iterable[str]],
    without: Iterable[str],
) -> Declaration:
    """Return a host's declaration, checked against the points that there are.

    Raises:
        UnknownPointError: a point does not exist.
        ValueError: ``points`` or ``without`` is no list, a point is in both, or ``supports`` says
            something that means nothing.
    """
    names, absent = _names(table, "points", points), frozenset(_names(table, "without", without))
    both = sorted(absent & set(names))
    if both:
        raise ValueError(f"{', '.join(both)} cannot be in points and in without")
    if isinstance(supports, str):
        raise ValueError(f'supports takes a list of words: ["{supports}"]')  # noqa: TRY004
    if not isinstance(supports, Mapping):
        answers = _checked(supports)
        return Declaration(dict.fromkeys(names, answers), absent)
    said = {table.find(point).name: words for point, words in supports.items()}
    unknown = sorted(set(said) - set(names))
    if unknown:
        raise ValueError(f"supports speaks of {', '.join(unknown)}, which points does not declare")
    heeded = {name: _checked(said.get(name, CAPABILITIES)) for name in names}
    return Declaration(heeded, absent)


def _names(table: PointTable, argument: str, points: Iterable[str]) -> list[str]:
    if isinstance(points, str):
        raise ValueError(f'{argument} takes a list of points: ["{points}"]')  # noqa: TRY004
    return [table.find(point).name for point in points]


def _checked(words: Iterable[str]) -> frozenset[str]:
    answers = frozenset(words)
    wrong = sorted(answers - set(CAPABILITIES))
    if wrong:
        raise ValueError(f"supports knows {', '.join(CAPABILITIES)}, not {', '.join(wrong)}")
    return answers


def check_declaration(
    declarations: Declarations, records: Iterable[Record], *, is_told: bool = True
) -> None:
    """Hold what hosts declare against what plugins need; log what is not required.

    Args:
        declarations: the declarations.
        records: the plugins.
        is_told: whether to log; what was logged already need not be said again.

    Raises:
        PluginLoadError: a required plugin needs what the host does not do.
    """
    problems = []
    for record in records:
        for lack in declarations.lacks(record.hooks):
            origin = record.hooks[0].origin()
            if record.operator.required:
                problems.append(f"{origin} is required, and {lack}")
            elif is_told:
                logger.warning("%s: %s", origin, lack)
    if problems:
        raise PluginLoadError(
            f"this host cannot keep what is required: {'; '.join(problems)}. Narrow the plugins' "
            "points in the configuration that requires them, or run another host",
            tuple(problems),
        )
