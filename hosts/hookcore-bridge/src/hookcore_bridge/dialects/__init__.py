"""The dialects of clients, as data: what each tells its hooks, and which answers it takes.

Everything here needs the standard library only.

    from hookcore_bridge.dialects import CLIENTS, read

    dialect = CLIENTS["claude-code"]
    told = read(dialect, payload, event="PreToolUse")
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from . import claude_code, codex, copilot, gemini_cli, opencode, qwen_code
from .answers import (
    PASSED,
    Printed,
    adding,
    as_text,
    denying,
    failing,
    replacing,
    rewriting,
    withholding,
)
from .model import Dialect, Event, Keys, Role, Slot
from .reading import MalformedError, Occurrence, read
from .tools import FAMILIES, aliases

__all__ = [
    "CLIENTS",
    "FAMILIES",
    "PASSED",
    "Dialect",
    "Event",
    "Keys",
    "MalformedError",
    "Occurrence",
    "Printed",
    "Role",
    "Slot",
    "adding",
    "aliases",
    "as_text",
    "denying",
    "failing",
    "read",
    "replacing",
    "rewriting",
    "withholding",
]

_ALL: Final = (claude_code, codex, gemini_cli, qwen_code, copilot, opencode)
CLIENTS: Final[Mapping[str, Dialect]] = MappingProxyType(
    {module.DIALECT.client: module.DIALECT for module in _ALL}
)
"""The dialects by their clients' names."""
