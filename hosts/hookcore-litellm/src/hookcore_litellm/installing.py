"""Putting governed completions in the place of LiteLLM's own, and taking them out again."""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

from hookcore import HookManager, get_manager
from hookcore.hosting import MODEL_POINTS, Replacements, require_runtime, when_imported

from .host import HOST

__all__ = ["install", "uninstall"]

_log = logging.getLogger(__name__)
_lock = threading.RLock()
_state: dict[str, HookManager] = {}
_replaced = Replacements()
_told: set[str] = set()

_CHAT = "chat_completions"
_UNSEEN = ("embeddings", "messages", "ocr", "responses", "transcription")
"""The other routes that send something to a provider."""


def install(manager: HookManager | None = None, *, accept_untested: bool = False) -> HookManager:
    """Let a manager govern all chat completions of the process; return the manager.

    A second call only changes the manager.

    Args:
        manager: the hooks; the process-wide manager when None.
        accept_untested: whether a version of LiteLLM will do that was not tested: this replaces
            functions that are its own business.

    Raises:
        RuntimeVersionError: the version of LiteLLM was not tested.
        PluginLoadError: a required plugin needs what this host does not do.
    """
    require_runtime(HOST, accept_untested=accept_untested, accept_newer=False)
    hooks = get_manager() if manager is None else manager
    HOST.declare(hooks)
    with _lock:
        _state["manager"] = hooks
        if not _replaced:
            _replaced.at_end(when_imported("litellm", _govern))
            # It answers for a Router, and is loaded with the first one.
            _replaced.at_end(when_imported("litellm.router_rust.core", _govern_router))
    return hooks


def uninstall() -> None:
    """Undo :func:`install`."""
    with _lock:
        _replaced.undo()
        _state.clear()


def _govern(module: ModuleType) -> None:
    from litellm.rust_bridge.dispatch import PublicDispatch

    # Names that were imported earlier lead here too.
    _replaced.put(PublicDispatch, "run", _running)
    _replaced.put(PublicDispatch, "arun", _arunning)
    # What is in LiteLLM's own modules asks for these.
    _replaced.put(module.main, "completion", _completing)
    _replaced.put(module.main, "acompletion", _acompleting)


def _govern_router(module: ModuleType) -> None:
    _replaced.put(module.RustCore, "completion", functools.partial(_completing, bound=True))
    _replaced.put(module.RustCore, "acompletion", functools.partial(_acompleting, bound=True))


def _manager() -> HookManager | None:
    """Return the manager; None while no hook has anything to do with a model call."""
    manager = _state.get("manager")
    if manager is None or not any(map(manager.has_hooks, MODEL_POINTS)):
        return None
    _tell("", manager.tell_of_unreached)
    return manager


def _tell(key: str, tell: Callable[[], None]) -> None:
    if key not in _told:
        _told.add(key)
        tell()


def _sees(route: str) -> bool:
    """Return whether a route is governed; of one that is not, say so once."""
    if route in _UNSEEN and _manager() is not None:
        said = "no policy of hookcore sees what %s requests of litellm send"
        _tell(route, lambda: _log.warning(said, route))
    return route == _CHAT


def _running(old: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, args: Any, kwargs: Any, **how: Any) -> Any:
        if not _sees(self.route.value):
            return old(self, args, kwargs, **how)
        return _completing(lambda *a, **k: old(self, a, k, **how))(*args, **kwargs)

    return run


def _arunning(old: Callable[..., Any]) -> Callable[..., Any]:
    async def arun(self: Any, args: Any, kwargs: Any, **how: Any) -> Any:
        if not _sees(self.route.value):
            return await old(self, args, kwargs, **how)
        return await _acompleting(lambda *a, **k: old(self, a, k, **how))(*args, **kwargs)

    return arun


def _completing(old: Callable[..., Any], *, bound: bool = False) -> Callable[..., Any]:
    """Return a sync function of LiteLLM's, governed; a method of an object when it is bound."""

    def completion(*args: Any, **kwargs: Any) -> Any:
        manager = _manager()
        if manager is None or kwargs.get("acompletion"):
            return old(*args, **kwargs)
        from .calls import Call

        me, given = (args[:1], args[1:]) if bound else ((), args)
        call = Call(manager, given, kwargs)
        if call.is_inside:
            return old(*args, **kwargs)
        return call.run(lambda a, k: old(*me, *a, **k))

    return completion


def _acompleting(old: Callable[..., Any], *, bound: bool = False) -> Callable[..., Any]:
    """Return an async function of LiteLLM's, governed as :func:`_completing` does."""

    async def acompletion(*args: Any, **kwargs: Any) -> Any:
        manager = _manager()
        if manager is None:
            return await old(*args, **kwargs)
        from .calls import Call

        me, given = (args[:1], args[1:]) if bound else ((), args)
        call = Call(manager, given, kwargs)
        if call.is_inside:
            return await old(*args, **kwargs)
        return await call.arun(lambda a, k: old(*me, *a, **k))

    return acompletion
