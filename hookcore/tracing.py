"""Seeing what each hook did to a payload: for replay, dry runs and tests, not for production."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hookcore_specs import Effect, HookAborted, HookRecord, Verdict

from .dispatch.services import Keeper
from .manager import HookManager

__all__ = ["Change", "Keeper", "trace_changes"]


@dataclass(frozen=True, slots=True)
class Change:
    """A verdict of a hook other than allow; ``before`` and ``after`` are copies of the payload."""

    point: str
    plugin: str
    hook: str
    verdict: Verdict
    effect: Effect
    reason: str | None
    """An abort's reason; a failure's class and place."""
    message: str | None
    before: Any
    after: Any
    error: BaseException | None = None
    """The exception of an abort or a failure."""


@contextmanager
def trace_changes(
    manager: HookManager, function: Callable[[Change], object], keeper: Keeper | None = None
) -> Iterator[None]:
    """Call ``function`` for every hook that does something other than allow, until the block ends.

    Payloads are copied around every hook and mutations are tracked meanwhile. ``function`` runs
    inside the dispatch: what it raises reaches the host.

    Args:
        manager: the manager whose dispatches are traced.
        function: is told of each change.
        keeper: who knows what payloads are before any hook, where somebody does; then plain
            functions are called without the copies.
    """

    def tracer(
        point: str, record: HookRecord, error: BaseException | None, before: Any, after: Any
    ) -> None:
        aborted = error if isinstance(error, HookAborted) else None
        function(
            Change(
                point=point,
                plugin=record.plugin,
                hook=record.hook,
                verdict=record.verdict,
                effect=record.effect,
                reason=aborted.reason if aborted is not None else record.error,
                message=aborted.message if aborted is not None else None,
                before=before,
                after=after,
                error=error,
            )
        )

    with manager.traced(tracer, keeper):
        yield
