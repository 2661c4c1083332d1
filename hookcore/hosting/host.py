"""The declaration of a host, said once: for ``declare``, for its page, for ``hookctl hosts``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, get_args

from hookcore_specs import STANDARD_SPECS, Kind

from ..hooks.points import PointTable, read_specs
from ..manager import HookManager

__all__ = ["GROUP", "Answer", "Host", "Mode", "heeds"]

GROUP: Final = "hookcore.hosts"
"""The entry-point group in which adapters offer their :class:`Host`."""

Mode = Literal["sync", "async", "stream"]
"""The way a host carries an operation out."""
Answer = Literal["change", "replace", "abort", "wrap", "answer"]
"""The answers that a host heeds: edits in place, a payload, an abort, a wrap, a collected yes."""

_MODES: Final[tuple[Mode, ...]] = get_args(Mode)
_ANSWERS: Final[tuple[Answer, ...]] = get_args(Answer)
_OF_KIND: Final[Mapping[Kind, tuple[Answer, ...]]] = {
    Kind.INTERCEPT: ("change", "replace", "abort"),
    Kind.WRAP: ("wrap",),
    Kind.OBSERVE: (),
    Kind.COLLECT: ("answer",),
}


def heeds(
    points: Iterable[str],
    modes: Iterable[Mode] = ("async",),
    answers: Iterable[Answer] | None = None,
) -> dict[str, dict[Mode, tuple[Answer, ...]]]:
    """Return what a host heeds at points that are alike, for ``Host(points=...)``.

    Args:
        points: the points.
        modes: the modes in which they fire there.
        answers: what is heeded; when None, all that there can be at a point of its kind.

    Raises:
        UnknownPointError: there is no such standard point, and ``answers`` is not given.
        ValueError: a mode or an answer means nothing.
    """
    given = None if answers is None else tuple(answers)
    found: dict[str, dict[Mode, tuple[Answer, ...]]] = {}
    for point in points:
        name = str(point)
        heeded = _OF_KIND[_standard().find(name).kind] if given is None else given
        found[name] = dict.fromkeys(modes, heeded)
        _check(name, found[name])
    return found


@dataclass(frozen=True, kw_only=True)
class Host:
    """A host: the runtime that it governs, and what it heeds at which point.

    An adapter offers its own under the entry-point group ``hookcore.hosts``, in a module that
    imports nothing of the runtime; ``hookctl hosts`` shows it.

    Args:
        name: the host's name.
        runtime: the distribution that it adapts; its own where it is a runtime itself.
        tested: the first version of that which it was tested with, and the first that it was not;
            None where it is a runtime itself.
        points: what it heeds at each point that it fires, by mode; see :func:`heeds`.
        without: the points of operations that the runtime does not have.

    Raises:
        ValueError: a mode or an answer means nothing, or a point is in ``points`` and ``without``.
    """

    name: str
    runtime: str
    tested: tuple[str, str] | None = None
    points: Mapping[str, Mapping[Mode, tuple[Answer, ...]]]
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check what was given."""
        for point, support in self.points.items():
            _check(point, support)
        both = sorted(set(map(str, self.without)) & set(map(str, self.points)))
        if both:
            raise ValueError(f"{', '.join(both)} cannot be in points and in without")

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes in which anything fires."""
        return tuple(mode for mode in _MODES if any(mode in s for s in self.points.values()))

    def declare(self, manager: HookManager, modes: Iterable[Mode] | None = None) -> None:
        """Say to a manager what the host dispatches and heeds, and refuse what it cannot serve.

        Args:
            manager: the hooks.
            modes: the modes that the program uses, all of the host's when None. In a program that
                is async throughout, leaving out "sync" lets async wraps be registered.

        Raises:
            PluginLoadError: a required plugin needs what the host does not do.
            RegistrationError: an async wrap is registered that would be called without a loop.
        """
        used = set(self.modes if modes is None else modes)
        fires = {
            point: [support[mode] for mode in support if mode in used]
            for point, support in self.points.items()
            if used.intersection(support)
        }
        supports = {
            point: [word for word, answer in _WORDS if all(answer in each for each in heeded)]
            for point, heeded in fires.items()
        }
        loopless = [
            point
            for point, support in self.points.items()
            if "sync" in used and "wrap" in support.get("sync", ())
        ]
        with manager.changing():
            if loopless:
                manager.refuse_async_wraps(loopless, host=self.name)
            manager.declare(fires, supports, without=self.without, host=self.name)


_WORDS: Final[tuple[tuple[str, Answer], ...]] = (("modify", "replace"), ("abort", "abort"))
"""The names of the answers in a declaration."""


def _check(point: str, support: Mapping[Mode, tuple[Answer, ...]]) -> None:
    wrong = sorted({*support} - {*_MODES} | {a for s in support.values() for a in s} - {*_ANSWERS})
    if wrong:
        raise ValueError(
            f"{point}: a host's modes are {', '.join(_MODES)} and its answers "
            f"{', '.join(_ANSWERS)}, not {', '.join(wrong)}"
        )


@cache
def _standard() -> PointTable:
    table = PointTable()
    for namespace in STANDARD_SPECS:
        table.add(read_specs(namespace, table))
    return table
