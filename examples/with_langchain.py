"""A policy that stops a tool of a LangChain agent, offline."""

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from hookcore import Abort, HookManager, hookimpl
from hookcore_langchain import create_agent


class Model(GenericFakeChatModel):
    """A model that follows a script; yours is a real one."""

    def bind_tools(self, tools, **options):
        return self


class NoDeletes:
    @hookimpl(tools=["delete_*"], gate=True)
    def pre_tool_call(self, ctx):
        return Abort("rule 7", message="Deleting is switched off.")


def delete_file(path: str) -> str:
    """Delete a file."""
    raise AssertionError("nobody gets here")


manager = HookManager()  # without one, the process's is taken, with the installed policies
manager.register(NoDeletes())
call = {"name": "delete_file", "args": {"path": "notes.txt"}, "id": "c1"}
model = Model(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("done")]))
agent = create_agent(model, [delete_file], manager=manager)
state = agent.invoke({"messages": ["Delete my notes."]})
assert "Deleting is switched off." in state["messages"][-2].content
