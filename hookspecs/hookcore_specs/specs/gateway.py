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
        """The gateway listens and is about to take its first message.

        There is no payload; ``ctx.host`` and ``ctx.port`` say where it listens. Nothing can be
        changed or stopped here: a plugin opens what it needs.

        Example::

            from hookcore import GatewayContext, HookManager, hookimpl

            class Announce:
                @hookimpl
                def gateway_start(self, ctx: GatewayContext):
                    self.url = f"http://{ctx.host}:{ctx.port}/"

            announce, manager = Announce(), HookManager()
            manager.register(announce)
            manager.dispatch("gateway_start", GatewayContext(host="127.0.0.1", port=8080))
            assert announce.url == "http://127.0.0.1:8080/"
        """

    @hookspec(kind=Kind.OBSERVE, context=GatewayContext)
    def gateway_stop(self, ctx: GatewayContext) -> None:
        """The gateway has drained its work and is about to end.

        There is no payload. Nothing can be changed or stopped here: a plugin flushes and closes
        what it opened. One that fails keeps none of the others from being told.

        Example::

            import io
            from hookcore import GatewayContext, HookManager, hookimpl

            class Log:
                def __init__(self):
                    self.file = io.StringIO()

                @hookimpl
                def gateway_stop(self, ctx: GatewayContext):
                    self.file.close()

            log, manager = Log(), HookManager()
            manager.register(log)
            manager.dispatch("gateway_stop", GatewayContext())
            assert log.file.closed
        """

    @hookspec(kind=Kind.OBSERVE, context=GatewayContext)
    def heartbeat_tick(self, ctx: GatewayContext) -> None:
        """The gateway's heart beats, once in each interval.

        There is no payload. Nothing can be changed or stopped here; the next beat waits for slow
        hooks, so a plugin hands long work to a thread or task of its own.

        Example::

            from hookcore import GatewayContext, HookManager, hookimpl

            class Watchdog:
                missed = 0

                @hookimpl
                def heartbeat_tick(self, ctx: GatewayContext):
                    self.missed = 0

            watchdog, manager = Watchdog(), HookManager()
            manager.register(watchdog)
            watchdog.missed += 1
            manager.dispatch("heartbeat_tick", GatewayContext())
            assert watchdog.missed == 0
        """
