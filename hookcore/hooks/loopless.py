"""Wrap points around which a host calls without an event loop: async wraps are refused there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import isgeneratorfunction
from typing import Any

from hookcore_specs import Kind

from ..errors import RegistrationError
from .hook import Hook
from .points import PointSpec

__all__ = ["Loopless"]


class Loopless:
    """The points, each with the host that said so; shared by a manager and its scopes.

    Args:
        everywhere: whether the host has no event loop at any wrap point.
    """

    def __init__(self, *, everywhere: bool = False) -> None:
        self._everywhere = everywhere
        self._points: Mapping[str, str] = {}

    def __len__(self) -> int:
        """Return how many points hosts have named, which only grows."""
        return len(self._points)

    def add(self, specs: Iterable[PointSpec], host: str, hooks: Iterable[Hook]) -> None:
        """Refuse async wraps at more points, those that are registered included.

        Args:
            specs: the points.
            host: the host's name, for messages.
            hooks: the hooks that are registered.

        Raises:
            RegistrationError: async wraps are registered there; nothing was changed.
            ValueError: one of the points is no wrap point.
        """
        names = {}
        for spec in specs:
            if spec.kind is not Kind.WRAP:
                raise ValueError(f"{spec.name} is no wrap point: only wraps need an event loop")
            names[spec.name] = host
        wrong = [
            f"{hook.origin()}, hook {hook.name} at {hook.spec.name}"
            for hook in hooks
            if hook.spec.name in names and hook.form != "yield"
        ]
        if wrong:
            raise RegistrationError(
                f"{host} calls without an event loop, and async wraps are registered: "
                f"{'; '.join(wrong)}. Write them as plain generators with one yield, which serve "
                "sync and async hosts alike, or take the plugins out"
            )
        self._points = {**self._points, **names}

    def check(self, where: str, function: Callable[..., Any], spec: PointSpec) -> None:
        """See to it that a function can be a hook of a point.

        Raises:
            RegistrationError: it is an async wrap where a host has no event loop.
        """
        if spec.kind is not Kind.WRAP or isgeneratorfunction(function):
            return
        host = "this host" if self._everywhere else self._points.get(spec.name)
        if host is not None:
            raise RegistrationError(
                f"{where} cannot be registered: {host} calls its wraps without an event loop, so "
                "a wrap has to be a plain generator with one yield"
            )
