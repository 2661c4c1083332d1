"""The failures that must stop runs, known by the runs' ids, for hosts that let them be stopped."""

from __future__ import annotations

from typing import Any

from hookcore_specs import HookAborted

from .current import current_run

__all__ = ["Stop", "is_policy_failure", "note_failure", "open_stops", "stop_runs"]


class Stop:
    """The failures in one run that goes on.

    Args:
        parent_id: the id of the run around it.
    """

    def __init__(self, parent_id: str | None) -> None:
        self.parent_id = parent_id
        self.errors: list[Exception] = []


open_stops: dict[str, Stop] = {}
"""The runs that go on, of whatever runtime each is, by their ids."""


_MARK = "_hookcore_failed"


def is_policy_failure(error: BaseException) -> bool:
    """Return whether an error is the failure of a policy with ``on_error="raise"``.

    A host that makes results of what a tool raises lets these pass: the tool may be an agent, and
    the policy one that judges it.

    Args:
        error: the error.
    """
    return _MARK in error.__dict__


def stop_runs(error: Exception, run_id: str | None) -> None:
    """Take note of what must stop a run: a failure stops those around it, too.

    Args:
        error: the failure, or a denial, which stops only the run itself.
        run_id: the run's id.
    """
    while run_id in open_stops:
        stop = open_stops[str(run_id)]
        if not any(error is known for known in stop.errors):
            stop.errors.append(error)
        run_id = None if isinstance(error, HookAborted) else stop.parent_id


def note_failure(error: Any, ctx: Any) -> Any:
    """Take note of the failure of a hook of which the host has to hear; return it.

    Args:
        error: the failure.
        ctx: the context that the hook was called with.
    """
    error.__dict__[_MARK] = True
    if open_stops:
        run_id = ctx.run_id or current_run().run_id
        # A run that begins or ends is not open itself.
        stop_runs(error, run_id if run_id in open_stops else ctx.parent_run_id)
    return error
