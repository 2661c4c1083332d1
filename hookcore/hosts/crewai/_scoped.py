"""The hooks of the instances at work, in force in a run, and in the threads and tasks it starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from hookcore.compat.crewai._binding import binding
from hookcore.compat.crewai._lists import registration

from ._owned import hooks_of

__all__ = ["put_in_force", "scope_of_a_run"]

_INSTANCES = object()


def put_in_force(instances: Iterable[Any]) -> None:
    """Let the calling execution have the hooks of these instances, and of no others.

    What the program itself put into scopes stays. Nothing is done where nothing has changed.
    """
    hooks, scopes = hooks_of(instances), binding.manager._scopes
    applied = scopes.owned(_INSTANCES)
    if hooks != (() if applied is None else applied.content):
        given = [registration(point, hook, None) for point, hook in hooks]
        scopes.replace(_INSTANCES, given or None, hooks)


@contextmanager
def scope_of_a_run(instances: Iterable[Any]) -> Iterator[None]:
    """Put the hooks of instances in force until the block ends."""
    scopes = binding.manager._scopes
    with scopes.use(scopes.token()):
        put_in_force(instances)
        yield
