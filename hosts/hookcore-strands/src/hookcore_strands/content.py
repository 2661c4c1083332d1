"""Content blocks of Strands' as policies see them: one text where that is all that there is."""

from __future__ import annotations

from typing import Any

__all__ = ["blocks_of", "shown"]


def shown(blocks: list[Any]) -> Any:
    """Return blocks as hooks see them: the text of the one that is there, or the blocks.

    Args:
        blocks: the blocks of a message or of a tool's result.
    """
    if len(blocks) == 1 and set(blocks[0]) == {"text"}:
        return blocks[0]["text"]
    return blocks


def blocks_of(value: Any) -> list[Any]:
    """Return what hooks left of blocks, as blocks.

    Args:
        value: a text, blocks, or another value, whose text is taken.
    """
    if isinstance(value, list) and all(isinstance(block, dict) for block in value):
        return value
    return [{"text": value if isinstance(value, str) else str(value)}]
