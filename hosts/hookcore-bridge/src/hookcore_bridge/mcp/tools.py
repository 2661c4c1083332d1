"""The tools that a client is told of: those that policies leave, with nothing changed in secret."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hookcore import HookManager

from .rpc import MalformedError

__all__ = ["Offers"]


class Offers:
    """Settles lists of tools.

    Args:
        manager: the hooks.
        server: the server's name in the client's configuration, None where it has none.
    """

    def __init__(self, manager: HookManager, server: str | None) -> None:
        self._manager, self._server = manager, server

    def judged_name(self, tool: str) -> str:
        """Return the name by which policies know a tool: the one that clients give it."""
        return tool if self._server is None else f"mcp__{self._server}__{tool}"

    def refuse_withheld(self, tool: str) -> None:
        """Raise HookAborted for a tool that nobody has accepted as it is now."""

    async def offered(self, tools: list[Any], fields: dict[str, Any]) -> list[Any]:
        """Return the tools that the client may be told of, as policies left them.

        Args:
            tools: a server's list, which stays as it is.
            fields: fields of the context.

        Raises:
            HookAborted: a policy refuses the whole list.
            MalformedError: a policy left what is no list of tools.
        """
        registry: dict[str, Any] = {}
        for tool in tools:
            if isinstance(tool, dict) and isinstance(tool.get("name"), str):
                registry.setdefault(self.judged_name(tool["name"]), tool)
        left = await self._manager.asettle("setup_tools", deepcopy(registry), **fields)
        entries = list(left.values()) if isinstance(left, dict) else left
        if not isinstance(entries, list) or not all(isinstance(item, dict) for item in entries):
            raise MalformedError("a policy left no list of tools")
        return entries
