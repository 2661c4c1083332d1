"""Dispatches whose context is nobody's we know, or whose answers the caller reads himself."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from hookcore_specs import HookContext

__all__ = ["ForeignContext", "Reducer"]

Reducer = Callable[[Any, Any], bool]
"""Reads what a hook returned into the context and says whether that changed something."""


class ForeignContext(HookContext):
    """Stands for the caller's own object in a dispatch; hooks of CrewAI's get that object.

    Args:
        origin: the caller's object.
        reducer: how the answers of hooks are read.
        attribute: which attribute of the origin is the payload; None when it has none.
        quiet: whether failures are kept off the terminal.
    """

    __slots__ = ("_attribute", "_reducer", "origin", "quiet")

    def __init__(
        self, origin: Any, reducer: Reducer, attribute: str | None, *, quiet: bool
    ) -> None:
        super().__init__(
            payload=None if attribute is None else getattr(origin, attribute),
            agent=getattr(origin, "agent", None),
        )
        self.origin = origin
        self.quiet = quiet
        self._reducer = reducer
        self._attribute = attribute

    @property
    def tool_name(self) -> Any:
        """The tool's name, where the origin has one."""
        return getattr(self.origin, "tool_name", None)

    @property
    def agent_role(self) -> Any:
        """The agent's role, where the origin has one."""
        return getattr(self.origin, "agent_role", None)

    def push(self) -> None:
        """Give the payload to the origin, when a policy has replaced it."""
        attribute = self._attribute
        if attribute is not None and getattr(self.origin, attribute) is not self.payload:
            setattr(self.origin, attribute, self.payload)

    def pull(self) -> None:
        """Take the payload from the origin."""
        if self._attribute is not None:
            self.payload = getattr(self.origin, self._attribute)

    def settle(self, result: Any, before: Any) -> bool:
        """Let the reducer read a hook's answer; return whether that changed something."""
        changed = bool(self._reducer(self.origin, result))
        self.pull()
        return changed or self.payload is not before


def calling_origin(call: Callable[[Any], Any]) -> Callable[[ForeignContext], Any]:
    """Return a function that calls a hook with the origin, and hears of every answer."""

    def run(ctx: ForeignContext) -> Any:
        ctx.push()
        result = call(ctx.origin)
        if inspect.isawaitable(result):
            return _finish(ctx, result)
        ctx.pull()
        return result

    return run


async def _finish(ctx: ForeignContext, result: Any) -> Any:
    value = await result
    ctx.pull()
    return value
