"""The class that extensions extend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..context import RequestContext
from .binding import ExtensionBinding, acceptor, plugin_of
from .groups import AllHooks

__all__ = ["Extension"]


class Extension(AllHooks):
    """A part of an agent that joins in all its requests; overrides the methods that it needs.

    One object serves many requests at once, so what belongs to a request is kept by its context,
    which serves as a key of a ``WeakKeyDictionary``.

    Args:
        name: its name, unique in an agent; the class's name when None.
        priority: lower comes first; the class's ``priority`` when None.

    Raises:
        ValueError: the name is blank.
    """

    _has_name = False

    def __init__(self, *, name: str | None = None, priority: int | None = None) -> None:
        if name is not None:
            self._set_name(name)
        if priority is not None:
            self.priority = priority

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._has_name = cls._has_name or "name" in cls.__dict__
        if not cls._has_name:
            cls.name = cls.__name__

    def _set_name(self, name: str) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"{type(self).__name__}: name= takes a text, not {name!r}")
        self.name = name

    def bind(self, context: RequestContext) -> Any:
        """Return this extension's part in one request; the runtime calls this."""
        return ExtensionBinding(self, context)

    def plugin(self, part: Callable[[], Any]) -> Any:
        """Return the hooks of this extension; the runtime calls this."""
        return plugin_of(self, part)

    def acceptor(self) -> Any:
        """Return the hook for events from outside; the runtime calls this."""
        return acceptor(self)
