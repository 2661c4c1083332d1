"""A manager whose telemetry goes out by OTLP."""

from __future__ import annotations

from typing import Any

from hookcore import HookAborted, HookManager, ToolCallContext, hookimpl
from hookcore_otel import Otel, OtelSettings

__all__ = ["Told"]


class Rules:
    """A gate that lets nobody remove anything."""

    @hookimpl(tools=["rm"], gate=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        raise HookAborted("no removing", source="rules")


class Told:
    """A manager whose telemetry goes to a collector by OTLP.

    Args:
        settings: the plugin's settings.
    """

    def __init__(self, **settings: Any) -> None:
        self.plugin = Otel(OtelSettings(**{"setup": "otlp", **settings}))
        self.manager = HookManager()
        self.manager.register(Rules(), name="rules")
        self.manager.register(self.plugin, name="otel")

    def call(self, name: str = "read", **fields: Any) -> Any:
        return self.manager.call_tool(name, {}, lambda _: "done", on_denied="return", **fields)
