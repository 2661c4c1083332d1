"""The requests that are judged, by who sends them; all others pass."""

from __future__ import annotations

from typing import Final

from .exchange import Exchange
from .polls import TaskPoll
from .sampling import Sampling
from .sides import Side
from .steps import Elicitation, Prompt, Resource
from .tooluse import Listing, ToolUse

__all__ = ["JUDGED"]

JUDGED: Final[dict[Side, dict[str, type[Exchange]]]] = {
    Side.CLIENT: {
        "prompts/get": Prompt,
        "resources/read": Resource,
        "tasks/get": TaskPoll,
        "tasks/result": TaskPoll,
        "tools/call": ToolUse,
        "tools/list": Listing,
    },
    Side.SERVER: {
        "elicitation/create": Elicitation,
        "sampling/createMessage": Sampling,
        "tasks/get": TaskPoll,
        "tasks/result": TaskPoll,
    },
}
