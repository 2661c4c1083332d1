"""The conformance vectors of AGENT-HOOKS, run by an agent on hookcore's boundaries."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agent_hooks.ctk.harness import Capability, ModelResponse, RunOutcome, RunRecord, Scenario
from agent_hooks.ctk.reference import ReferenceHarness
from agent_hooks.ctk.runner import load_vectors

from hookcore import Denied, HookAborted, HookManager, TextChunk
from hookcore.hosting import BodyFailed

from .emitting import Piecewise, Whole

if TYPE_CHECKING:
    from agent_hooks import AgentContextBuilder, HostSurface, InterceptionEmitter

__all__ = ["Harness", "IncrementalHarness"]

_BOUND = "no text is released before the verdict over all text up to its end"


class Harness(ReferenceHarness):
    """An agent whose runs, model calls and tools are boundaries of a manager's.

    ``pytest --agent-hooks-harness=hookcore_agent_hooks:Harness`` runs it. The vectors' interceptors
    stand behind one plugin; their emitter, which composes and records them, is the SDK's own.
    """

    name = "hookcore"

    def __init__(self) -> None:
        super().__init__()
        #: The text of streamed answers that has left.
        self.released = ""
        #: The messages that the agent has kept.
        self.kept: list[dict[str, Any]] = []

    def declaration(self) -> dict[str, Any]:
        """Return the document that a claim about this host cites."""
        document: dict[str, Any] = super().declaration()
        document["id"] = document["host"]["name"] = self.name
        return document

    async def run(self) -> RunRecord:
        """Lead the conversation of the vector that was set up last."""
        scenario, emitter, builder = self._scenario, self._emitter, self._builder
        if scenario is None or emitter is None or builder is None:
            raise RuntimeError("run() comes after setup()")
        manager = HookManager()
        try:
            return await self._led(manager, scenario, emitter, builder)
        finally:
            manager.close()

    async def _led(
        self,
        manager: HookManager,
        scenario: Scenario,
        emitter: InterceptionEmitter,
        builder: AgentContextBuilder,
    ) -> RunRecord:
        answers = _answers(scenario)
        streamed = any(answer.pieces for answer in answers)
        plugin = (Piecewise if streamed else Whole)(emitter, builder, sorted(scenario.tools))
        manager.register(plugin, name="agent-hooks")
        outcome, final = RunOutcome.COMPLETED, None
        try:
            async with manager.run(dict(scenario.input), agent=self.name) as run:
                self.kept = [{"role": run.inputs["role"], "content": run.inputs["content"]}]
                for answer in answers:
                    if not await self._turn(manager, scenario, answer):
                        run.result = self.kept[-1]["content"]
                        break
            final = run.result
        except HookAborted:
            outcome = RunOutcome.BLOCKED
        return RunRecord(
            outcome=outcome,
            final_output=final,
            tool_invocations=list(self._tool_log),
            identities=[(r.input_identity, r.enforced_identity) for r in emitter.results],
            records=[record.to_wire() for record in plugin.records],
        )

    async def _turn(self, manager: HookManager, scenario: Scenario, answer: Answer) -> bool:
        """Ask the model and run what it calls; return whether it has to be asked again."""
        if answer.pieces:
            text = ""
            source = manager.astream_model(list(self.kept), answer.stream, model="mock")
            async with aclosing(source) as chunks:
                async for chunk in chunks:
                    text += chunk.text
                    self.released += chunk.text
            self.kept.append({"role": "assistant", "content": text})
            return False

        async def ask(sent: list[Any]) -> Any:
            self.kept = list(sent)
            return answer.whole

        response = await manager.acall_model(list(self.kept), ask, model="mock")
        for call in response.tool_calls:
            self.kept.append({"role": "tool", "content": await self._tool(manager, scenario, call)})
        self.kept.append({"role": "assistant", "content": response.content or ""})
        if not response.tool_calls:
            self.kept[-1]["content"] = response.content
        return bool(response.tool_calls)

    async def _tool(self, manager: HookManager, scenario: Scenario, call: dict[str, Any]) -> Any:
        def body(arguments: dict[str, Any]) -> Any:
            name = call["name"]
            self._tool_log.append({"name": name, "args": copy.deepcopy(arguments)})
            value, failed = scenario.tools[name].invoke(arguments)
            if failed:
                raise BodyFailed(value, RuntimeError(f"{name} failed"))
            return value

        result = await manager.acall_tool(
            call["name"], dict(call["args"]), body, call_id=call["id"], on_denied="return"
        )
        return str(result) if isinstance(result, Denied) else result


class IncrementalHarness(Harness):
    """The same agent, which lets a streamed answer out piece by piece."""

    name = "hookcore-incremental"
    capabilities = Harness.capabilities | {Capability.INCREMENTAL_OUTPUT}

    def host_surface(self) -> HostSurface:
        """Return what this host can do."""
        return super().host_surface().with_exposure_bound(_BOUND)

    def declaration(self) -> dict[str, Any]:
        """Return the document that a claim about this host cites."""
        document = super().declaration()
        surface = document["surface"]
        surface["capabilities"] = sorted(capability.value for capability in self.capabilities)
        surface |= {"buffered_output": False, "exposure_bound": _BOUND}
        return document


@dataclass(frozen=True)
class Answer:
    """An answer of the model's, and how it is streamed."""

    whole: ModelResponse
    pieces: tuple[str, ...] = ()
    is_cut: bool = False

    async def stream(self, sent: list[Any]) -> AsyncIterator[TextChunk]:
        """Yield the answer in pieces.

        Raises:
            EOFError: it broke off before its end.
        """
        del sent
        for piece in self.pieces:
            yield TextChunk(piece)
        if self.is_cut:
            raise EOFError("the stream broke off")


def _answers(scenario: Scenario) -> list[Answer]:
    """Return the model's answers, with what the SDK's scenario leaves out of the vector."""
    for told in (vector["scenario"] for vector in load_vectors()):
        script = [answer["respond"] for answer in told.get("model_script", ())]
        if any("stream" in answer for answer in script) and Scenario.from_wire(told) == scenario:
            cut = [bool(answer.get("stream_truncated")) for answer in script]
            pieces = [tuple(answer.get("stream", ())) for answer in script]
            return list(map(Answer, scenario.model_script, pieces, cut))
    return list(map(Answer, scenario.model_script))
