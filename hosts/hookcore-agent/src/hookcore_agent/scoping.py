"""The extensions' hooks, in force for the time of a request and for nobody else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from .context import SERVING, RequestContext

if TYPE_CHECKING:
    from hookcore import HookManager

    from .extending import BoundExtension, RequestBinding

__all__ = ["ExtensionScope"]


class ExtensionScope:
    """Puts the hooks of an agent's extensions in force.

    Most requests are in no scope of their caller's. They share one set of hooks, made at the first
    of them, which finds the request that it is called for in a context variable. A request inside a
    scope, one of a sub-agent above all, gets hooks of its own.

    Args:
        extensions: the extensions.
    """

    def __init__(self, extensions: list[BoundExtension]) -> None:
        self._extensions = extensions
        self._shared: tuple[HookManager, Any] | None = None

    @contextmanager
    def entered(self, context: RequestContext) -> Iterator[None]:
        """Put the hooks in force until the block ends.

        Args:
            context: the request.
        """
        scopes = context.manager.parts.plans.scopes
        outer = scopes.token()
        if scopes.current is None:
            context._shares_hooks = True
            scope = self._shared_scope(context.manager, outer)
        else:
            scope = self._scope(context.manager, outer, lambda index: context._bindings[index])
        with scopes.use(scope):
            yield

    def _shared_scope(self, manager: HookManager, outer: Any) -> Any:
        if self._shared is None or self._shared[0] is not manager:
            self._shared = (manager, self._scope(manager, outer, self._served))
        return self._shared[1]

    def _served(self, index: int) -> RequestBinding | None:
        context = SERVING.get()
        if context is None or not context._shares_hooks or context.agent._scope is not self:
            return None
        return context._bindings[index]

    def _scope(
        self, manager: HookManager, outer: Any, part: Callable[[int], RequestBinding | None]
    ) -> Any:
        made = [
            extension.plugin(partial(part, index))
            for index, extension in enumerate(self._extensions)
        ]
        plugins = [plugin for plugin in made if plugin is not None]
        return manager.parts.scoping.extended(outer, plugins) if plugins else outer
