"""The table of points that a manager knows: the standard ones and the host's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hookcore_specs import InterceptionPoint, Kind, SpecOptions, spec_options

from ..errors import RegistrationError, UnknownPointError
from ..naming.suggest import did_you_mean

__all__ = ["PointSpec", "PointTable", "read_specs"]

_STANDARD = {str(member): member for member in InterceptionPoint}
_SPEC_ATTRIBUTE = "hookcore_spec"
_PARAMETERS = {Kind.WRAP: ("ctx", "call_next")}


@dataclass(frozen=True, slots=True, eq=False)
class PointSpec:
    """One point: its name, what it is, and where it was specified."""

    name: str
    options: SpecOptions
    doc: str
    owner: str
    """The spec class or module that declares the point."""
    function: Callable[..., Any]

    @property
    def kind(self) -> Kind:
        """The kind of the point."""
        return self.options.kind

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names that a hookimpl's parameters may have."""
        return _PARAMETERS.get(self.kind, ("ctx",))

    @property
    def has_tool(self) -> bool:
        """True when a ``tools=`` filter has a meaning here."""
        return self.options.tool_filter

    def namespace(self) -> type:
        """Return an object that declares this point alone, for a pluggy manager to read."""
        return type("Specs", (), {self.name: self.function})

    @property
    def label(self) -> InterceptionPoint | str:
        """The name as contexts carry it: the enum's member for a standard point."""
        return _STANDARD.get(self.name, self.name)


class PointTable(Mapping[str, PointSpec]):
    """All points of a manager by name, in the order in which they were added."""

    def __init__(self) -> None:
        self._specs: dict[str, PointSpec] = {}

    def __getitem__(self, name: str) -> PointSpec:
        return self._specs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def add(self, specs: Iterable[PointSpec]) -> None:
        """Add points that :func:`read_specs` found."""
        self._specs = {**self._specs, **{spec.name: spec for spec in specs}}

    def restore(self, specs: Mapping[str, PointSpec]) -> None:
        """Make the table hold these points and no others, as it did at an earlier time."""
        self._specs = dict(specs)

    def find(self, point: str) -> PointSpec:
        """Return the point with this name; raise :exc:`UnknownPointError` with a suggestion."""
        try:
            return self._specs[point]
        except (KeyError, TypeError):
            raise UnknownPointError(
                f"there is no point {point!s}{did_you_mean(str(point), self._specs)}"
            ) from None


def read_specs(namespace: object, table: PointTable) -> list[PointSpec]:
    """Return the specs that a class or module declares with ``@hookspec``.

    Raises:
        RegistrationError: it declares none, one that exists already, or one with a signature that
            hooks cannot meet.
    """
    owner = str(getattr(namespace, "__qualname__", getattr(namespace, "__name__", namespace)))
    functions = sorted(_declared(namespace), key=lambda item: item[1].__code__.co_firstlineno)
    found = [_read_spec(name, function, owner, table) for name, function in functions]
    if not found:
        raise RegistrationError(f"{owner} declares no points: mark them with @hookspec", namespace)
    return found


def _declared(namespace: object) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in dir(namespace):
        static = inspect.getattr_static(namespace, name, None)
        function = static.__func__ if isinstance(static, (staticmethod, classmethod)) else static
        if inspect.isfunction(function) and hasattr(function, _SPEC_ATTRIBUTE):
            yield name, function


def _read_spec(name: str, function: Callable[..., Any], owner: str, table: PointTable) -> PointSpec:
    if name in table:
        raise RegistrationError(
            f"{owner} declares the point {name!r}, which {table[name].owner} declares already"
        )
    spec = PointSpec(name, spec_options(function), inspect.getdoc(function) or "", owner, function)
    parameters = [item for item in inspect.signature(function).parameters if item != "self"]
    if tuple(parameters) != spec.parameters:
        raise RegistrationError(
            f"{owner}.{name} must take ({', '.join(spec.parameters)}), not "
            f"({', '.join(parameters)}): a {spec.kind} point's hooks get these arguments"
        )
    return spec
