"""All enabled policies as one interceptor, for runtimes that speak AGENT-HOOKS."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from hookcore import HookAborted, HookManager, get_manager
from hookcore.hosting import Answered

from .host import HOST
from .sessions import Session

__all__ = ["Hookcore"]


class Hookcore:
    """Let a manager judge what a runtime asks its interceptors about.

    ``create_agent_hooks_middleware([Hookcore()])`` in Microsoft's Agent Framework,
    ``InterceptionEmitter().register(Hookcore())`` in a runtime of your own. It must come last, so
    that what the policies judge is what is used.

    Args:
        manager: the hooks; the process-wide manager when None.

    Raises:
        PluginLoadError: a required plugin needs what this host does not do.
    """

    def __init__(self, manager: HookManager | None = None) -> None:
        self._manager = get_manager() if manager is None else manager
        HOST.declare(self._manager)
        self._sessions: WeakKeyDictionary[Any, dict[str, Session]] = WeakKeyDictionary()

    async def intercept(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """Return the verdict of the policies on one emission.

        Args:
            context: the context of AGENT-HOOKS.

        Raises:
            Exception: that of a policy that fails with ``on_error="raise"``, which denies there.
        """
        sessions = self._sessions.setdefault(asyncio.get_running_loop(), {})
        session_id = context["session"]["id"]
        session = sessions.get(session_id)
        if session is None:
            session = sessions[session_id] = Session(self._manager, context)
        try:
            target = await session.settle(context)
        except HookAborted as denied:
            return _denied(denied.source, denied.message)
        except Answered:
            # Its answer has no way to the runtime, and the call itself must not be made.
            return _denied("hookcore-agent-hooks", "This call cannot be answered by a policy.")
        finally:
            if session.is_idle:
                sessions.pop(session_id, None)
        if target == context["target"]:
            return {"decision": "allow"}
        return {"decision": "transform", "transform": {"path": "$target", "value": target}}


def _denied(source: str | None, message: str) -> dict[str, Any]:
    # Runtimes show a verdict's reason to users and models: the policy's own stays with operators.
    reason = f"denied by {source or 'a policy'}: {message}"
    return {"decision": "deny", "reason": reason, "message": message}
