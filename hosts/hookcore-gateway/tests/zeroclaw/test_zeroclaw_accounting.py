"""Handlers that count what a model call costs hear of the model that a handler chose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore import hookimpl
from hookcore_agent import Agent, ModelResponse, ScriptedModel
from hookcore_gateway.zeroclaw import Continue, HookHandler, HookResult, HookRunner


class Meter:
    """Notes the model at each point that telemetry and accounts are made from."""

    def __init__(self) -> None:
        self.models: dict[str, str | None] = {}
        self.usage: Any = None

    @hookimpl
    def model_input(self, ctx: Any) -> None:
        self.models["input"] = ctx.model

    @hookimpl
    def model_output(self, ctx: Any) -> None:
        self.models["output"] = ctx.model

    @hookimpl
    def model_finished(self, ctx: Any) -> None:
        self.models["finished"] = ctx.model
        self.usage = ctx.usage


@pytest.mark.asyncio
async def test_the_model_that_a_handler_chose_is_the_one_that_is_accounted_for(
    runner: HookRunner, make_handler: Callable[..., HookHandler]
) -> None:
    async def choose(messages: list[Any], model: str) -> HookResult[Any]:
        return Continue((messages, "small"))

    meter = Meter()
    runner.register(make_handler("choose", before_llm_call=choose))
    runner.manager.register(meter)
    small = ScriptedModel([ModelResponse("yes", usage={"output_tokens": 7})], name="small")
    agent = Agent("a", ScriptedModel([], name="large"), hooks=runner.manager, models=[small])
    result = await agent.run("hi")
    assert meter.models == {"input": "small", "output": "small", "finished": "small"}
    assert (meter.usage, result.usage) == ({"output_tokens": 7}, {"output_tokens": 7})
