"""Attributes of CrewAI's classes and modules that are replaced, and put back."""

from __future__ import annotations

from typing import Any

__all__ = ["Patches"]

_ABSENT: Any = object()


class Patches:
    """Replaced attributes, in the order in which they were replaced."""

    def __init__(self) -> None:
        self._done: list[tuple[Any, str, Any]] = []

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Replace an attribute of a class or module.

        Raises:
            ImportError: there is no such attribute, so this CrewAI is none that we know; to go on
                would leave a part of it ungoverned.
        """
        if not hasattr(owner, name):
            raise ImportError(
                f"this CrewAI has no {getattr(owner, '__name__', owner)}.{name}, which hookcore "
                "has to replace: use CrewAI 1.15.30, or a newer hookcore"
            )
        self._done.append((owner, name, vars(owner).get(name, _ABSENT)))
        setattr(owner, name, value)

    def undo(self) -> None:
        """Put all attributes back as they were."""
        while self._done:
            owner, name, value = self._done.pop()
            if value is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
