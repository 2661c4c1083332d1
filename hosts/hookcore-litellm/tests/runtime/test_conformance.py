"""The conformance kit on LiteLLM, with a provider of its own kind."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

import hookcore_litellm
from hookcore import HookManager
from hookcore.testing.conformance import Conformance, Driver, Job

from .conftest import WARNINGS

pytest.importorskip("litellm", reason="litellm is not installed: see .ci/hosts/litellm.txt")

litellm: Any = importlib.import_module("litellm")
pytestmark = [*WARNINGS, pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")]


class Handler(litellm.CustomLLM):
    """Answers as the kit's provider says."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._job = job

    def completion(self, *args: Any, **kwargs: Any) -> Any:
        step = self._job.provider.ask(kwargs["messages"])
        response = kwargs["model_response"]
        response.choices[0].message.content = step.text
        return response

    async def acompletion(self, *args: Any, **kwargs: Any) -> Any:
        return self.completion(*args, **kwargs)

    def streaming(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        step = self._job.provider.ask(kwargs["messages"])
        rest = {"index": 0, "tool_use": None, "usage": None}
        for piece in step.pieces:
            yield {"text": piece, "is_finished": False, "finish_reason": None, **rest}
        yield {"text": "", "is_finished": True, "finish_reason": "stop", **rest}

    async def astreaming(self, *args: Any, **kwargs: Any) -> Any:
        for piece in self.streaming(*args, **kwargs):
            yield piece


class LiteLLM(Driver):
    """One completion is a conversation: LiteLLM knows no tools."""

    host = hookcore_litellm.HOST
    ways: ClassVar[Any] = {
        "acompletion": "async",
        "completion": "sync",
        "acompletion stream": "stream",
        "completion stream": "stream",
        "router": "async",
        "router stream": "stream",
    }
    threads = frozenset({"completion stream"})
    features = frozenset(["pieces", "system", "whole-answers"])

    def __init__(self, manager: HookManager | None) -> None:
        super().__init__(manager)
        if manager is not None:
            hookcore_litellm.install(manager)

    def close(self) -> None:
        hookcore_litellm.uninstall()
        litellm.custom_provider_map = []

    async def run(self, way: str, job: Job) -> Any:
        name = f"kit{id(job)}"  # many conversations are led at once
        litellm.custom_provider_map = [
            *litellm.custom_provider_map,
            {"provider": name, "custom_handler": Handler(job)},
        ]
        litellm.utils.custom_llm_setup()
        front = [] if job.system is None else [{"role": "system", "content": job.system}]
        request: Any = {
            "model": f"{name}/m",
            "messages": [*front, {"role": "user", "content": job.text}],
        }
        target = litellm
        if way.startswith("router"):
            params = {"model": request["model"]}
            models = [{"model_name": "a", "litellm_params": params}]
            target, request["model"] = litellm.Router(model_list=models, num_retries=0), "a"
        if way.startswith("completion"):
            return await asyncio.to_thread(self.led, request, job, streams=way.endswith("stream"))
        if not way.endswith("stream"):
            return (await target.acompletion(**request)).choices[0].message.content
        pieces: list[str] = []
        stream = await target.acompletion(**request, stream=True)
        try:
            async for event in stream:
                job.shows(event)
                pieces.append(event.choices[0].delta.content or "")
        finally:
            await stream.aclose()
        return "".join(pieces)

    def led(self, request: Any, job: Job, *, streams: bool) -> Any:
        if not streams:
            return litellm.completion(**request).choices[0].message.content
        pieces: list[str] = []
        stream = litellm.completion(**request, stream=True)
        try:
            for event in stream:
                job.shows(event)
                pieces.append(event.choices[0].delta.content or "")
        finally:
            stream.close()
        return "".join(pieces)


class TestLiteLLM(Conformance):
    driver = LiteLLM
