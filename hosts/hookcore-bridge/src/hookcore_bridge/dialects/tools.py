"""The names that one and the same tool has in different clients, so that one rule holds for all."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .model import Dialect

__all__ = ["FAMILIES", "aliases"]

FAMILIES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "shell": ("Bash", "shell", "run_shell_command", "exec_command"),
        # What is typed into a shell that runs is a command, too.
        "shell_input": ("write_stdin", "Bash", "shell", "run_shell_command", "exec_command"),
        "read": ("Read", "read_file", "view"),
        "read_many": ("read_many_files", "Read", "read_file"),
        "write": ("Write", "write_file", "create_file"),
        "edit": ("Edit", "edit_file", "replace"),
        "patch": ("apply_patch", "patch", "Edit", "Write"),
        "glob": ("Glob", "find_files"),
        "grep": ("Grep", "grep_search", "search_file_content"),
        "list": ("LS", "list_directory", "list"),
        "fetch": ("WebFetch", "web_fetch"),
        "search": ("WebSearch", "web_search", "google_web_search"),
        "agent": ("Task", "Agent", "agent"),
    }
)
"""The names by which rules may speak of a kind of tool, whatever the client calls it.

Case and separators do not count where rules forbid; what a rule allows has to be spelled so.
"""


def aliases(dialect: Dialect, tool: str, mcp: tuple[str, str] | None = None) -> tuple[str, ...]:
    """Return the other names that a client's tool is known by.

    Args:
        dialect: the client's dialect.
        tool: the tool's name as the client gives it.
        mcp: the server and the tool's name there, where the client tells them.
    """
    if mcp is not None:
        return ("__".join(("mcp", *mcp)),)
    family = dialect.tools.get(tool)
    if family is not None:
        return tuple(name for name in FAMILIES[family] if name != tool)
    if dialect.mcp is None or dialect.mcp not in tool:
        return ()
    # Where the server's name ends is not told: each place may be the one.
    parts = tool.removeprefix(f"mcp{dialect.mcp}").split(dialect.mcp)
    return tuple(
        f"mcp__{dialect.mcp.join(parts[:place])}__{dialect.mcp.join(parts[place:])}"
        for place in range(1, len(parts))
        if all(parts)
    )
