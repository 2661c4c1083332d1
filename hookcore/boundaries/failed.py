"""A body that failed and has a value to go on with: many runtimes tell a model of the error."""

from __future__ import annotations

from typing import Any

from ..dispatch.services import Services

__all__ = ["BodyFailed", "gone_on"]


class BodyFailed(Exception):  # noqa: N818 - it says what happened, and never leaves the boundary
    """The body of a call failed, and the host goes on with a value all the same.

    A host's function raises it. Hooks after the body see the value as the payload and the error as
    ``ctx.error``, and may replace the one or deny the call. The call ends with the status
    ``"error"``, and the boundary returns the value as the hooks left it.

    Args:
        value: what the host goes on with, such as the text that its model is told.
        error: the failure.

    Raises:
        TypeError: ``error`` is no exception.
    """

    def __init__(self, value: Any, error: Exception) -> None:
        if not isinstance(error, Exception):
            raise TypeError(f"a body fails with an exception, not with {error!r}")
        super().__init__(f"the body failed: {type(error).__name__}")
        self.value = value
        self.error = error


def gone_on(failed: BodyFailed, services: Services) -> Any:
    """Return what a host goes on with after its body has failed, where no hook looks at it.

    Args:
        failed: what the body raised.
        services: the manager's.

    Raises:
        Exception: the failure is a signal of the host's, which passes.
    """
    if services.passes(failed.error):
        raise failed.error
    return failed.value
