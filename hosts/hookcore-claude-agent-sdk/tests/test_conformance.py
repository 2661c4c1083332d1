"""The conformance kit on the Claude Agent SDK, over a transport that acts as the client does.

The client itself is asked in ``test_client.py``: it takes seconds for each conversation.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, ClassVar

import pytest

from hookcore import HookManager
from hookcore.testing.conformance import Conformance, Driver, Job
from hookcore_claude_agent_sdk.host import HOST

pytest.importorskip(
    "claude_agent_sdk",
    reason="claude-agent-sdk is not installed: .ci/hosts/claude-agent-sdk.txt",
)

from claude_agent_sdk import ClaudeSDKClient, ResultMessage, Transport, query

_FIELDS = {
    "subtype": "success",
    "duration_ms": 1,
    "duration_api_ms": 1,
    "is_error": False,
    "num_turns": 1,
}


class Client(Transport):  # type: ignore[misc]
    """The client's side of the protocol, whose model is the provider and whose tools are the job's.

    Args:
        job: the conversation.
        tools: the tools.
    """

    def __init__(self, job: Job, tools: dict[str, Any]) -> None:
        self._job, self._tools = job, tools
        self._out: asyncio.Queue[Any] = asyncio.Queue()
        self._hooks: dict[str, list[str]] = {}
        self._answers: dict[str, asyncio.Future[Any]] = {}
        self._ids = itertools.count()
        self._turns: set[asyncio.Task[None]] = set()

    async def connect(self) -> None:
        """Start nothing."""

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None:
        await asyncio.gather(*self._turns)
        self._out.put_nowait(None)

    async def close(self) -> None:
        for turn in self._turns:
            turn.cancel()
        self._out.put_nowait(None)

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        while (item := await self._out.get()) is not None:
            yield item

    async def write(self, data: str) -> None:
        said = json.loads(data)
        if said["type"] == "control_request":
            request = said["request"]
            for event, matchers in (request.get("hooks") or {}).items():
                ids = [key for matcher in matchers for key in matcher["hookCallbackIds"]]
                self._hooks[event] = ids
            told = {"hook_on_failure_supported": True}
            answer = {"subtype": "success", "request_id": said["request_id"], "response": told}
            self._out.put_nowait({"type": "control_response", "response": answer})
        elif said["type"] == "control_response":
            answer = said["response"]
            self._answers.pop(answer["request_id"]).set_result(answer)
        else:
            turn = asyncio.ensure_future(self._turn(said["message"]["content"]))
            self._turns.add(turn)

    async def _turn(self, prompt: str) -> None:
        sent: list[Any] = [prompt]
        results: dict[str, Any] = {}
        try:
            while True:
                step = self._job.provider.ask(list(sent), results, tuple(self._tools))
                if not step.calls:
                    self._say([{"type": "text", "text": step.text}])
                    self._end(step.text)
                    return
                blocks: list[Any] = [
                    {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
                    for call in step.calls
                ]
                self._say(blocks)
                done = await asyncio.gather(*[self._call(block) for block in blocks])
                for block, (told, _) in zip(blocks, done, strict=True):
                    results[block["id"]] = told
                    sent.append(told)
                if not all(goes_on for _, goes_on in done):
                    self._end("stopped")
                    return
        except Exception as error:  # noqa: BLE001 - a provider's failure ends the turn
            self._end(str(error), is_error=True)

    def _say(self, content: Any) -> None:
        message = {"model": "fake", "role": "assistant", "content": content}
        self._out.put_nowait({"type": "assistant", "message": message, "session_id": "s"})

    def _end(self, text: str, **told: Any) -> None:
        self._out.put_nowait(
            {"type": "result", **_FIELDS, "result": text, "session_id": "s", **told}
        )

    async def _call(self, block: Any) -> tuple[str, bool]:
        name, given = block["name"], block["input"]
        if name not in self._tools:
            return f"No such tool available: {name}", True
        before = await self._hook("PreToolUse", block)
        said = before.get("hookSpecificOutput", {})
        if said.get("permissionDecision") == "deny":
            return said["permissionDecisionReason"], before.get("continue", True)
        given = said.get("updatedInput", given)
        told = {**block, "input": given}
        try:
            result = self._tools[name](**given)
            result = await result if inspect.isawaitable(result) else result
        except Exception as error:  # noqa: BLE001 - a tool's failure is told to the model
            after = await self._hook("PostToolUseFailure", told, error=str(error))
            return f"Error: {error}", after.get("continue", True)
        blocks = [{"type": "text", "text": str(result)}]
        after = await self._hook("PostToolUse", told, tool_response=blocks)
        blocks = after.get("hookSpecificOutput", {}).get("updatedToolOutput", blocks)
        return "".join(part["text"] for part in blocks), after.get("continue", True)

    async def _hook(self, event: str, block: Any, **more: Any) -> Any:
        told = {
            "hook_event_name": event,
            "session_id": "s",
            "tool_name": block["name"],
            "tool_input": block["input"],
            "tool_use_id": block["id"],
            **more,
        }
        for key in self._hooks.get(event, ()):
            request_id = f"hook-{next(self._ids)}"
            answered = self._answers[request_id] = asyncio.get_running_loop().create_future()
            request = {
                "subtype": "hook_callback",
                "callback_id": key,
                "tool_use_id": block["id"],
                "input": told,
            }
            self._out.put_nowait(
                {"type": "control_request", "request_id": request_id, "request": request}
            )
            answer = await answered
            assert answer["subtype"] == "success", answer
            return answer["response"]
        return {}


class ClaudeAgentSdk(Driver):
    host = HOST
    ways: ClassVar[Any] = {"query": "async", "client": "async"}
    features = frozenset(["async-wraps", "call-ids", "parallel", "sub-agent"])
    known: ClassVar[Any] = {
        "a wrap may answer in the tools place": "the client takes a denial, and no answer, for a call",
        "a hook may answer for a failed tool": "the client lets nobody replace a tool's failure",
        **dict.fromkeys(
            [
                "client: a sub agents run has a parent and each ends once",
                "client: a policy that fails before a sub agents run is told to the host",
                "client: a policy that fails after a sub agents run is told to the host",
            ],
            "what a tool does is not inside a run of a ClaudeSDKClient",
        ),
    }

    def __init__(self, manager: HookManager | None) -> None:
        super().__init__(manager)
        if manager is not None:
            HOST.install(manager)

    def close(self) -> None:
        from hookcore_claude_agent_sdk import uninstall

        uninstall()

    def transport(self, way: str, job: Job) -> Any:
        tools, inner = dict(job.tools), job.inner
        if inner is not None:

            async def delegate(text: str) -> str:
                return str(await self.run(way, inner))

            tools["delegate"] = delegate
        return Client(job, tools)

    async def run(self, way: str, job: Job) -> Any:
        transport = self.transport(way, job)
        if way == "query":
            async with aclosing(query(prompt=job.text, transport=transport)) as messages:
                found = [message async for message in messages]
        else:
            async with ClaudeSDKClient(transport=transport) as client:
                await client.query(job.text)
                found = [message async for message in client.receive_response()]
        results = [message for message in found if isinstance(message, ResultMessage)]
        return results[-1].result


class TestConformance(Conformance):
    driver = ClaudeAgentSdk
