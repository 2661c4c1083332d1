"""The checks of the kit, each with what a host must have for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from ...hosting import TOOL_POINTS, Host, Mode
from .case import Case
from .driver import Driver

__all__ = ["CHECKS", "MODEL", "RUN", "TOOL", "Check", "check"]

TOOL = ("pre_tool_call",)
MODEL = ("pre_model_call",)
RUN = ("execution_start",)

Body = Callable[[Case], Awaitable[None]]


@dataclass(frozen=True)
class Check:
    """One thing that a host has to do.

    Args:
        name: what it is, as a sentence.
        group: what it is about: tools, models, streams, runs, agents or the runtime.
        body: what finds out.
        points: the points that a host must fire.
        features: the features that its runtime must have.
        modes: the modes of the ways that it is for.
        in_loop: whether it is not for ways that run in a thread.
        heavy: whether it is tried in the first way of a mode only.
    """

    name: str
    group: str
    body: Body
    points: tuple[str, ...]
    features: tuple[str, ...]
    modes: tuple[Mode, ...]
    in_loop: bool
    heavy: bool

    def lack(self, driver: type[Driver], way: str) -> str | None:
        """Return why there is nothing to check on a runtime, None when there is."""
        mode = driver.ways[way]
        unfired = [point for point in self.points if not _fires(driver.host, point, mode)]
        if unfired:
            return f"{driver.host.name} does not declare {', '.join(unfired)} for {mode} ways"
        absent = [feature for feature in self.features if feature not in driver.features]
        if absent:
            return f"{driver.host.name} has no {', '.join(absent)}"
        if self.in_loop and way in driver.threads:
            return f"{way} runs in a thread"
        first = next(other for other, its in driver.ways.items() if its == mode)
        if self.heavy and way != first:
            return f"it is for {first}"
        return None if mode in self.modes else f"it is not for {mode} ways"


def _fires(host: Host, point: str, mode: Mode) -> bool:
    """Return whether a host heeds a point in a mode; tools are called by streamed runs as well."""
    return point in host.points and (point in TOOL_POINTS or mode in host.points[point])


CHECKS: list[Check] = []
"""All checks, in the order of the report."""

_ALL: tuple[Mode, ...] = ("sync", "async", "stream")


def check(
    *points: str,
    features: Iterable[str] = (),
    modes: Iterable[Mode] = _ALL,
    in_loop: bool = False,
    heavy: bool = False,
) -> Callable[[Body], Body]:
    """Add a function to the checks; its module is its group, its name the sentence.

    Args:
        points: the points that a host must fire.
        features: the features that its runtime must have.
        modes: the modes of the ways that it is for.
        in_loop: whether it is not for ways that run in a thread.
        heavy: whether it is tried in the first way of a mode only.
    """

    def add(body: Body) -> Body:
        group = body.__module__.rpartition(".")[2]
        name = body.__name__.replace("_", " ")
        CHECKS.append(
            Check(name, group, body, points, tuple(features), tuple(modes), in_loop, heavy)
        )
        return body

    return add
