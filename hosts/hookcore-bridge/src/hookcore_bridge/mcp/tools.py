"""The tools that a client is told of: those that policies leave, with nothing changed in secret."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hookcore import HookAborted, HookManager, ToolCallContext

from .pins import Pins
from .points import TOOL_OFFERED
from .rpc import MalformedError

__all__ = ["Offers"]


class Offers:
    """Settles lists of tools.

    Args:
        manager: the hooks, with the point of :mod:`.points`.
        server: the server's name in the client's configuration, None where it has none.
        pins: what the tools were like before; None to let them change.
        note: tells the operator something, a line.
    """

    def __init__(
        self,
        manager: HookManager,
        server: str | None,
        pins: Pins | None,
        note: Callable[[str], None],
    ) -> None:
        self._manager, self._server, self._pins, self._note = manager, server, pins, note

    def judged_name(self, tool: str) -> str:
        """Return the name by which policies know a tool: the one that clients give it."""
        return tool if self._server is None else f"mcp__{self._server}__{tool}"

    def refuse_withheld(self, tool: str) -> None:
        """Raise HookAborted for a tool that nobody has accepted as it is now."""
        if self._pins is not None and self._pins.withholds(tool):
            raise HookAborted(
                f"the description of {tool} has changed since it was pinned, and nobody has "
                "accepted it: see 'hookctl mcp pins list'",
                source="hookctl mcp",
                message="The server has changed the description of this tool. It may be used when "
                "a person has accepted the change.",
            )

    async def offered(self, tools: list[Any], fields: dict[str, Any]) -> list[Any]:
        """Return the tools that the client may be told of, as policies left them.

        Args:
            tools: a server's list, which stays as it is.
            fields: fields of the context.

        Raises:
            HookAborted: a policy refuses the whole list.
            MalformedError: a policy left what is no list of tools.
            PinsError: the pins cannot be read or written.
        """
        known = self._unchanged([tool for tool in tools if _is_named(tool)])
        registry: dict[str, Any] = {}
        for tool in known:
            registry.setdefault(self.judged_name(tool["name"]), tool)
        if self._manager.has_hooks(TOOL_OFFERED):
            for name in list(registry):
                if not await self._may_be_offered(name, fields):
                    del registry[name]
        left = await self._manager.asettle("setup_tools", deepcopy(registry), **fields)
        entries = list(left.values()) if isinstance(left, dict) else left
        if not isinstance(entries, list) or not all(map(_is_named, entries)):
            raise MalformedError("a policy left no list of tools")
        return entries

    def _unchanged(self, tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if self._pins is None:
            return tools
        withheld, fresh = self._pins.take(tools)
        for name in sorted(fresh):
            self._note(f"withheld {name}, whose description has changed: see hookctl mcp pins list")
        return [tool for tool in tools if tool["name"] not in withheld]

    async def _may_be_offered(self, name: str, fields: dict[str, Any]) -> bool:
        ctx = ToolCallContext(tool_name=name, payload={}, **fields)
        try:
            await self._manager.adispatch(TOOL_OFFERED, ctx)
        except HookAborted:
            return False
        return True


def _is_named(tool: Any) -> bool:
    return isinstance(tool, dict) and isinstance(tool.get("name"), str)
