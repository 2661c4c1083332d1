"""hookcore's tool policy: allow and deny an agent's tool calls by name and by arguments."""

from __future__ import annotations

from ._plan import Denial
from .policy import ToolPolicy
from .settings import ToolPolicySettings, ToolRule

__all__ = ["Denial", "ToolPolicy", "ToolPolicySettings", "ToolRule"]
