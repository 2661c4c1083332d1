"""The operation that a request is for, by its address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from .anthropic import ANTHROPIC
from .chat import CHAT
from .gemini import GEMINI
from .responses import RESPONSES
from .wire import Wire

__all__ = ["Operation", "find_operation"]

_BY_END: Final[dict[tuple[str, ...], tuple[Wire, bool]]] = {
    ("messages",): (ANTHROPIC, False),
    ("messages", "count_tokens"): (ANTHROPIC, True),
    ("chat", "completions"): (CHAT, False),
    ("responses",): (RESPONSES, False),
    ("responses", "compact"): (RESPONSES, False),
    ("responses", "input_tokens"): (RESPONSES, True),
}
"""The ends of addresses, each with its format and whether it only counts."""
_GEMINI: Final = {
    "generatecontent": (False, False),
    "streamgeneratecontent": (True, False),
    "counttokens": (False, True),
}
"""The methods of Gemini's models, each with whether it streams and whether it only counts."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of a model.

    Args:
        wire: its format.
        counts: it only counts the tokens of a request.
        streams: whether the address says that it streams; None where the request says.
        model: the model in the address; None where the request names it.
    """

    wire: Wire
    counts: bool = False
    streams: bool | None = None
    model: str | None = None


def find_operation(path: str) -> Operation | None:
    """Return the operation at an address, None where there is none that can be judged.

    An address is read in every way in which a server may: however it is spelt, escaped and slashed.

    Args:
        path: the path as it came.
    """
    bare = (part.partition(";")[0].strip() for part in unquote(path).split("/"))
    parts = [part for part in bare if part not in ("", ".")]
    words = [part.lower() for part in parts]
    if words and ":" in words[-1]:
        method = words[-1].rpartition(":")[2]
        if method in _GEMINI:
            streams, counts = _GEMINI[method]
            return Operation(GEMINI, counts, streams, parts[-1].rpartition(":")[0])
    if "threads" in words:  # another interface's messages, which are kept by the provider
        return None
    for size in (2, 1):
        found = _BY_END.get(tuple(words[-size:]))
        if found is not None:
            return Operation(*found)
    return None
