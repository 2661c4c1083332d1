"""The point that the proxies for MCP have beside the standard ones."""

from __future__ import annotations

from typing import Any, Final

from hookcore import HookManager, ToolCallContext, hookspec

__all__ = ["TOOL_OFFERED", "OfferSpecs", "loaded_manager"]

TOOL_OFFERED: Final = "tool_offered"


class OfferSpecs:
    """A list of tools is on its way to a client, whose model will be told of them."""

    @hookspec(context=ToolCallContext)
    def tool_offered(self, ctx: ToolCallContext) -> Any:
        """A tool is about to be offered; its arguments are not known, and the payload is empty.

        ``ctx.tool_name`` says which tool. An abort leaves it out of the list, and nothing else:
        deny calls of it at ``pre_tool_call``. What the hooks make of the payload is not used.
        """


def loaded_manager() -> HookManager:
    """Return a manager with the enabled plugins, and with this point."""
    manager = HookManager()
    manager.add_hookspecs(OfferSpecs)
    manager.load_configured()
    return manager
