"""Governing the whole process: agents, tool nodes and models, whoever makes them.

LangChain is imported in many orders. So nothing of it is imported here: each part is governed when
it has been imported, and what governs it is loaded when it is first used.
"""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from hookcore import HookManager
from hookcore.hosting import Adapter, Replacements, is_inside_tool, when_imported

from .host import HOST

if TYPE_CHECKING:
    from .middleware import Hookcore

__all__ = ["install", "uninstall"]

_ASKING = (
    "_generate_with_cache",
    "_agenerate_with_cache",
    "stream",
    "astream",
    "stream_events",
    "astream_events",
)
"""The methods through which a chat model is asked."""

_twins: dict[int, tuple[weakref.ref[Any], Any]] = {}


def install(manager: HookManager | None = None, *, accept_untested: bool = False) -> HookManager:
    """Let a manager govern all agents, tool nodes and chat models of the process; return it.

    Agents and tool nodes that were made before are as they were. A second call only changes the
    manager.

    Args:
        manager: the hooks; the process-wide manager when None.
        accept_untested: whether a version of LangChain will do that was not tested: this replaces
            methods of its.

    Raises:
        RuntimeVersionError: the version of LangChain was not tested.
        PluginLoadError: a required plugin needs what this host does not do.
    """
    with _adapter.lock:
        _twins.clear()
        _middleware.clear()
        return _adapter.install(manager, accept_untested=accept_untested)


def uninstall() -> None:
    """Undo :func:`install`; what was made meanwhile stays governed."""
    with _adapter.lock:
        _adapter.uninstall()
        _twins.clear()
        _middleware.clear()


def _govern(replaced: Replacements) -> None:
    for module, govern in zip(HOST.modules, (_models, _nodes, _agents), strict=True):
        replaced.at_end(when_imported(module, govern))


_adapter = Adapter(HOST, _govern)
_middleware: list[Hookcore] = []
"""The middleware of the manager that governs the process, when there is need of it."""


def _hooks() -> Hookcore:
    """Return the middleware of the manager that governs the process."""
    if not _middleware:
        from .middleware import Hookcore

        _middleware.append(Hookcore(_adapter.manager))
    return _middleware[0]


def _models(module: ModuleType) -> None:
    for name in _ASKING:
        if hasattr(module.BaseChatModel, name):
            _adapter.replaced.put(module.BaseChatModel, name, _asking)


def _nodes(module: ModuleType) -> None:
    _adapter.replaced.put(module.ToolNode, "__init__", _tool_node)


def _agents(module: ModuleType) -> None:
    original = module.create_agent
    governed = _creating(original)
    _exchange(original, governed)
    _adapter.replaced.at_end(lambda: _exchange(governed, original))


def _exchange(old: Any, new: Any) -> None:
    """Put a function in another's place wherever a module has it, however it came there."""
    for module in list(sys.modules.values()):
        if not issubclass(type(module), ModuleType):
            continue
        # Another look at a module that is loaded lazily would load it.
        names = object.__getattribute__(module, "__dict__")
        for name, value in list(names.items()):
            if value is old:
                names[name] = new


def _creating(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def create_agent(model: Any, tools: Any = None, **options: Any) -> Any:
        if not _adapter.replaced:  # it was imported while the process was governed
            return original(model, tools, **options)
        from .agents import governed_agent

        return governed_agent(original, model, tools, manager=_adapter.manager, **options)

    return create_agent


def _tool_node(old: Callable[..., None]) -> Callable[..., None]:
    def init(
        self: Any,
        *args: Any,
        wrap_tool_call: Any = None,
        awrap_tool_call: Any = None,
        **options: Any,
    ) -> None:
        sync, awaited = _sync(_hooks(), wrap_tool_call), _awaited(_hooks(), awrap_tool_call)
        if wrap_tool_call is not None and awrap_tool_call is None:
            awaited = None  # the node uses its sync wrap for both
        old(self, *args, wrap_tool_call=sync, awrap_tool_call=awaited, **options)

    return init


def _sync(hooks: Hookcore, own: Any) -> Any:
    """Return a node's sync wrap, with the governed call inside its own."""

    def call(request: Any, execute: Any) -> Any:
        if _is_inside(hooks, request):
            return execute(request)
        return hooks.wrap_tool_call(request, execute)

    if own is None:
        return call
    return lambda request, execute: own(request, lambda given: call(given, execute))


def _awaited(hooks: Hookcore, own: Any) -> Any:
    """Return a node's async wrap, likewise."""

    async def call(request: Any, execute: Any) -> Any:
        if _is_inside(hooks, request):
            return await execute(request)
        return await hooks.awrap_tool_call(request, execute)

    if own is None:
        return call
    return lambda request, execute: own(request, lambda given: call(given, execute))


def _is_inside(hooks: Hookcore, request: Any) -> bool:
    """Return whether an agent's own middleware has this call judged already."""
    call = request.tool_call
    return is_inside_tool(hooks.manager, call["name"], call["args"], call_id=call["id"])


def _asking(old: Callable[..., Any]) -> Callable[..., Any]:
    def ask(self: Any, *args: Any, **options: Any) -> Any:
        return old(_governed(self), *args, **options)

    return ask


def _governed(model: Any) -> Any:
    """Return the governed model that stands for a model: one for each, since it may keep state."""
    place = id(model)
    if not _adapter.replaced or getattr(type(model), "is_governed", False):
        return model
    known = _twins.get(place)
    if known is None or known[0]() is not model:
        from .models import govern_model

        forget = weakref.ref(model, lambda _: _twins.pop(place, None))
        known = _twins[place] = (forget, govern_model(model, _adapter.manager))
    return known[1]
