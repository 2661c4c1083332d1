"""A policy that stops a tool of an agent of the OpenAI Agents SDK, offline."""

import asyncio

from agents import Agent, Runner, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

from hookcore import Abort, HookManager, hookimpl
from hookcore_openai_agents import install


class NoDeletes:
    @hookimpl(tools=["delete_*"], gate=True)
    def pre_tool_call(self, ctx):
        return Abort("rule 7", message="Deleting is switched off.")


@function_tool
def delete_file(path: str) -> str:
    """Delete a file."""
    raise AssertionError("nobody gets here")


manager = HookManager()
manager.register(NoDeletes())
install(manager)  # install() takes the process's manager, with the installed policies

call = function_call("delete_file", {"path": "notes.txt"}, call_id="c1")
model = ScriptedModel([[call], [assistant_message("done")]])  # yours is a real one
set_tracing_disabled(True)
agent = Agent(name="helper", model=model, tools=[delete_file])
result = asyncio.run(Runner.run(agent, "Delete my notes."))
assert result.final_output == "done"
assert "Deleting is switched off." in model.calls[1].input[-1]["output"]
