"""The installed policies as one interceptor of AGENT-HOOKS, offline."""

import asyncio

from agent_hooks import AgentContextBuilder, InterceptionBlocked, InterceptionEmitter

from hookcore import HookManager
from hookcore_agent_hooks import Hookcore

deny = {"enabled": True, "settings": {"deny": ["delete_*"]}}
config = {"plugins": {"tool-policy": deny, "redact": {"enabled": True}}}
manager = HookManager.load(config=config)  # Hookcore() takes the process's manager


async def main():  # a runtime asks before, and goes on with what it is answered
    emitter = InterceptionEmitter().register(Hookcore(manager))
    build = AgentContextBuilder(agent_id="helper", framework="acme", session_id="s1")
    told = [{"role": "user", "content": "My key is AKIAIOSFODNN7EXAMPLE."}]
    asked = await emitter.emit(build.pre_model_call(model_id="m", messages=told))
    assert "AKIA" not in asked.target[0]["content"]
    call = {"call_id": "c1", "name": "delete_file", "args": {"path": "notes.txt"}}
    try:
        await emitter.emit(build.pre_tool_call(**call))
    except InterceptionBlocked as error:
        return error.result.verdict.message


message = asyncio.run(main())
assert "delete_file" in message
