"""A runtime's own objects in a context, such as agents, models and tools."""

from __future__ import annotations

from typing import Any

__all__ = ["Handle"]


class Handle:
    """Stands for an object of a runtime's in a context, and is never copied.

    What gates and observers get is a copy wherever it is data, and dataclasses and pydantic models
    count as data. Many runtimes make their agents, models and tools of those: a copy of such a one
    takes its clients and locks along.

    Args:
        target: the object, whose attributes are read through the handle.
    """

    __slots__ = ("target",)

    def __init__(self, target: Any) -> None:
        self.target = target

    def __getattr__(self, name: str) -> Any:
        return getattr(self.target, name)

    def __repr__(self) -> str:
        return f"Handle({self.target!r})"
