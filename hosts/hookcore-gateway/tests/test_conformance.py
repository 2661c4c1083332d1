"""The conformance kit on the gateway: what comes in by a channel, and what is sent back."""

from __future__ import annotations

import logging
from typing import Any, ClassVar

from hookcore import HookManager
from hookcore.hosting import PolicyDenied
from hookcore.testing.conformance import Conformance, Driver, Job, Provider
from hookcore_agent import Agent, ModelRequest, ScriptedModel, Tool
from hookcore_gateway import Gateway, InMemoryChannel
from hookcore_gateway.host import HOST


class RefusedError(Exception):
    """Raised with the text that the sender is told when something went wrong."""


class Log(logging.Handler):
    """The operator's log, in which the gateway tells of failures."""

    error: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info is not None:
            self.error = record.exc_info[1]

    def __enter__(self) -> None:
        logging.getLogger("hookcore").addHandler(self)

    def __exit__(self, *_: object) -> None:
        logging.getLogger("hookcore").removeHandler(self)


def model_of(provider: Provider) -> ScriptedModel:
    def ask(request: ModelRequest) -> Any:
        answers = [message for message in request.messages if message["role"] == "tool"]
        results = {answer["tool_call_id"]: answer["content"] for answer in answers}
        step = provider.ask(request.messages, results, [tool.name for tool in request.tools])
        return list(step.calls) or step.text

    return ScriptedModel(ask)


class ByChannel(Driver):
    host = HOST
    ways: ClassVar[Any] = {"message": "async"}
    threads = frozenset({"message"})
    features = frozenset(
        ["async-wraps", "call-ids", "defaults", "offers", "raw-arguments", "system"]
    )

    async def run(self, way: str, job: Job) -> Any:
        channel = InMemoryChannel()
        tools = [Tool(function, name=name) for name, function in job.tools.items()]
        agent = Agent("main", model_of(job.provider), tools, instructions=job.system or "")
        log = Log()
        with log:
            async with Gateway(agent, channel, self.manager or HookManager()):
                outcome = await channel.post(job.text).outcome()
        told = "" if outcome.delivered is None else str(outcome.delivered.content)
        job.shown.extend(message.content for message in channel.sent)
        if outcome.status == "denied":
            raise PolicyDenied(told)
        if outcome.status != "replied":
            raise RefusedError(told) from log.error
        return told


class TestConformance(Conformance):
    driver = ByChannel
