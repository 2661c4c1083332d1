"""The question for what came of a task."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from . import rpc
from .exchange import Exchange
from .results import restored_error
from .rpc import MalformedError
from .tasks import holds_result

__all__ = ["TaskPoll"]


class TaskPoll(Exchange):
    """A ``tasks/result`` or a ``tasks/get``, which may have the result in it."""

    async def begin(self) -> dict[str, Any]:
        """Let it pass."""
        self.text("taskId")
        return self.params

    async def end(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Judge the result."""
        if "error" in answer:
            # Of the task, or of the request: either may say what a model reads.
            return await self._judged(answer, "error") if self._is_result else answer
        if self._is_result:
            return await self._judged(answer, "result")
        state = answer["result"]
        if not holds_result(state):
            return answer
        if "inputRequests" in state:
            raise MalformedError("questions of tasks cannot be judged")
        for name in ("result", "error"):
            if name in state:
                state = await self._judged(state, name)
        return answer if state is answer["result"] else {**answer, "result": state}

    @property
    def _is_result(self) -> bool:
        return self.method == "tasks/result"

    async def _judged(self, holder: dict[str, Any], name: str) -> dict[str, Any]:
        came, task, tasks = holder[name], self.params["taskId"], self.connection.tasks
        if name == "error" and not tasks.knows(self.sender, task):
            return holder  # there is no such task, and the other side says so
        deferred = tasks.find(self.sender, task)
        if name == "result" and not isinstance(came, dict):
            raise MalformedError("the result is no object")
        shown = deferred.shown(came) if name == "result" else came
        value = await deferred.settled(deepcopy(shown))
        if rpc.same(value, shown):
            return holder
        made = restored_error(value, came) if name == "error" else deferred.restored(value, came)
        return {**holder, name: made}
