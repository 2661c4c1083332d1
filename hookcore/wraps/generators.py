"""Hooks around operations that are plain generators with one yield."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import RegistrationError
from ..hooks.hook import Hook

__all__ = ["advanced", "refuse_async", "use_yield"]


def refuse_async(hooks: Iterable[Hook]) -> None:
    """Refuse hooks that a host without an event loop cannot put around its operations.

    Raises:
        RegistrationError: one of them is async.
    """
    for hook in hooks:
        if hook.form != "yield":
            raise RegistrationError(
                f"{hook.origin()}: hook {hook.name} at {hook.spec.name} is async, and this "
                "host calls without an event loop: only a plain generator with one yield can "
                "stand around its operations"
            )


def advanced(generator: Any, value: Any, problem: BaseException | None = None) -> tuple[bool, Any]:
    """Let a generator go on; return whether it has ended, and what it yielded or returned."""
    try:
        if problem is None:
            return False, generator.send(value)
        return False, generator.throw(problem)
    except StopIteration as stop:
        return True, stop.value


def use_yield(_payload: Any = None) -> Any:
    """Stand for ``call_next`` in a hook that is a plain generator."""
    raise RuntimeError(
        "a plain generator calls the operation with its one yield, not with call_next()"
    )
