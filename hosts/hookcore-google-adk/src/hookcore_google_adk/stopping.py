"""The failures that must stop a run, also where an application's error callback answers them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hookcore.hosting import current_run

__all__ = ["Stop", "stop_if_failed", "stopping"]

_stops: dict[str, Stop] = {}
"""The runs that go on, by their ids."""


class Stop:
    """A run's failures, as long as it goes on; a run that they stop, stops the one around it.

    Args:
        run_id: the run's id.
        parent_id: that of the run around it.
    """

    def __init__(self, run_id: str, parent_id: str | None) -> None:
        self._run_id, self._parent_id = run_id, parent_id
        self.errors: list[Exception] = []
        _stops[run_id] = self

    def check(self) -> None:
        """Raise the first failure."""
        if self.errors:
            raise self.errors[0]

    def close(self) -> None:
        """Forget the run."""
        _stops.pop(self._run_id, None)
        parent = _stops.get(str(self._parent_id))
        if parent is not None:
            parent.errors += self.errors


@contextmanager
def stopping(
    own: Sequence[BaseException], flow: type[Exception] | tuple[()] = ()
) -> Iterator[None]:
    """Let an exception stop the run that it is raised in, unless the call itself failed with it.

    Args:
        own: the exceptions of the call itself.
        flow: a signal that is no failure.
    """
    try:
        yield
    except Exception as error:
        stop = _stops.get(str(current_run().run_id))
        if stop is not None and error not in own and not isinstance(error, flow):
            stop.errors.append(error)
        raise


def stop_if_failed() -> None:
    """Raise what the run that this is in has to be stopped for."""
    stop = _stops.get(str(current_run().run_id))
    if stop is not None:
        stop.check()
