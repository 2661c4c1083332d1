"""Tool calls: judged before they run, and their results before the model reads them."""

from __future__ import annotations

import copy
import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hookcore import HookAborted, HookManager, ToolCallContext
from hookcore.hosting import denied_value

from ..dialects import (
    PASSED,
    Occurrence,
    adding,
    aliases,
    as_text,
    denying,
    replacing,
    rewriting,
    withholding,
)
from .calls import AnsweredError, Calls, OpenCall, ToolFailedError
from .ends import Ends
from .facts import Deadline, fields_of
from .threads import Threads, result_of

__all__ = ["ToolJudge"]

_log = logging.getLogger(__name__)
_Answer = Mapping[str, Any]
_UNJUDGED: Final = "the policies could not judge the result of a failed call"


class ToolJudge:
    """The tool calls of clients.

    Args:
        manager: the hooks.
        threads: where they run.
    """

    def __init__(self, manager: HookManager, threads: Threads) -> None:
        self._manager, self._threads = manager, threads
        self.calls = Calls()
        self._ends = Ends()

    def before(self, told: Occurrence, deadline: Deadline) -> _Answer:
        """Return the answer to a call that is about to run."""
        call = OpenCall(self._manager, self._threads)
        given = _parsed(told.tool_input)
        fields = {**fields_of(told), "call_id": told.call_id}
        try:
            settled = call.begin(str(told.tool), copy.deepcopy(given), deadline.left, **fields)
        except HookAborted as error:
            return self._denied(told, _message(error, "pre_tool_call"))
        except AnsweredError as answered:
            return self._denied(told, f"a policy answered instead: {as_text(answered.value)}")
        if settled == given:
            self.calls.add(call, *_keys(told, given))
            return PASSED
        answer = rewriting(told.event, settled)
        if answer is None or not _is_json(settled):
            call.abandon()
            return self._denied(
                told,
                f"a policy changes the arguments of this call, and {told.dialect.title} "
                "takes no changed ones",
            )
        self.calls.add(call, *_keys(told, given), *_keys(told, settled))
        return answer

    def after(self, told: Occurrence, deadline: Deadline) -> _Answer:
        """Return the answer to a result that the model is about to read."""
        self._ends.note(told.session_id, told.call_id)
        try:
            result = self._ended(told, told.result, deadline)
        except HookAborted as error:
            return _withheld(told, _message(error, "post_tool_call"))
        if result == told.result:
            return PASSED
        answer = replacing(told, result)
        if answer is None or not _is_json(answer):
            return _withheld(
                told,
                f"a policy changes this result, and {told.dialect.title} takes no changed one "
                "of this tool",
            )
        return answer

    def failed(self, told: Occurrence, deadline: Deadline) -> _Answer:
        """Return the answer to a call that failed; what cannot be withheld here its batch is."""
        error = told.error or ""
        reason: str | None = _UNJUDGED
        try:
            result = self._ended(told, error, deadline)
            answer = PASSED if result == error else _added(told, error, result)
            if answer is not None:
                reason = None
                return answer
            reason = (
                f"a policy changes the result of a failed call, and {told.dialect.title} takes no "
                "changed one"
            )
        except HookAborted as aborted:
            reason = _message(aborted, "post_tool_call")
        finally:
            self._ends.note(told.session_id, told.call_id, reason)
        return PASSED

    def batch(self, told: Occurrence, deadline: Deadline) -> _Answer:
        """Return the answer to the ends of all calls of one of the model's answers."""
        reasons = [reason for item in told.batch if (reason := self._left(told, item, deadline))]
        if not reasons:
            return PASSED
        return denying(told.event, "; ".join(dict.fromkeys(reasons))) or PASSED

    def _left(self, told: Occurrence, item: Mapping[str, Any], deadline: Deadline) -> str | None:
        """Return why the model must not read a result; None when it may."""
        keys = told.dialect.keys
        call_id = item.get(keys.call_id or "")
        call_id = call_id if isinstance(call_id, str) else None
        known, reason = self._ends.take(told.session_id, call_id)
        if known:
            return reason
        # Nobody told of its end, or another daemon was told: the result is judged here.
        tool, result = str(item.get(keys.tool)), item.get("tool_response")
        late = replace(
            told,
            tool=tool,
            aliases=aliases(told.dialect, tool),
            tool_input=item.get(keys.tool_input),
            call_id=call_id,
            result=result,
        )
        try:
            judged = self._ended(late, result, deadline)
        except HookAborted as error:
            return _message(error, "post_tool_call")
        return None if judged == result else "a policy changes a result of this batch"

    def _ended(self, told: Occurrence, value: Any, deadline: Deadline) -> Any:
        value = copy.deepcopy(value)
        for key in _keys(told, _parsed(told.tool_input)):
            call = self.calls.take(key)
            if call is not None:
                return call.end(value, deadline.left, told.error)
        _log.warning("%s: a result came without its call", told.dialect.client)
        return result_of(self._threads.start(lambda: self._late(told, value)), deadline.left)

    def _late(self, told: Occurrence, value: Any) -> Any:
        """Judge a result of whose call nothing is known: a daemon ended in between."""
        ctx = ToolCallContext(
            tool_name=told.tool,
            tool_input=_parsed(told.tool_input),
            tool_result=value,
            payload=value,
            duration_ms=told.duration_ms,
            entered=True,
            error=None if told.error is None else ToolFailedError(told.error),
            status="ok" if told.error is None else "error",
            call_id=told.call_id,
            **fields_of(told),
        )
        try:
            self._manager.dispatch("post_tool_call", ctx)
        except HookAborted:
            ctx.status = "denied"
            raise
        finally:
            result = ctx.payload
            self._manager.dispatch("tool_finished", ctx)
        return result

    def _denied(self, told: Occurrence, reason: str) -> _Answer:
        self._ends.note(told.session_id, told.call_id)
        return denying(told.event, reason) or PASSED


def _added(told: Occurrence, error: str, result: Any) -> _Answer | None:
    """Return the answer that adds to a failed call what policies added; None for other changes."""
    if error and isinstance(result, str) and result.startswith(error):
        return adding(told.event, result[len(error) :])
    return None


def _withheld(told: Occurrence, reason: str) -> _Answer:
    return withholding(told, reason) or PASSED


def _message(error: HookAborted, point: str) -> str:
    return str(denied_value(error, point))


def _parsed(tool_input: Any) -> Any:
    """Return arguments as an object; a text that is none stays as it is, and the call is denied."""
    if not isinstance(tool_input, str):
        return tool_input
    try:
        return json.loads(tool_input)
    except (ValueError, RecursionError):
        return tool_input


def _keys(told: Occurrence, arguments: Any) -> list[tuple[str, ...]]:
    """Return what both halves of a call tell alike: its id, or all that is known of it."""
    if told.call_id is not None:
        return [(told.session_id, "id", told.call_id)]
    try:
        text = json.dumps(arguments, sort_keys=True)
    except (TypeError, ValueError):
        text = ""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return [(told.session_id, told.agent_id or "", str(told.tool), digest)]


def _is_json(value: Any) -> bool:
    """Tell whether a client can read a value; it takes what it cannot read for no answer."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True
