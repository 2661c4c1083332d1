"""The session's points."""

from __future__ import annotations

from ..contexts import SessionContext
from ..markers import hookspec
from ..points import Kind

__all__ = ["SessionSpecs"]


class SessionSpecs:
    """A conversation with one sender: it begins once and ends once."""

    @hookspec(kind=Kind.OBSERVE, context=SessionContext)
    def session_start(self, ctx: SessionContext) -> None:
        """A session begins, before its first message is handled.

        There is no payload; ``ctx.session_id`` names the session and ``ctx.channel`` where it
        takes place. Nothing can be changed or stopped here.

        Example::

            from hookcore import HookManager, SessionContext, hookimpl

            class OpenSessions:
                def __init__(self):
                    self.ids = set()

                @hookimpl
                def session_start(self, ctx: SessionContext):
                    self.ids.add(ctx.session_id)

            sessions, manager = OpenSessions(), HookManager()
            manager.register(sessions)
            manager.dispatch("session_start", SessionContext(session_id="s1", channel="mail"))
            assert sessions.ids == {"s1"}
        """

    @hookspec(kind=Kind.OBSERVE, context=SessionContext)
    def session_end(self, ctx: SessionContext) -> None:
        """A session ends, whichever way.

        There is no payload; ``ctx.session_id`` names the session, and ``ctx.reason`` says why it
        ends. Nothing can be changed or stopped here: a plugin forgets what it kept for the session.

        Example::

            from hookcore import HookManager, SessionContext, hookimpl

            class Quota:
                def __init__(self):
                    self.used = {"s1": 17, "s2": 4}

                @hookimpl
                def session_end(self, ctx: SessionContext):
                    self.used.pop(ctx.session_id, None)

            quota, manager = Quota(), HookManager()
            manager.register(quota)
            manager.dispatch("session_end", SessionContext(session_id="s1", reason="idle"))
            assert quota.used == {"s2": 4}
        """
