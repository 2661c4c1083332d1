"""The hooks of the instances at work, in force in a run, and in the threads and tasks it starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from hookcore import RegistrationError

from ._owned import HookFn, hooks_of
from .hooks._binding import binding
from .hooks._lists import registration

__all__ = ["check", "put_hooks_in_force", "put_in_force", "scope_of_a_run"]

_INSTANCES = object()


def check(point: str, hook: HookFn) -> None:
    """See to it that a hook can be put in force, before anybody relies on it.

    Raises:
        RegistrationError: it cannot be called with a context.
    """
    try:
        binding.manager.parts.scoping.check(registration(point, hook, None))
    except RegistrationError as error:
        raise RegistrationError(
            f"{error}; a hook that is a method of a @CrewBase class takes self and ctx"
        ) from error


def put_in_force(instances: Iterable[Any]) -> None:
    """Let the calling execution have the hooks of these instances, and of no others.

    What the program itself put into scopes stays. Nothing is done where nothing has changed.
    """
    put_hooks_in_force(_INSTANCES, hooks_of(instances))


def put_hooks_in_force(owner: object, hooks: tuple[tuple[str, HookFn], ...]) -> None:
    """Let the calling execution have these hooks of an owner's, given with their points."""
    parts = binding.manager.parts
    applied = parts.plans.scopes.owned(owner)
    if hooks != (() if applied is None else applied.content):
        given = [registration(point, hook, None) for point, hook in hooks]
        parts.scoping.replace(owner, given or None, hooks)


@contextmanager
def scope_of_a_run(instances: Iterable[Any]) -> Iterator[None]:
    """Put the hooks of instances in force until the block ends."""
    scopes = binding.manager.parts.plans.scopes
    with scopes.use(scopes.token()):
        put_in_force(instances)
        yield
