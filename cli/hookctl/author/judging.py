"""Running cases: each one alone with the plugin, in a manager of its own, as a dry run."""

from __future__ import annotations

import asyncio
import copy
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hookcore import HookAborted, HookManager
from hookcore.errors import HookcoreError
from hookcore.loading.settings import prepare
from hookcore.tracing import trace_changes

from ..failure import UsageError
from ..firing import jsonable, made_context, point_named
from ..settings.toml import toml
from ..tracebacks import Failures

if TYPE_CHECKING:
    from hookcore import HookContext
    from hookcore.tracing import Change

    from .cases import Case
    from .subjects import Subject

__all__ = ["Judged", "judge"]


_RUN = "case"


@dataclass(frozen=True, slots=True)
class Judged:
    """The result of a case."""

    case: Case
    verdict: str
    """``allow``, ``modify``, ``deny`` or ``error``."""
    problem: str | None
    """In words, what is not as the case says; None when all is."""


def judge(subject: Subject, target: object, case: Case, failures: Failures) -> Judged:
    """Run one case.

    Args:
        subject: the plugin.
        target: what its entry point names.
        case: the case.
        failures: keeps the tracebacks of hooks that fail.

    Returns:
        What became of it; a case that cannot be run has a problem too.
    """
    try:
        spec = point_named(case.point)
        contexts = [
            made_context(spec, copy.deepcopy(case.payload), case.tool, case.agent)
            for _ in range(case.repeat)
        ]
        plugin = prepare(target, case.settings)
    except (HookcoreError, UsageError) as error:
        return Judged(case, "error", f"it cannot be run: {getattr(error, 'message', error)}")
    except Exception as error:  # noqa: BLE001 - the plugin's own
        return Judged(case, "error", f"{type(error).__name__} when it is made: {error}")
    changes: list[Change] = []
    with closing(HookManager(track_mutations=True)) as manager:
        try:
            manager.register(plugin, name=subject.name)
        except HookcoreError as error:
            return Judged(case, "error", str(error))
        with trace_changes(manager, changes.append):
            for number, ctx in enumerate(contexts):
                changes.clear()
                ctx.run_id, ctx.call_id = _RUN, str(number)
                stopped, after = _dispatched(manager, case, ctx)
    for change in changes:
        failures.add(change)
    verdict = _verdict(changes, stopped, before=case.returns, after=after, case=case)
    return Judged(case, verdict, _problem(case, verdict, stopped, after, changes))


def _dispatched(
    manager: HookManager, case: Case, ctx: HookContext
) -> tuple[BaseException | None, Any]:
    is_wrap = str(manager.points[case.point].kind) == "wrap"
    try:
        if is_wrap:
            return None, asyncio.run(manager.awrap(case.point, ctx, lambda _: case.returns))
        return None, jsonable(manager.dispatch(case.point, ctx).payload)
    except HookAborted as error:
        return error, None
    except Exception as error:  # noqa: BLE001 - a plugin with on_error = "raise" may raise anything
        return error, None


def _verdict(
    changes: list[Change], stopped: BaseException | None, *, before: Any, after: Any, case: Case
) -> str:
    verdicts = {change.verdict for change in changes}
    if verdicts & {"error", "timeout"} or not isinstance(stopped, HookAborted | None):
        return "error"
    if stopped is not None:
        return "deny"
    changed = before != after if case.point.startswith("wrap_") else "modify" in verdicts
    return "modify" if changed else "allow"


def _problem(
    case: Case, verdict: str, stopped: BaseException | None, after: Any, changes: list[Change]
) -> str | None:
    reason = stopped.reason if isinstance(stopped, HookAborted) else None
    if verdict != case.expect:
        failed = [str(c.reason) for c in changes if c.verdict in {"error", "timeout"}]
        why = reason or "; ".join(failed) or (str(stopped) if stopped is not None else None)
        return f"expected {case.expect}, got {verdict}" + (f": {why}" if why else "")
    if case.reason is not None and case.reason not in (reason or ""):
        return f"the reason is {reason!r}, and has no {case.reason!r} in it"
    if case.result is not None and after != case.result:
        return f"the payload afterwards is {toml(after)}, not {toml(case.result)}"
    return None
