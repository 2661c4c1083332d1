"""A policy that stops a tool of an agent of Google's ADK, offline."""

import asyncio

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from hookcore import Abort, HookManager, hookimpl
from hookcore_google_adk import install


class NoDeletes:
    @hookimpl(tools=["delete_*"], gate=True)
    def pre_tool_call(self, ctx):
        return Abort("rule 7", message="Deleting is switched off.")


class Scripted(BaseLlm):  # yours is a real one
    async def generate_content_async(self, llm_request, **_):
        told = llm_request.contents[-1].parts[0].function_response
        call = types.FunctionCall(name="delete_file", args={"path": "notes.txt"})
        part = types.Part(text=str(told.response)) if told else types.Part(function_call=call)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def delete_file(path: str) -> str:
    raise AssertionError("nobody gets here")


manager = HookManager()
manager.register(NoDeletes())
install(manager)  # install() takes the process's manager, with the installed policies

agent = LlmAgent(name="helper", model=Scripted(model="scripted"), tools=[delete_file])
events = asyncio.run(InMemoryRunner(agent).run_debug("Delete my notes.", quiet=True))
assert "Deleting is switched off." in events[-1].content.parts[0].text
