"""The gateway's points."""

from __future__ import annotations

from ..contexts import GatewayContext
from ..markers import hookspec
from ..points import Kind

__all__ = ["GatewaySpecs"]


class GatewaySpecs:
    """The process that serves channels: its start, its stop, its heartbeat."""

    @hookspec(kind=Kind.OBSERVE, context=GatewayContext)
    def gateway_start(self, ctx: GatewayContext) -> None:
        """The gateway listens (``ctx.host``, ``ctx.port``); no payload."""

    @hookspec(kind=Kind.OBSERVE, context=GatewayContext)
    def gateway_stop(self, ctx: GatewayContext) -> None:
        """The gateway has drained its work and stops; no payload."""

    @hookspec(kind=Kind.OBSERVE, context=GatewayContext)
    def heartbeat_tick(self, ctx: GatewayContext) -> None:
        """The gateway's heart beats, once each interval; no payload."""
