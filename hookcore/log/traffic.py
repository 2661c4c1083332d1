"""Recording live traffic: what went through each point, and what the hooks said to it.

docs/recording.md has the format. A line is made in a thread where nobody waits for it: what a
dispatch pays is a plain copy of the payload before its hooks, and one after them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextvars import ContextVar
from typing import Any, Protocol, TypeAlias

from pydantic_core import to_jsonable_python

from hookcore_specs import HookContext, HookDispatchedEvent, Kind, hookimpl

from ..errors import describe_failure
from ..hooks.points import PointSpec

__all__ = ["NAME", "VERSION", "Cleaner", "Recorded", "Recorder", "plain_value"]

VERSION = 1
"""The version of the format, in each line."""
NAME = "hookcore-recorder"
"""The name under which a recorder is registered."""
_FIRST = -(10**9)

Cleaner: TypeAlias = "Callable[[Any, str | None], Any]"
"""Returns a plain value of a run with what is secret replaced."""


class Recorded(Protocol):
    """A manager, as far as its traffic is recorded."""

    @property
    def points(self) -> Mapping[str, PointSpec]:
        """All points by name."""

    def register_configured(self, plugin: Any, name: str, /) -> str:
        """Register a plugin."""

    def unregister(self, plugin: Any, /) -> Any:
        """Remove a plugin."""

    def subscribe(self, function: Callable[[HookDispatchedEvent], object], /) -> Callable[[], None]:
        """Call a function with each event; return what ends that."""


class _Dispatch:
    """One dispatch that has begun: the payload before its hooks, and then after them."""

    def __init__(self, ctx: HookContext, *, with_payload: bool) -> None:
        self.point = str(ctx.point)
        self.told: dict[str, Any] = {
            "parent_run": ctx.parent_run_id,
            "model": getattr(ctx, "model", None),
            "status": getattr(ctx, "status", None),
        }
        error = getattr(ctx, "error", None)
        self.told["error"] = None if error is None else describe_failure(error)
        self.payloads: dict[str, Any] = {}
        if with_payload:
            self.payloads["before"] = plain_value(ctx.payload)

    def end(self, ctx: HookContext) -> None:
        """Note the payload as the hooks left it, where it is another one."""
        after = plain_value(ctx.payload)
        if after != self.payloads["before"]:
            self.payloads["after"] = after


_begun: ContextVar[tuple[_Dispatch, ...]] = ContextVar("hookcore_recorded", default=())


class Recorder:
    """Writes a line for each dispatch of a manager.

    Args:
        put: takes what makes a line.
        clean: replaces what is secret; None when lines are written as they are.
    """

    def __init__(self, put: Callable[[Callable[[], str]], object], clean: Cleaner | None) -> None:
        self._put = put
        self._clean = clean

    def attach(self, manager: Recorded) -> Callable[[], None]:
        """Record a manager's traffic; return what ends that."""
        hooks = {
            name: staticmethod(_told if spec.kind is Kind.OBSERVE else _around)
            for name, spec in manager.points.items()
            if spec.kind is Kind.INTERCEPT or name.endswith("_finished")
        }
        manager.register_configured(type("Points", (), hooks)(), NAME)
        unsubscribe = manager.subscribe(self._hear)

        def detach() -> None:
            unsubscribe()
            manager.unregister(NAME)

        return detach

    def _hear(self, event: HookDispatchedEvent) -> None:
        dispatch = _taken(event.interception_point)
        told = {
            "hookcore_record": VERSION,
            "at": event.timestamp.isoformat(),
            "point": event.interception_point,
            "run": event.run_id,
            "session": event.session_id,
            "call": event.call_id,
            "agent": event.agent,
            "tool": event.tool,
            "outcome": event.outcome,
            "source": event.abort_source,
            "verdicts": [
                {
                    "plugin": record.plugin,
                    "hook": record.hook,
                    "verdict": record.verdict,
                    "effect": record.effect,
                    "ms": round(record.duration_ms, 3),
                }
                for record in event.records
                if record.plugin != NAME
            ],
        }
        payloads = {"reason": event.abort_reason}
        if dispatch is not None:
            told |= dispatch.told
            payloads |= dispatch.payloads
        self._put(lambda: _line(told, payloads, self._clean))


@hookimpl(wrapper=True, tryfirst=True, priority=_FIRST)
def _around(ctx: HookContext) -> Generator[None, object, None]:
    dispatch = _begin(ctx, with_payload=True)
    try:
        yield
    finally:
        dispatch.end(ctx)


@hookimpl(tryfirst=True, priority=_FIRST)
def _told(ctx: HookContext) -> None:
    _begin(ctx, with_payload=False)


def _begin(ctx: HookContext, *, with_payload: bool) -> _Dispatch:
    dispatch = _Dispatch(ctx, with_payload=with_payload)
    _begun.set((*_begun.get(), dispatch))
    return dispatch


def _taken(point: str) -> _Dispatch | None:
    """Take the innermost dispatch of a point; what was begun inside it told of no end."""
    begun = _begun.get()
    for at in range(len(begun) - 1, -1, -1):
        if begun[at].point == point:
            _begun.set(begun[:at])
            return begun[at]
    return None


def _line(told: Mapping[str, Any], payloads: Mapping[str, Any], clean: Cleaner | None) -> str:
    if clean is not None:
        try:
            payloads = clean(payloads, told["run"])
        except BaseException as error:  # noqa: BLE001 - nothing leaves that nobody has cleaned
            payloads = {"withheld": describe_failure(error)}
    line = {key: value for key, value in told.items() if value is not None}
    line |= {key: value for key, value in payloads.items() if key == "before" or value is not None}
    return json.dumps(line)


def plain_value(value: Any) -> Any:
    """Return a value as JSON has it; of an object that JSON has no form for, its class's name."""
    try:
        plain = to_jsonable_python(
            value, fallback=_opaque, inf_nan_mode="strings", bytes_mode="base64"
        )
        json.dumps(plain)
    except Exception as error:  # noqa: BLE001 - an object's own methods may raise anything
        return {"$unreadable": type(error).__name__}
    return plain


def _opaque(value: Any) -> dict[str, str]:
    return {"$type": type(value).__qualname__}
