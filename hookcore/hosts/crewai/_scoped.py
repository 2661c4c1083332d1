"""Hooks that run in a block only, and for the threads and tasks that it starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hookcore.compat.crewai._binding import binding
from hookcore.compat.crewai._lists import registration

__all__ = ["in_scope"]

HookFn = Callable[[Any], Any]


@contextmanager
def in_scope(hooks: list[tuple[str, HookFn]]) -> Iterator[None]:
    """Add hooks, given with their points, until the block ends."""
    if not hooks:
        yield
        return
    with binding.manager.scope(*[registration(point, hook, None) for point, hook in hooks]):
        yield
