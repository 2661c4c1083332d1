"""A denial as it leaves a host: runtimes show ``str(error)`` to users and models."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from functools import wraps
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from types import TracebackType
from typing import Any, TypeVar, cast

from hookcore_specs import HookAborted

__all__ = ["PolicyDenied", "denials_outside", "outside"]

_F = TypeVar("_F", bound=Callable[..., Any])


class PolicyDenied(HookAborted):
    """A policy's denial, for the outside: its text is the ``message``, its ``reason`` too.

    What the operator is to read is in ``__cause__``, the denial as it was.

    Args:
        message: the text for users and models.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, message=message)


def outside(error: HookAborted) -> PolicyDenied:
    """Return a denial for the outside: ``str()`` of it is the message, and never the reason.

    Args:
        error: the denial, which becomes the cause.
    """
    if isinstance(error, PolicyDenied):
        return error
    denied = PolicyDenied(error.message)
    denied.__cause__ = error
    return denied


class denials_outside:  # noqa: N801 - used like a function of contextlib's
    """Let denials leave a block, or a decorated function, as :class:`PolicyDenied`.

    The function may be async, or a generator of either sort.
    """

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """End the block.

        Raises:
            PolicyDenied: a policy denied what the block does.
        """
        if isinstance(error, HookAborted) and not isinstance(error, PolicyDenied):
            raise outside(error) from error

    def __call__(self, function: _F) -> _F:
        """Return the function with its denials for the outside."""
        call: Any = function
        wrapped: Any
        if isasyncgenfunction(call):

            async def wrapped(*args: Any, **kwargs: Any) -> Any:
                with self:
                    async with aclosing(call(*args, **kwargs)) as items:
                        async for item in items:
                            yield item

        elif iscoroutinefunction(call):

            async def wrapped(*args: Any, **kwargs: Any) -> Any:
                with self:
                    return await call(*args, **kwargs)

        elif isgeneratorfunction(call):

            def wrapped(*args: Any, **kwargs: Any) -> Any:
                with self:
                    return (yield from call(*args, **kwargs))

        else:

            def wrapped(*args: Any, **kwargs: Any) -> Any:
                with self:
                    return call(*args, **kwargs)

        return cast("_F", wraps(call)(wrapped))
