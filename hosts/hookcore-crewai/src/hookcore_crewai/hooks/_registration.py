"""The four older families of register functions, made from one pattern."""

from __future__ import annotations

from ._lists import LISTS, HookFn, HookList
from ._points import InterceptionPoint

__all__ = ["Family"]


class Family:
    """Register, unregister, get and clear for the hooks of one point."""

    def __init__(self, point: InterceptionPoint) -> None:
        self.hooks: HookList = LISTS[point]

    def register(self, hook: HookFn) -> None:
        """Register a hook as the last one.

        Raises:
            RegistrationError: it cannot be called with a context.
        """
        self.hooks.append(hook)

    def unregister(self, hook: HookFn) -> bool:
        """Unregister a hook, also one with filters; say whether it was there."""
        return self.hooks.discard(hook)

    def get(self) -> list[HookFn]:
        """Return the registered hooks, in a list of the caller's own."""
        return list(self.hooks)

    def clear(self) -> int:
        """Unregister all hooks and return how many there were."""
        return self.hooks.empty()
