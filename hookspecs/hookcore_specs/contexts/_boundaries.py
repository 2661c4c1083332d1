"""The contexts of the gateway, session, message, setup, run, turn, step and event points."""

from __future__ import annotations

from typing import Any

from ._base import HookContext

__all__ = [
    "EndingContext",
    "EventContext",
    "GatewayContext",
    "MessageContext",
    "RunContext",
    "SessionContext",
    "SetupContext",
    "StepContext",
    "TurnContext",
]


class GatewayContext(HookContext):
    """The gateway starts, stops, or its heart beats."""

    __slots__ = ("host", "port")

    def __init__(self, *, host: str | None = None, port: int | None = None, **common: Any) -> None:
        super().__init__(**common)
        self.host = host
        self.port = port


class SessionContext(HookContext):
    """A session begins or ends."""

    __slots__ = ("channel", "reason")

    def __init__(
        self, *, channel: str | None = None, reason: str | None = None, **common: Any
    ) -> None:
        super().__init__(**common)
        self.channel = channel
        self.reason = reason


class MessageContext(HookContext):
    """A channel message comes in, is about to leave, or was delivered."""

    __slots__ = ()


class SetupContext(HookContext):
    """A request is set up: its tools, its state, its message."""

    __slots__ = ()


class EndingContext(HookContext):
    """The base of a boundary's contexts: how it ended, and whether its body began."""

    __slots__ = ("entered", "error", "status")

    def __init__(
        self,
        *,
        status: str | None = None,
        error: BaseException | None = None,
        entered: bool = False,
        **common: Any,
    ) -> None:
        super().__init__(**common)
        self.status = status
        self.error = error
        self.entered = entered


class RunContext(EndingContext):
    """A run: one execution of an agent, a crew or a flow.

    ``status`` is "completed", "failed" or "cancelled" at ``execution_end``, and "ok", "error",
    "denied" or "cancelled" at ``run_finished``.
    """

    __slots__ = ()


class TurnContext(EndingContext):
    """A turn: the model's answer and the tool calls that it asks for."""

    __slots__ = ("index",)

    def __init__(self, *, index: int | None = None, **common: Any) -> None:
        super().__init__(**common)
        self.index = index


class StepContext(EndingContext):
    """A step: one task of a crew, or one method of a flow."""

    __slots__ = ("kind", "step_name")

    def __init__(
        self, *, kind: str | None = None, step_name: str | None = None, **common: Any
    ) -> None:
        super().__init__(**common)
        self.kind = kind
        self.step_name = step_name


class EventContext(HookContext):
    """An event: from a plugin, from outside, or of hookcore's own telemetry."""

    __slots__ = ()
