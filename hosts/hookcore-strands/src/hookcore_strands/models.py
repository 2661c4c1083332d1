"""A model of Strands', each of whose requests is a model call that policies judge."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from strands.models.model import Model

from hookcore import HookAborted, HookManager, ModelCallContext
from hookcore.hosting import Handle, Raised, current_run, denials_outside, stopping

from .chunks import Codec, Writer, numbered

__all__ = ["GovernedModel"]

_CODEC = Codec()
_MARK = "hookcore_instructions"


class GovernedModel(Model):
    """A model whose requests go through the points of a manager.

    Args:
        inner: the model.
        manager: the hooks.
        agent: the agent that it answers.
    """

    def __init__(self, inner: Any, manager: HookManager, agent: Any) -> None:
        self._inner, self._manager, self._agent = inner, manager, agent

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def update_config(self, **config: Any) -> None:
        """Change the model's configuration."""
        self._inner.update_config(**config)

    def get_config(self) -> Any:
        """Return the model's configuration."""
        return self._inner.get_config()

    @denials_outside()
    async def structured_output(
        self, output_model: Any, prompt: Any, system_prompt: Any = None, **options: Any
    ) -> AsyncIterator[Any]:
        """Yield the model's one answer, of a class, as the policies let it be asked for and given.

        Raises:
            PolicyDenied: a policy denied the request or the answer.
        """
        request = _Request(self._inner, self._agent, prompt, None, {"system_prompt": system_prompt})

        raised = Raised()

        async def body(sent: list[Any]) -> Any:
            messages, _, given = request.settled(sent)
            system = given["system_prompt"]
            with raised:
                asked = self._inner.structured_output(output_model, messages, system, **options)
                return [event["output"] async for event in asked if "output" in event][-1]

        with stopping(raised):
            answer = await self._manager.acall_model(request.ctx, body)
        yield {"output": answer}

    @denials_outside()
    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: Any = None, **options: Any
    ) -> AsyncIterator[Any]:
        """Yield the chunks that the policies let through.

        Raises:
            PolicyDenied: a policy denied the request or the response.
            TypeError: a hook gave something else than a response.
        """
        options["system_prompt"] = system_prompt
        request = _Request(self._inner, self._agent, messages, tool_specs, options)
        tail: list[Any] = []
        raised = Raised()

        async def asked(sent: list[Any]) -> AsyncIterator[Any]:
            history, tools, given = request.settled(sent)
            made = numbered(self._inner.stream(history, tools, **given))
            with raised:
                async with aclosing(made) as chunks:
                    async for chunk in chunks:
                        # What ends the message comes after all that policies may add to it.
                        if "messageStop" in chunk or "metadata" in chunk:
                            tail.append(dict(chunk))
                            request.told(chunk)
                        else:
                            yield chunk

        writer = Writer()
        made = self._manager.astream_model(request.ctx, asked, codec=_CODEC)
        with stopping(raised):
            async with aclosing(made) as events:
                async for event in events:
                    for chunk in writer.written(event):
                        yield chunk
        for chunk in writer.ended(tail):
            yield chunk


class _Request:
    """One request as hooks see it: the instructions stand in front of the messages."""

    def __init__(self, model: Any, agent: Any, messages: Any, tools: Any, options: Any) -> None:
        self._tools, self._options = tools, dict(options)
        config = model.get_config() or {}
        self._name = config.get("model_id") if isinstance(config, dict) else None
        system = options["system_prompt"]
        self._blocks = options.get("system_prompt_content") or [{"text": system}]
        front = [{"role": "system", "content": self._blocks, _MARK: True}] if system else []
        told = {"llm": Handle(model), "agent": Handle(agent), "model": self._name}
        shown = {"tools": list(tools or ()), "provider": type(model).__name__}
        self._shown = list(shown["tools"])
        fields = current_run().fill({**told, **shown})
        self.ctx = ModelCallContext(messages=[*front, *messages], **fields)

    def told(self, chunk: Any) -> None:
        """Take note of the usage, where a chunk tells it."""
        usage = chunk.get("metadata", {}).get("usage")
        if usage is not None:
            self.ctx.usage = usage

    def settled(self, sent: list[Any]) -> tuple[list[Any], Any, dict[str, Any]]:
        """Return what is to be asked, from the messages and the context as the hooks left them.

        Raises:
            HookAborted: a hook named another model.
        """
        if self.ctx.model != self._name:
            raise HookAborted(
                f"a hook changed the model from {self._name} to {self.ctx.model}, and Strands asks "
                "only the one that it has",
                source="hookcore-strands",
            )
        fronts = [message for message in sent if _is_front(message)]
        messages = [message for message in sent if not _is_front(message)]
        options = dict(self._options)
        blocks = [block for message in fronts for block in message["content"]]
        if options["system_prompt"] and blocks != self._blocks:
            texts = [block["text"] for block in blocks if "text" in block]
            options["system_prompt"] = "\n".join(texts) if texts else None
            if options.get("system_prompt_content") is not None:
                options["system_prompt_content"] = blocks or None
        same = self.ctx.tools == self._shown
        return messages, self._tools if same else list(self.ctx.tools or ()) or None, options


def _is_front(message: Any) -> bool:
    return isinstance(message, dict) and _MARK in message
