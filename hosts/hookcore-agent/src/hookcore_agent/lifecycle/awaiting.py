"""Methods of an extension are async; a plain one is taken as it is."""

from __future__ import annotations

from inspect import isawaitable
from typing import Any

__all__ = ["settled"]


async def settled(value: Any) -> Any:
    """Return what a method gave, awaiting it when it has to be."""
    return await value if isawaitable(value) else value
