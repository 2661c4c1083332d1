"""The examples at the end of each command's help."""

from __future__ import annotations

__all__ = ["examples"]


def examples(*lines: str) -> str:
    """Make the epilog of a command.

    Args:
        lines: command lines, one example each.

    Returns:
        Text that click prints line by line, unwrapped.
    """
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
