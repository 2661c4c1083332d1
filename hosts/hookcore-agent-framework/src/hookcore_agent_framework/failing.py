"""The failure of a policy, which the framework would take for a tool's where an agent is one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agent_framework import MiddlewareFailure

from hookcore import HookAborted
from hookcore.hosting import current_run

__all__ = ["PolicyFailed", "failing_loudly", "open_run"]

_open: set[str] = set()
"""The ids of the runs that are under way."""


class PolicyFailed(MiddlewareFailure):
    """Brings a policy's own failure past the framework's handling of tools' errors."""


@contextmanager
def failing_loudly(raised: list[BaseException]) -> Iterator[None]:
    """Let a policy's own failure stop all agents around it, where there are any.

    Args:
        raised: the errors that are no policy's.

    Raises:
        PolicyFailed: a policy failed; its error is the cause.
    """
    try:
        yield
    except (HookAborted, PolicyFailed):
        raise
    except Exception as error:
        if error in raised or current_run().run_id not in _open:
            raise
        raise PolicyFailed("a policy of hookcore failed") from error


@contextmanager
def open_run(run: Any) -> Iterator[None]:
    """Let a policy's failure out of the outermost run as it is.

    Args:
        run: the run.

    Raises:
        Exception: the policy's.
    """
    _open.add(run.run_id)
    try:
        yield
    except PolicyFailed as error:
        if run.ctx.parent_run_id in _open or error.__cause__ is None:
            raise  # on its way through the tool that this agent is
        raise error.__cause__ from None
    finally:
        _open.discard(run.run_id)
