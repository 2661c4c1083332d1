"""The demands of the runtime on an extension, and plain plugins used as such."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

__all__ = ["BoundExtension", "RequestBinding", "as_extensions"]


class RequestBinding(Protocol):
    """An extension's part in one request."""

    async def request_failed(self, error: Exception) -> None:
        """Hear that the request has failed, also when its run has not begun."""
        ...

    async def call_failed(self, record: Any, error: Exception) -> None:
        """Hear of a tool call that failed around the tool, where ``post_tool_call`` is not due.

        Args:
            record: the call on its way, a :class:`CallRecord`.
            error: the failure.
        """
        ...


@runtime_checkable
class BoundExtension(Protocol):
    """An extension that wants to know the request which it is used in."""

    name: str
    priority: int

    def bind(self, context: Any) -> RequestBinding:
        """Return the extension's part in a request.

        Args:
            context: the request, a :class:`RequestContext`.
        """
        ...

    def plugin(self, part: Callable[[], RequestBinding | None]) -> Any:
        """Return a plugin whose hooks act for the part that ``part()`` gives, or None."""
        ...

    def acceptor(self) -> Any:
        """Return a plugin with the ``accept_event`` hook, or None."""
        ...


class PlainPlugin:
    """A plugin with hookimpls, used for one agent's requests only."""

    priority = 100

    def __init__(self, plugin: Any) -> None:
        self._plugin = plugin
        self.name = str(getattr(plugin, "__name__", None) or type(plugin).__name__)

    def bind(self, _context: Any) -> RequestBinding:
        """Return itself: it takes part in every request in the same way."""
        return self

    def plugin(self, _part: Callable[[], RequestBinding | None]) -> Any:
        """Return the plugin."""
        return self._plugin

    def acceptor(self) -> Any:
        """Return the plugin: its hooks are reached outside requests too."""
        return self._plugin

    async def request_failed(self, error: Exception) -> None:
        """Do nothing: a plugin has ``run_finished`` for that."""

    async def call_failed(self, record: Any, error: Exception) -> None:
        """Do nothing: a plugin has ``tool_finished`` for that."""


def as_extensions(agent: str, given: Any) -> list[BoundExtension]:
    """Return extensions and plugins as extensions, in the order in which they run.

    Args:
        agent: the agent's name, for errors.
        given: extensions, and plugins with hookimpls.

    Raises:
        ValueError: a name is blank, or two extensions have the same one.
    """
    made = [item if isinstance(item, BoundExtension) else PlainPlugin(item) for item in given]
    taken: set[str] = set()
    for extension in made:
        if isinstance(extension, PlainPlugin):
            continue
        if not isinstance(extension.name, str) or not extension.name.strip():
            raise ValueError(
                f"agent {agent}: the extension {type(extension).__name__} has a blank name"
            )
        if extension.name in taken:
            raise ValueError(
                f"agent {agent}: two extensions are named {extension.name!r}; give one of them "
                "another name"
            )
        taken.add(extension.name)
    return sorted(made, key=lambda extension: extension.priority)
