"""A trace whose keeper knows payloads: the compiled loop tells what the engine tells by copies."""

from __future__ import annotations

import contextlib
from copy import deepcopy
from typing import Any

from hypothesis import given

from hookcore import HookContext
from hookcore.tracing import Change, Keeper, trace_changes

from .cases import Case, cases
from .harness import Bench
from .outcomes import Outcome


class Knowing:
    """Knows what is dispatched before any hook does, and copies what hooks make of it."""

    def before(self, ctx: HookContext) -> Any:
        return deepcopy(ctx.payload)

    def after(self, payload: Any, before: Any) -> Any:
        return before if payload == before else deepcopy(payload)


def traced(case: Case, keeper: Keeper | None) -> list[tuple[Outcome, list[Any]]]:
    """Dispatch a case twice, the second time with warm caches, and return what is told of it."""
    changes: list[Change] = []
    found = []
    with contextlib.closing(Bench(case)) as bench:
        for _ in range(2):
            with trace_changes(bench.manager, changes.append, keeper):
                found.append((bench.sync(), [*map(_told, changes)]))
            changes.clear()
    return found


def _told(change: Change) -> tuple[Any, ...]:
    return (
        *(change.point, change.plugin, change.hook, change.verdict, change.effect),
        *(change.reason, change.message, change.before, change.after, type(change.error)),
    )


@given(case=cases())
def test_a_keeper_changes_nothing_of_what_a_trace_tells(case: Case) -> None:
    assert traced(case, Knowing()) == traced(case, None)
