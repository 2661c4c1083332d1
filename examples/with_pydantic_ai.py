"""A policy that stops a tool of a pydantic-ai agent, offline."""

from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from hookcore import Abort, HookManager, hookimpl
from hookcore_pydantic_ai import Hookcore


class NoDeletes:
    @hookimpl(tools=["delete_*"], gate=True)
    def pre_tool_call(self, ctx):
        return Abort("rule 7", message="Deleting is switched off.")


manager = HookManager()  # without one, Hookcore() takes the process's, with the installed policies
manager.register(NoDeletes())
agent = Agent(TestModel(), capabilities=[Hookcore(manager)])


@agent.tool_plain
def delete_file(path: str) -> str:
    raise AssertionError("nobody gets here")


result = agent.run_sync("Delete my notes.")
assert "Deleting is switched off." in result.output
