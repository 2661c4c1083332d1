"""The installed policies in force on an agent of Microsoft's Agent Framework, offline."""

import asyncio

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)

from hookcore import HookManager
from hookcore_agent_framework import middleware

deny = {"enabled": True, "settings": {"deny": ["delete_*"]}}
config = {"plugins": {"tool-policy": deny, "redact": {"enabled": True}}}
manager = HookManager.load(config=config)  # middleware() takes the process's manager


@tool(approval_mode="never_require")
def delete_file(path: str) -> str:
    """Delete a file."""
    raise AssertionError("nobody gets here")


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):  # yours is a real one
    sent = ()

    async def _inner_get_response(self, *, messages, stream, options, **more):
        self.sent += (str([message.to_dict() for message in messages]),)
        call = Content.from_function_call("c1", "delete_file", arguments={"path": "notes.txt"})
        answer = call if len(self.sent) == 1 else Content.from_text("done")
        return ChatResponse(messages=[Message("assistant", [answer])])


client = Scripted()
agent = Agent(client, tools=[delete_file], middleware=middleware(manager))
result = asyncio.run(agent.run("My key is AKIAIOSFODNN7EXAMPLE. Delete my notes."))
assert result.text == "done"
assert "AKIA" not in "".join(client.sent)
assert "denied by tool-policy" in client.sent[1]
