"""The judge of what clients tell: prompts, sessions and, in a part of its own, tool calls."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final

from hookcore import ChannelMessage, HookAborted, HookManager, MessageContext, SessionContext
from hookcore.hosting import MODEL_POINTS, denied_value

from ..dialects import PASSED, Occurrence, Role, adding, denying, withholding
from ..hosts import BRIDGE
from .calls import AbandonedError
from .facts import Deadline, fields_of, run_of
from .threads import CrowdedError, Threads, TooLateError, result_of
from .tools import ToolJudge

__all__ = ["Judge"]

_log = logging.getLogger(__name__)
_Answer = Mapping[str, Any]
_SESSIONS_KEPT: Final = 512
_NO_MODEL: Final = "clients tell their hooks of no model call; a proxy in front of the model does"
_LATE: Final = "the policies have not answered in time"
_CROWDED: Final = "too many calls are being judged"
_BROKEN: Final = "the policies could not judge this: the log of 'hookctl serve' says why"


class Judge:
    """The policies of one configuration, asked about what clients tell.

    Args:
        manager: the hooks.
        threads: where they run; of this judge alone when None.

    Raises:
        PluginLoadError: a required plugin needs what clients do not tell or heed.
    """

    def __init__(self, manager: HookManager, threads: Threads | None = None) -> None:
        BRIDGE.declare(manager)
        for point in MODEL_POINTS:
            for hook in manager.hooks(point):
                _log.warning("%s at %s: %s", hook.plugin, point, _NO_MODEL)
        manager.add_control_flow(AbandonedError)
        self._manager = manager
        self._threads = Threads() if threads is None else threads
        self._tools = ToolJudge(manager, self._threads)
        self._lock = threading.Lock()
        self._runs: OrderedDict[str, set[str]] = OrderedDict()
        self._ways: dict[Role, Callable[[Occurrence, Deadline], _Answer]] = {
            "session_start": self._session_starts,
            "session_end": self._session_ends,
            "prompt": self._prompt,
            "answer": self._answered,
            "tool_before": self._tools.before,
            "tool_after": self._tools.after,
            "tool_failed": self._tools.failed,
            "tool_batch": self._tools.batch,
        }

    def answer(self, told: Occurrence, seconds: float) -> _Answer:
        """Return the answer to an event, in the client's own form.

        Whatever goes wrong is a denial, wherever something can be denied.

        Args:
            told: the event.
            seconds: how long the policies may take.
        """
        self._note_run(told)
        try:
            return self._ways[told.event.role](told, Deadline(seconds))
        except TooLateError:
            _log.error("%s %s: %s", told.dialect.client, told.event.name, _LATE)
            return refusal(told, _LATE)
        except CrowdedError:
            _log.error("%s %s: %s", told.dialect.client, told.event.name, _CROWDED)
            return refusal(told, _CROWDED)
        except BaseException as error:  # noqa: BLE001 - a policy's exit is a failure, too
            # Its text may quote what it was about, so that stays out of the log.
            _log.error("%s %s: %s", told.dialect.client, told.event.name, type(error).__name__)
            return refusal(told, _BROKEN)

    @property
    def open_calls(self) -> int:
        """The number of calls that wait for their end."""
        return len(self._tools.calls)

    def close(self) -> None:
        """Abandon what is open, and let the manager go."""
        self._tools.calls.abandon_all()
        self._manager.close()

    def _note_run(self, told: Occurrence) -> None:
        run_id, _ = run_of(told)
        with self._lock:
            self._runs.setdefault(told.session_id, set()).add(run_id)
            self._runs.move_to_end(told.session_id)
            while len(self._runs) > _SESSIONS_KEPT:
                self._runs.popitem(last=False)

    def _do(self, work: Callable[[], Any], deadline: Deadline) -> Any:
        return result_of(self._threads.start(work), deadline.left)

    def _session_starts(self, told: Occurrence, deadline: Deadline) -> _Answer:
        ctx = SessionContext(channel=told.dialect.client, reason=told.reason, **fields_of(told))
        self._do(lambda: self._manager.dispatch("session_start", ctx), deadline)
        return PASSED

    def _session_ends(self, told: Occurrence, deadline: Deadline) -> _Answer:
        self._tools.calls.abandon_all(told.session_id)
        ctx = SessionContext(channel=told.dialect.client, reason=told.reason, **fields_of(told))
        try:
            self._do(lambda: self._manager.dispatch("session_end", ctx), deadline)
        finally:
            with self._lock:
                runs = self._runs.pop(told.session_id, set())
            for run_id in runs:
                self._manager.parts.services.states.drop(run_id)
        return PASSED

    def _prompt(self, told: Occurrence, deadline: Deadline) -> _Answer:
        if not told.text:  # Qwen Code tells of an empty one after each result
            return PASSED
        message = self._message(told, sender="user", recipient=told.dialect.client)

        def receive() -> Any:
            return self._manager.receive_message(message, **fields_of(told))

        try:
            received = self._do(receive, deadline)
        except HookAborted as error:
            reason = str(denied_value(error, "message_received"))
            return denying(told.event, reason) or PASSED
        content = received.content
        if content == told.text:
            return PASSED
        answer = None
        if isinstance(content, str) and told.text in content:
            before, _, after = content.partition(told.text)
            answer = adding(told.event, (before + after).strip())
        return answer or refusal(
            told, f"a policy changes this prompt, and {told.dialect.title} takes no changed one"
        )

    def _answered(self, told: Occurrence, deadline: Deadline) -> _Answer:
        if told.text:
            message = self._message(told, sender=told.dialect.client, recipient="user")
            ctx = MessageContext(payload=message, **fields_of(told))
            self._do(lambda: self._manager.dispatch("message_sent", ctx), deadline)
        return PASSED

    def _message(self, told: Occurrence, *, sender: str, recipient: str) -> ChannelMessage:
        return ChannelMessage(
            channel=told.dialect.client,
            sender=sender,
            recipient=recipient,
            content=told.text,
            thread=told.session_id,
        )


def refusal(told: Occurrence, reason: str) -> _Answer:
    """Return the answer that stops an event, wherever it can be stopped."""
    if told.event.role == "tool_after":
        return withholding(told, reason) or PASSED
    return denying(told.event, reason) or PASSED
