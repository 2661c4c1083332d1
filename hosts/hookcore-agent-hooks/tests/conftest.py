"""AGENT-HOOKS as a runtime would use it: an emitter, and the contexts of one session."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import HookManager, hookimpl
from hookcore_agent_hooks import Hookcore

if find_spec("agent_hooks"):
    from agent_hooks import AgentContextBuilder, InterceptionBlocked, InterceptionEmitter


class Runtime:
    """One session of a runtime whose only interceptor is hookcore's."""

    def __init__(self, manager: HookManager) -> None:
        told = {"agent_id": "a1", "agent_name": "main", "framework": "tests", "session_id": "s1"}
        self.interceptor = Hookcore(manager)
        self.emitter: Any = InterceptionEmitter().register(self.interceptor)
        self.build: Any = AgentContextBuilder(**told)

    async def emit(self, point: str, **fields: Any) -> Any:
        """Return the target as the policies left it; or the verdict that denied it."""
        try:
            return (await self.emitter.emit(getattr(self.build, point)(**fields))).target
        except InterceptionBlocked as error:
            return error.result.verdict

    async def pre(self, name: str, call_id: str = "c0", **args: Any) -> Any:
        return await self.emit("pre_tool_call", call_id=call_id, name=name, args=args)

    async def post(self, name: str, value: Any, *, failed: bool = False, **args: Any) -> Any:
        told = {"call_id": "c0", "name": name, "args": args}
        return await self.emit("post_tool_call", **told, value=value, is_error=failed)

    async def asked(self, *texts: str, **fields: Any) -> Any:
        messages = [{"role": "user", "content": text} for text in texts]
        return await self.emit("pre_model_call", model_id="m", messages=messages, **fields)

    async def answered(self, content: Any, *calls: Any, **fields: Any) -> Any:
        told = {"content": content, "tool_calls": list(calls), "finish_reason": "stop"}
        return await self.emit("post_model_call", model_id="m", **told, **fields)


@pytest.fixture
def runtime() -> Callable[[HookManager], Runtime]:
    pytest.importorskip(
        "agent_hooks", reason="agent-hooks-sdk is not installed: see .ci/hosts/agent-hooks.txt"
    )
    return Runtime


@pytest.fixture
def hook_at() -> Callable[..., Any]:
    """Return what makes a plugin with one hook."""

    def make(point: str, function: Callable[[Any], Any], **options: Any) -> Any:
        def hook(ctx: Any) -> Any:
            return function(ctx)

        marked = hookimpl(specname=point, **options)(hook)
        return type("Hook", (), {"hook": staticmethod(marked)})()

    return make
