"""The mark "already inside this call": two adapters in one process dispatch one call once.

A mark lies in a context variable while the body of a call runs, so tasks and threads that are
started with the context have it too. Only the innermost counts, only until its body has ended, and
only in the run and the scope that it was set in; and a call is inside another only when the same
manager judged all that it asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any

from hookcore_specs import HookContext, ModelCallContext, ToolCallContext

from ..dispatch.current import CURRENT
from ..dispatch.parts import HasParts
from ..dispatch.plans import Plans

__all__ = [
    "MARK",
    "Mark",
    "inside_model",
    "inside_tool",
    "is_inside_model",
    "is_inside_tool",
]


class Mark:
    """A call whose body may be running.

    Args:
        plans: those of the manager that dispatched it.
        ctx: its context.
    """

    def __init__(self, plans: Plans, ctx: HookContext) -> None:
        self.plans = plans
        self.ctx: Any = ctx
        #: The messages or the arguments, the run and the scope of the body while it runs. What it
        #: leaves running for later is none of it.
        self.under_way: tuple[Any, Any, Any] | None = None


MARK: ContextVar[Mark | None] = ContextVar("hookcore_inside", default=None)


def enter(mark: Mark, request: Any) -> Token[Mark | None]:
    """Set a mark before the body is entered; :func:`leave` takes it back.

    Args:
        mark: the mark.
        request: the messages or the arguments that the body gets.
    """
    mark.under_way = (request, CURRENT.get(), mark.plans.scopes.current)
    return MARK.set(mark)


def leave(mark: Mark, token: Token[Mark | None]) -> None:
    """Take back what :func:`enter` did."""
    mark.under_way = None
    leave_mark(token)


def leave_mark(token: Token[Mark | None]) -> None:
    """Take back the setting of a mark alone: the body that it is of goes on."""
    try:  # noqa: SIM105 - suppress() costs as much as the rest of a mark
        MARK.reset(token)
    except ValueError:
        pass  # it ends in another context than it began in


def begin(mark: Mark, request: Any) -> None:
    """Note that the body of a call that streams is entered: it sets the mark in each of its steps.

    Args:
        mark: the mark.
        request: the messages that the body gets.
    """
    mark.under_way = (request, CURRENT.get(), mark.plans.scopes.current)


def end(mark: Mark) -> None:
    """Note that a body that streams has ended."""
    mark.under_way = None


@contextmanager
def _marked(mark: Mark, request: Any) -> Iterator[None]:
    token = enter(mark, request)
    try:
        yield
    finally:
        leave(mark, token)


def inside_tool(manager: HasParts, name: str, arguments: Any, *, call_id: str | None = None) -> Any:
    """Mark a block as the body of a tool call; boundaries of hookcore's do so by themselves.

    Args:
        manager: the hooks.
        name: the tool's name.
        arguments: the arguments that the hooks settled on.
        call_id: the call's id.

    Returns:
        A context manager.
    """
    return _marked(
        Mark(manager.parts.plans, ToolCallContext(tool_name=name, call_id=call_id)), arguments
    )


def inside_model(manager: HasParts, messages: Any, *, model: str | None = None) -> Any:
    """Mark a block as the body of a model call; boundaries of hookcore's do so by themselves.

    Args:
        manager: the hooks.
        messages: the messages that the hooks settled on.
        model: the model's name.

    Returns:
        A context manager.
    """
    return _marked(Mark(manager.parts.plans, ModelCallContext(model=model)), messages)


def is_inside_tool(
    manager: HasParts, name: str, arguments: Any, *, call_id: str | None = None
) -> bool:
    """Return whether a tool call is carried out by the body of the same call.

    For adapters below others: the call was dispatched already, and is to be made as it is. A call
    of another tool, with other arguments, with another id, or in another run is another call.

    Args:
        manager: the hooks.
        name: the tool's name.
        arguments: its arguments, as they are about to be used.
        call_id: the call's id, where the adapter knows it.
    """
    found = _innermost(manager, ToolCallContext)
    if found is None or found[0].tool_name != name:
        return False
    ctx, request = found
    if call_id is not None and ctx.call_id is not None and ctx.call_id != call_id:
        return False
    return request is arguments or bool(request == arguments)


def is_inside_model(manager: HasParts, messages: Any, *, model: str | None = None) -> bool:
    """Return whether a model call is carried out by the body of the same call.

    It is when the enclosing call's messages hold every text of these, in whatever shape, so that
    nothing is sent that was not judged; what cannot be read is another call.

    Args:
        manager: the hooks.
        messages: the messages, as they are about to be sent.
        model: the model's name; another one than the enclosing call's makes it another call. An
            adapter that routes among models leaves it out.
    """
    found = _innermost(manager, ModelCallContext)
    if found is None:
        return False
    ctx, request = found
    if model is not None and ctx.model is not None and ctx.model != model:
        return False
    if request is messages:
        return True
    from hookcore_specs.texts import covers  # most programs start without it

    return covers(request, messages)


def _innermost(manager: HasParts, kind: type[HookContext]) -> tuple[Any, Any] | None:
    """Return the context and the request of the call that this is in, if it is of that kind."""
    mark = MARK.get()
    under_way = None if mark is None else mark.under_way
    if mark is None or under_way is None or not isinstance(mark.ctx, kind):
        return None
    if mark.plans is not manager.parts.plans:
        return None  # it was judged by others
    request, run, scope = under_way
    # Another run has a state of its own, and another scope more policies.
    is_there = run is CURRENT.get() and scope is mark.plans.scopes.current
    return (mark.ctx, request) if is_there else None
