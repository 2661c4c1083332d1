"""The runner: handlers in one manager, and a method for each hook that a host calls by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookcore import HookManager
from hookcore_specs import ChannelMessage as CoreMessage
from hookcore_specs import (
    GatewayContext,
    MessageContext,
    ModelCallContext,
    ModelChoice,
    SessionContext,
)

from .binding import handler_plugin
from .config import plugin_tables
from .handler import HookHandler
from .result import Cancel, Continue, HookResult
from .toolrunner import ToolRunner
from .types import ChannelMessage, from_core, to_core

__all__ = ["HookRunner"]


class HookRunner(ToolRunner):
    """Runs handlers, and the policies that its manager has besides them.

    Hosts that dispatch through a manager take ``runner.manager``, which is all they need.

    Args:
        manager: where handlers are registered; a new one when None.
    """

    def __init__(self, manager: HookManager | None = None) -> None:
        self.manager = HookManager() if manager is None else manager
        # By the handler's identity; a plugin keeps its handler, so that no other gets its id.
        self._plugins: dict[int, Any] = {}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> HookRunner:
        """Return a runner with the built-in hooks that a ``[hooks]`` table switches on.

        No file counts beside it; for a manager that reads those too, see :func:`plugin_tables`.

        Args:
            config: the table in ZeroClaw's shape; its ``enabled`` is for the caller to look at.

        Raises:
            ConfigError: a key is unknown, a value wrong, or a distribution not installed.
            PluginLoadError: one cannot be loaded. A webhook audit with wrong settings is logged
                and left out instead.
        """
        from hookcore.config import Config, Origin, PluginConfig

        tables = plugin_tables(config)["plugins"]
        plugins = {name: PluginConfig(**table) for name, table in tables.items()}
        origins: dict[tuple[str, ...], Origin] = {
            ("plugins", name): Origin("arguments") for name in tables
        }
        return cls(HookManager.load(config=Config(plugins=plugins, origins=origins)))

    def register(self, handler: HookHandler) -> str:
        """Register a handler and return its name, with a number behind it if it was taken.

        A handler that is registered already stays as it is, and is called once.

        Args:
            handler: the handler; a higher priority runs first.

        Raises:
            RegistrationError: it is no handler, or overrides no method.
        """
        known = self._plugins.get(id(handler))
        if known is not None:
            for info in self.manager.plugins():
                if info.plugin is known:
                    return info.name
        plugin = handler_plugin(handler)
        name = self.manager.register(plugin)
        self._plugins[id(handler)] = plugin
        return name

    def is_empty(self) -> bool:
        """Tell whether nothing is registered."""
        return not self.manager.plugins()

    def names(self) -> tuple[str, ...]:
        """Return the names of what is registered, in the order of registration."""
        return tuple(info.name for info in self.manager.plugins())

    # Void hooks: none of their failures reaches the caller, or the next handler.

    async def fire_gateway_start(self, host: str, port: int) -> None:
        """Tell that the gateway listens."""
        await self._fire("gateway_start", GatewayContext(host=host, port=port))

    async def fire_gateway_stop(self) -> None:
        """Tell that the gateway ends."""
        await self._fire("gateway_stop", GatewayContext())

    async def fire_heartbeat_tick(self) -> None:
        """Tell of a heartbeat."""
        await self._fire("heartbeat_tick", GatewayContext())

    async def fire_session_start(self, session_id: str, channel: str) -> None:
        """Tell that a session begins."""
        await self._fire("session_start", SessionContext(session_id=session_id, channel=channel))

    async def fire_session_end(self, session_id: str, channel: str) -> None:
        """Tell that a session ends."""
        await self._fire("session_end", SessionContext(session_id=session_id, channel=channel))

    async def fire_llm_input(self, messages: list[Any], model: str) -> None:
        """Tell what is sent to a model."""
        await self._fire("model_input", ModelCallContext(messages=messages, model=model))

    async def fire_llm_output(self, response: Any) -> None:
        """Tell what a model answered."""
        await self._fire("model_output", ModelCallContext(response=response))

    async def fire_message_sent(self, channel: str, recipient: str, content: str) -> None:
        """Tell what was delivered."""
        message = _outgoing(channel, recipient, content)
        await self._fire("message_sent", MessageContext(payload=message))

    # Modifying hooks: the first that cancels ends the chain.

    async def run_before_model_resolve(
        self, model_provider: str, model: str
    ) -> HookResult[tuple[str, str]]:
        """Return the provider and the model that the handlers choose."""
        ctx = ModelCallContext(payload=ModelChoice(model_provider, model))
        reason = await self._run("model_resolve", ctx)
        if reason is not None:
            return Cancel(reason)
        return Continue((ctx.payload.provider, ctx.payload.model))

    async def run_before_prompt_build(self, prompt: str) -> HookResult[str]:
        """Return the prompt as the handlers leave it."""
        ctx = ModelCallContext(payload=prompt)
        reason = await self._run("prompt_build", ctx)
        return Continue(ctx.payload) if reason is None else Cancel(reason)

    async def run_before_llm_call(
        self, messages: list[Any], model: str
    ) -> HookResult[tuple[list[Any], str]]:
        """Return the messages and the model as the handlers leave them.

        Args:
            messages: the messages; the list is changed in place, and only when nobody cancels.
            model: the model's name.
        """
        ctx = ModelCallContext(messages=list(messages), model=model)
        reason = await self._run("pre_model_call", ctx)
        if reason is not None:
            return Cancel(reason)
        messages[:] = ctx.messages
        return Continue((messages, ctx.model or ""))

    async def run_on_message_received(self, message: ChannelMessage) -> HookResult[ChannelMessage]:
        """Return a message that came in as the handlers leave it."""
        ctx = MessageContext(payload=to_core(message))
        reason = await self._run("message_received", ctx)
        return Continue(from_core(ctx.payload)) if reason is None else Cancel(reason)

    async def run_on_message_sending(
        self, channel: str, recipient: str, content: str
    ) -> HookResult[tuple[str, str, str]]:
        """Return a message that is about to leave as the handlers leave it."""
        ctx = MessageContext(payload=_outgoing(channel, recipient, content))
        reason = await self._run("message_sending", ctx)
        if reason is not None:
            return Cancel(reason)
        left = ctx.payload
        return Continue((left.channel, left.recipient, left.content))


def _outgoing(channel: str, recipient: str, content: str) -> CoreMessage:
    return CoreMessage(channel=channel, sender="", recipient=recipient, content=content)
