"""One session with the client: each call of a tool that it tells of is judged by the policies."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, HookMatcher

from hookcore import HookAborted, HookManager
from hookcore.hosting import Answered, SplitCalls, UnknownCallError, outside, stop_if_failed

from .results import like

__all__ = ["Session", "ToolFailedError", "UnjudgedInputError"]

_log = logging.getLogger(__name__)
_LONGEST = 86_400.0
"""The seconds that a policy may take: a person may be asked."""


_around: ContextVar[Session | None] = ContextVar("hookcore_claude_session", default=None)
"""The session whose client calls the tool that this is in."""


class ToolFailedError(Exception):
    """The failure of a tool, as the client tells of it."""


class UnjudgedInputError(Exception):
    """A tool got another input than the policies judged: another hook has changed it since."""


class Session:
    """The policies' side of one session with the client.

    Args:
        manager: the hooks.
    """

    def __init__(self, manager: HookManager) -> None:
        self.manager = manager
        #: The calls that are under way, and the runs of a client that is asked many times.
        self.calls = SplitCalls(manager)
        #: The failures that the program has to hear of.
        self.errors: list[Exception] = []
        #: The ids of the runs that are under way, where these are in two halves.
        self.runs: list[str] = []
        self._outer = _around.get()
        self._inputs: dict[str, Any] = {}
        self._servers: set[str] = set()

    def options(self, options: Any) -> Any:
        """Return options with which the client tells the policies of each call."""
        given = options or ClaudeAgentOptions()
        servers = given.mcp_servers if isinstance(given.mcp_servers, dict) else {}
        self._servers = {name for name, told in servers.items() if _is_own(told)}
        hooks = dict(given.hooks or {})
        for event, told in (
            ("PreToolUse", self._before),
            ("PostToolUse", self._after),
            ("PostToolUseFailure", self._failed),
            ("UserPromptSubmit", self._asked),
        ):
            # A hook of ours that fails blocks the call.
            own = HookMatcher(hooks=[told], timeout=_LONGEST, on_failure="block")
            hooks[event] = [own, *hooks.get(event, ())]
        return replace(given, hooks=hooks)

    @contextmanager
    def around(self) -> Iterator[None]:
        """Let the sessions that tools begin know of this one; the client is started inside."""
        token = _around.set(self)
        try:
            yield
        finally:
            _around.reset(token)

    def fail(self, error: Exception) -> None:
        """Have the program hear of a failure, which stops the sessions around this one, too."""
        self.errors.append(error)
        if self._outer is not None:
            self._outer.fail(error)

    def check(self) -> None:
        """Raise what the program has to hear of."""
        if self.errors:
            raise self.errors[0]
        stop_if_failed()

    async def close(self) -> None:
        """End what is still open."""
        self._inputs.clear()
        self.runs.clear()
        await self.calls.close()

    async def _before(self, told: Any, call_id: str | None, _: Any) -> Any:
        name, given = told["tool_name"], told["tool_input"]
        fields = {"run_id": self.runs[0]} if self.runs else {}
        aliases = self._aliases(name)

        async def begin() -> Any:
            settled = await self.calls.begin(
                name,
                given,
                call_id=call_id or told["tool_use_id"],
                agent=told.get("agent_type") or "claude",
                session_id=told.get("session_id"),
                attributes={
                    "agent_id": told.get("agent_id"),
                    **({"tool_aliases": aliases} if aliases else {}),
                },
                **fields,
            )
            self._inputs[call_id or told["tool_use_id"]] = settled
            # Without a permissionDecision the user is still asked, as for any call.
            return {} if settled == given else {"updatedInput": settled}

        def deny(reason: str) -> Any:
            return {"permissionDecision": "deny", "permissionDecisionReason": reason}

        return await self._answer("PreToolUse", begin, deny)

    async def _after(self, told: Any, call_id: str | None, _: Any) -> Any:
        key, old = call_id or told["tool_use_id"], told["tool_response"]

        async def end() -> Any:
            changed = self._changed(key, told)
            if changed is not None:
                with suppress(Exception):  # whatever hooks say to it, the run is stopped
                    await self.calls.end(key, error=changed)
                raise changed
            new = await self.calls.end(key, old)
            return {} if new is old else {"updatedToolOutput": like(new, old)}

        def deny(reason: str) -> Any:
            try:
                return {"updatedToolOutput": like(reason, old)}
            except TypeError:  # nothing of the result may be read: the run is stopped
                return None

        return await self._answer("PostToolUse", end, deny)

    async def _failed(self, told: Any, call_id: str | None, _: Any) -> Any:
        key = call_id or told["tool_use_id"]

        async def end() -> Any:
            self._inputs.pop(key, None)
            if told.get("is_interrupt"):
                await self.calls.abandon(key)
                return {}
            error = ToolFailedError(str(told.get("error")))
            try:
                value = await self.calls.end(key, error=error)
            except ToolFailedError:
                return {}
            # The client lets nobody replace a failure: the model reads both.
            return {"additionalContext": str(value)}

        return await self._answer("PostToolUseFailure", end, None)

    async def _answer(
        self,
        event: str,
        ask: Callable[[], Awaitable[Any]],
        deny: Callable[[str], Any] | None,
    ) -> Any:
        """Return the client's form of what the policies say; their failure stops the run."""
        try:
            answer = await ask()
            self.check()  # of what failed inside of a tool, the client tells the model
        except UnknownCallError:
            _log.warning("the client tells of the end of a call that it has not told of before")
            return {}
        except Answered as answered:
            answer = {} if deny is None else deny(f"Answered without running: {answered.value}")
        except HookAborted as error:
            denied = str(outside(error))
            answer = None if deny is None else deny(denied)
            if answer is None:
                return {"continue_": False, "stopReason": denied}
        except Exception as error:  # noqa: BLE001 - it is raised to the program when the run ends
            if error not in self.errors:
                self.fail(error)
            stop = {"continue_": False, "stopReason": "a policy has failed"}
            if event != "PreToolUse" or deny is None:
                return stop
            return {**stop, **_specific(event, deny("a policy has failed"))}
        return _specific(event, answer) if answer else {}

    async def _asked(self, told: Any, call_id: str | None, _: Any) -> Any:
        """Block a prompt of a stream that was denied: the client has had another text for it."""
        del told, call_id
        return {"decision": "block", "reason": "denied by a policy"} if self.errors else {}

    def _changed(self, key: str, told: Any) -> Exception | None:
        """Return an error where a tool ran with what nobody has judged."""
        judged, used = self._inputs.pop(key, None), told.get("tool_input")
        if judged is None or used is None or used == judged:
            return None
        return UnjudgedInputError(
            f"the tool {told['tool_name']} got another input than the policies judged: another "
            "PreToolUse hook has changed it"
        )

    def _aliases(self, name: str) -> list[str]:
        """Return the own name of a tool of the program, which the client calls by its server's."""
        for server in self._servers:
            if name.startswith(f"mcp__{server}__"):
                return [name.removeprefix(f"mcp__{server}__")]
        return []


def _is_own(told: Any) -> bool:
    return isinstance(told, dict) and told.get("type") == "sdk"


def _specific(event: str, answer: Any) -> Any:
    return {"hookSpecificOutput": {"hookEventName": event, **answer}}
