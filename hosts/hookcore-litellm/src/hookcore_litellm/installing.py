"""Putting governed calls in the place of LiteLLM's own, and taking them out again."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from hookcore import HookManager
from hookcore.hosting import Adapter, Replacements, when_imported

from .host import HOST

__all__ = ["install", "uninstall"]

_CHAT = "chat_completions"
_ASKING = (_CHAT, "messages", "responses")
"""The routes that ask a model for an answer."""
_UNSEEN = ("embeddings", "ocr", "transcription")
"""The other routes that send something to a provider."""


def install(manager: HookManager | None = None, *, accept_untested: bool = False) -> HookManager:
    """Let a manager govern all that LiteLLM asks models in the process; return the manager.

    A second call only changes the manager.

    Args:
        manager: the hooks; the process-wide manager when None.
        accept_untested: whether a version of LiteLLM will do that was not tested: this replaces
            functions that are its own business.

    Raises:
        RuntimeVersionError: the version of LiteLLM was not tested.
        PluginLoadError: a required plugin needs what this host does not do.
    """
    return _adapter.install(manager, accept_untested=accept_untested)


def uninstall() -> None:
    """Undo :func:`install`."""
    _adapter.uninstall()


def _put(replaced: Replacements) -> None:
    def govern(module: ModuleType) -> None:
        from litellm.rust_bridge.dispatch import PublicDispatch

        # Names that were imported earlier lead here too.
        replaced.put(PublicDispatch, "run", _running)
        replaced.put(PublicDispatch, "arun", _arunning)
        # What is in LiteLLM's own modules asks for these.
        replaced.put(module.main, "completion", _asking)
        replaced.put(module.main, "acompletion", _aasking)
        for name in ("text_completion", "atext_completion"):
            replaced.put(module, name, _unseen)

    def govern_router(module: ModuleType) -> None:
        for name, route, make in (
            ("completion", _CHAT, _asking),
            ("acompletion", _CHAT, _aasking),
            ("aresponses", "responses", _aasking),
            ("aanthropic_messages", "messages", _aasking),
            ("anthropic_messages", "messages", _aasking),
        ):
            made = functools.partial(make, route=route, bound=True)
            replaced.put(module.RustCore, name, made)

    replaced.at_end(when_imported("litellm", govern))
    # It answers for a Router, and is loaded with the first one.
    replaced.at_end(when_imported("litellm.router_rust.core", govern_router))


_adapter = Adapter(HOST, _put)


def _is_judged(route: str) -> bool:
    """Return whether a route is governed; of one that is not, say so once."""
    if route in _UNSEEN:
        _adapter.passes_unseen(route)
    return route in _ASKING


def _unseen(old: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        _adapter.passes_unseen("text completion")
        return old(*args, **kwargs)

    return call


def _running(old: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, args: Any, kwargs: Any, **how: Any) -> Any:
        route = self.route.value
        if not _is_judged(route):
            return old(self, args, kwargs, **how)
        return _asking(lambda *a, **k: old(self, a, k, **how), route=route)(*args, **kwargs)

    return run


def _arunning(old: Callable[..., Any]) -> Callable[..., Any]:
    async def arun(self: Any, args: Any, kwargs: Any, **how: Any) -> Any:
        route = self.route.value
        if not _is_judged(route):
            return await old(self, args, kwargs, **how)
        made = _aasking(lambda *a, **k: old(self, a, k, **how), route=route)
        return await made(*args, **kwargs)

    return arun


def _asking(
    old: Callable[..., Any], *, route: str = _CHAT, bound: bool = False
) -> Callable[..., Any]:
    """Return a sync function of LiteLLM's, governed; a method of an object when it is bound."""

    def ask(*args: Any, **kwargs: Any) -> Any:
        manager = None if kwargs.get("acompletion") else _adapter.hooked()
        if manager is None:
            return old(*args, **kwargs)
        from .calls import Call
        from .forms import FORMS

        me, given = (args[:1], args[1:]) if bound else ((), args)
        call = Call(manager, FORMS[route], given, kwargs)
        if call.is_inside:
            return old(*args, **kwargs)
        return call.run(lambda a, k: old(*me, *a, **k))

    return ask


def _aasking(
    old: Callable[..., Any], *, route: str = _CHAT, bound: bool = False
) -> Callable[..., Any]:
    """Return an async function of LiteLLM's, governed as :func:`_asking` does."""

    async def ask(*args: Any, **kwargs: Any) -> Any:
        manager = _adapter.hooked()
        if manager is None:
            return await old(*args, **kwargs)
        from .calls import Call
        from .forms import FORMS

        me, given = (args[:1], args[1:]) if bound else ((), args)
        call = Call(manager, FORMS[route], given, kwargs)
        if call.is_inside:
            return await old(*args, **kwargs)
        return await call.arun(lambda a, k: old(*me, *a, **k))

    return ask
