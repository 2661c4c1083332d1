"""One session of AGENT-HOOKS: its emissions as the two halves of runs and calls."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from hookcore import HookAborted, HookManager, ModelCallContext, ModelResponse
from hookcore.hosting import SplitCalls, current_run, neutral_response, new_call_id

__all__ = ["Session"]

_log = logging.getLogger(__name__)


class AgentFailedError(Exception):
    """The runtime said that a tool, or the whole agent, ended with an error."""


class Session:
    """Knows what is open in a session: its run, and the calls of the model and of tools.

    An emission whose other half never came is judged all the same.

    Args:
        manager: the hooks.
        context: the session's first emission.
    """

    def __init__(self, manager: HookManager, context: Mapping[str, Any]) -> None:
        self._manager = manager
        self._open = SplitCalls(manager)
        agent = context["agent"]
        self._fields = {"agent": agent.get("name") or agent["id"]}
        self._fields["session_id"] = context["session"]["id"]
        self._run: str | None = None
        self._model: str | None = None
        #: What each open tool call was permitted to have.
        self._permitted: dict[str, Any] = {}

    @property
    def is_idle(self) -> bool:
        """True when nothing is open."""
        return not self._open.open

    async def settle(self, context: Mapping[str, Any]) -> Any:
        """Return an emission's target as the policies leave it.

        Raises:
            HookAborted: a policy denies it.
            Answered: a wrap has answered in the call's place.
            ValueError: there is no such interception point.
        """
        point = context["interception_point"]
        settling = getattr(self, f"_at_{point}", None)
        if settling is None:
            raise ValueError(f"AGENT-HOOKS has no interception point {point!r} that hookcore knows")
        return await settling(context)

    async def _at_agent_startup(self, context: Mapping[str, Any]) -> Any:
        return context["target"]

    async def _at_agent_shutdown(self, context: Mapping[str, Any]) -> Any:
        # Of a model's failure nobody is told there; the agent's own comes right after it.
        failed = (self._model, self._run) if context["summary"].get("reason") == "error" else ()
        for call_id in reversed(self._open.open):
            if call_id in failed:
                with suppress(AgentFailedError):
                    error = AgentFailedError("the agent ended with an error")
                    await self._open.end(call_id, error=error)
            else:
                await self._open.abandon(call_id)
        return context["target"]

    async def _at_input(self, context: Mapping[str, Any]) -> Any:
        await self._open.close()
        given = dict(context["input"])
        self._run = new_call_id()
        self._fields["parent_run_id"] = current_run().run_id
        content = await self._open.begin_run(
            given, run_id=self._run, message=lambda inputs: inputs["content"], **self._fields
        )
        self._fields["run_id"] = self._run
        return {**context["target"], "content": content}

    async def _at_output(self, context: Mapping[str, Any]) -> Any:
        content = context["output"]["content"]
        if self._run in self._open.open:
            content = await self._open.end(str(self._run), content)
        else:
            content = await self._manager.asettle("output", content, **self._fields)
        return {**context["target"], "content": content}

    async def _at_pre_model_call(self, context: Mapping[str, Any]) -> Any:
        if self._model in self._open.open:  # it failed, of which nobody is told there
            await self._open.abandon(str(self._model))
        told = {"model": context["model"]["id"], "tools": context.get("tools")}
        ctx = ModelCallContext(messages=list(context["messages"]), **self._fields, **told)
        self._model = context.get("request_id") or new_call_id()
        sent = await self._open.begin_model(ctx, call_id=self._model)
        changed = sorted(name for name, value in told.items() if getattr(ctx, name) != value)
        if changed:
            await self._open.abandon(self._model)
            raise HookAborted(
                f"a hook changed the {' and the '.join(changed)} of a model call, and AGENT-HOOKS "
                "lets interceptors change messages only",
                source="hookcore-agent-hooks",
            )
        return sent

    async def _at_post_model_call(self, context: Mapping[str, Any]) -> Any:
        response = dict(context["response"])
        call_id = context.get("request_id") or self._model
        shown = {**response, "usage": context["usage"]} if context.get("usage") else response
        if call_id in self._open.open:
            value = await self._open.end(str(call_id), shown)
        else:
            told = {"model": context["model"]["id"], **self._fields}
            value = await self._manager.asettle("post_model_call", shown, **told)
        if isinstance(value, dict):
            return {name: each for name, each in value.items() if name in response}
        return _as_wire(neutral_response(value, "a response of AGENT-HOOKS"), response)

    async def _at_pre_tool_call(self, context: Mapping[str, Any]) -> Any:
        call = context["tool_call"]
        if call["id"] in self._open.open:  # asked again, after an approval for one
            await self._open.abandon(call["id"])
        args = await self._open.begin(
            call["name"], dict(call["args"]), call_id=call["id"], **self._fields
        )
        self._permitted[call["id"]] = args
        return args

    async def _at_post_tool_call(self, context: Mapping[str, Any]) -> Any:
        call, result = context["tool_call"], context["tool_result"]
        error = AgentFailedError(f"the tool failed: {result['value']}")
        if call["id"] in self._open.open:
            if self._permitted.pop(call["id"], None) != call["args"]:
                _log.warning(
                    "the arguments of %s were changed after the policies had judged them: register "
                    "the interceptor of hookcore last",
                    call["name"],
                )
            told = {"error": error} if result["is_error"] else {}
            return await self._open.end(call["id"], result["value"], **told)
        told = {"error": error} if result["is_error"] else {}
        return await self._manager.asettle(
            "post_tool_call",
            result["value"],
            tool_name=call["name"],
            tool_input=call["args"],
            call_id=call["id"],
            **told,
            **self._fields,
        )


def _as_wire(response: ModelResponse, like: Mapping[str, Any]) -> dict[str, Any]:
    """Return a response that a hook gave, as AGENT-HOOKS has it."""
    calls = [
        {"id": call.id or new_call_id(), "name": call.name, "args": call.arguments}
        for call in response.tool_calls
    ]
    return {**like, "content": response.content, "tool_calls": calls}
