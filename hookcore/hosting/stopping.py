"""The failures and denials that must stop a run, of which a runtime would tell its model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from ..boundaries.run import RunBoundary
from ..dispatch.current import current_run
from ..dispatch.stops import Stop, open_stops, stop_runs

__all__ = ["Raised", "stop_if_failed", "stoppable", "stopping"]


@contextmanager
def stoppable(run: RunBoundary) -> Iterator[list[Exception]]:
    """Let the first thing that must stop a run leave the block as it was raised.

    It is the failure of a policy with ``on_error="raise"`` in the run or in one inside it, or what
    :func:`stopping` has taken note of. It leaves in the place of whatever the runtime has made of
    it: an error around it, or a result.

    Args:
        run: the run.

    Yields:
        What must stop the run, first things first: a runtime that goes on need not be waited for.

    Raises:
        Exception: the first thing that must stop the run.
    """
    stop = open_stops[run.run_id] = Stop(run.ctx.parent_run_id)
    try:
        yield stop.errors
    except Exception:
        if not stop.errors:
            raise
    finally:
        del open_stops[run.run_id]
    for error in stop.errors:
        raise error


class Raised:
    """The errors that a runtime's own call was left by, which are none of a policy's.

    ``with raised:`` around the call takes note of its error, and lets it pass.
    """

    def __init__(self) -> None:
        self._errors: list[BaseException] = []

    def __contains__(self, error: object) -> bool:
        """Return whether an error is one of them."""
        return any(error is known for known in self._errors)

    def __enter__(self) -> None:
        """Begin the call."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """End the call."""
        if error is not None:
            self._errors.append(error)


@contextmanager
def stopping(own: Raised, *signals: type[Exception]) -> Iterator[None]:
    """Let what is raised in the block stop the run that it is raised in.

    A policy's failure stops the runs around that one, too: an agent that is a tool of another one
    does not turn it into a tool's error. A denial stops only the run that it was said in.

    Args:
        own: the errors of the call itself, which are the runtime's business.
        signals: the runtime's exceptions that are no failures.
    """
    try:
        yield
    except Exception as error:
        if error not in own and not isinstance(error, signals):
            stop_runs(error, current_run().run_id)
        raise


def stop_if_failed() -> None:
    """Raise what the run that this is in must be stopped for, if there is anything.

    A runtime that has swallowed it is kept from asking a model once more.

    Raises:
        Exception: the first thing that must stop the run.
    """
    stop = open_stops.get(str(current_run().run_id))
    for error in () if stop is None else stop.errors:
        raise error
