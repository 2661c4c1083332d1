"""``hookctl run`` governs a program that knows nothing of hookcore."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hookcore.hosting.checks import run_governed

PROGRAM = """
import asyncio

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types


class Scripted(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        told = llm_request.contents[-1].parts[0].function_response
        call = types.FunctionCall(name="danger", args={"x": "1"})
        part = types.Part(text=str(told.response)) if told else types.Part(function_call=call)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def danger(x: str) -> str:
    raise SystemExit("the tool ran")


agent = LlmAgent(name="main", model=Scripted(model="scripted"), tools=[danger])
events = asyncio.run(InMemoryRunner(agent).run_debug("hi", quiet=True))
print(events[-1].content.parts[0].text)
"""


def test_an_unchanged_program_is_governed(script: Any, tmp_path: Path) -> None:
    assert "denied by tool-policy" in run_governed(tmp_path, PROGRAM, "google-adk")
