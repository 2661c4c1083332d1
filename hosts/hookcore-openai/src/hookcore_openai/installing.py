"""Putting governed requests in the place of the clients' own, and taking them out again."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from hookcore import HookManager, get_manager
from hookcore.hosting import (
    Adapter,
    Host,
    Replacements,
    RuntimeVersionError,
    denials_outside,
    when_imported,
)
from hookcore.wires import find_operation

from .calls import Call
from .host import ANTHROPIC, HOSTS, OPENAI
from .requests import governed, governed_async

__all__ = ["install", "install_anthropic", "install_openai", "uninstall"]

_ASKING = ("batches", "completions", "decisions", "runs")
"""The ends of addresses at which models are asked in other ways than those that are judged."""
_WEBSOCKETS = (
    "beta.realtime.realtime",
    "beta.responses.responses",
    "live.forks",
    "live.live",
    "live.sideband",
    "realtime.realtime",
    "realtime.translations.translations",
    "responses.responses",
)
"""The modules with resources that connect to websockets."""


def install(manager: HookManager | None = None, *, accept_untested: bool = False) -> HookManager:
    """Let a manager govern the model calls of both libraries, where they are installed.

    A second call only changes the manager.

    Args:
        manager: the hooks; the process-wide manager when None.
        accept_untested: whether versions will do that were not tested: this replaces methods of
            the libraries'.

    Returns:
        The manager.

    Raises:
        RuntimeVersionError: neither is installed, or one in a version that was not tested.
        PluginLoadError: a required plugin needs what these hosts do not do.
    """
    from importlib_metadata import PackageNotFoundError, version

    hooks = get_manager() if manager is None else manager
    found = []
    for host in HOSTS:
        try:
            version(host.runtime)
        except PackageNotFoundError:
            continue
        found.append(host)
    if not found:
        raise RuntimeVersionError(
            "neither openai nor anthropic is installed: 'pip install hookcore-openai[openai]' or "
            "'pip install hookcore-openai[anthropic]'"
        )
    for host in found:
        _LIBRARIES[host.name].install(hooks, accept_untested=accept_untested)
    return hooks


def install_openai(
    manager: HookManager | None = None, *, accept_untested: bool = False
) -> HookManager:
    """Let a manager govern the model calls of ``openai`` as :func:`install` does."""
    return _LIBRARIES[OPENAI.name].install(manager, accept_untested=accept_untested)


def install_anthropic(
    manager: HookManager | None = None, *, accept_untested: bool = False
) -> HookManager:
    """Let a manager govern the model calls of ``anthropic`` as :func:`install` does."""
    return _LIBRARIES[ANTHROPIC.name].install(manager, accept_untested=accept_untested)


def uninstall() -> None:
    """Undo what was installed."""
    for library in _LIBRARIES.values():
        library.uninstall()


def _put(host: Host, replaced: Replacements) -> None:
    def govern(module: ModuleType) -> None:
        seen = functools.partial(_seen, host)
        for name, make in (("SyncAPIClient", governed), ("AsyncAPIClient", governed_async)):
            made = functools.partial(make, seen=seen)
            replaced.put(getattr(module, name), "request", made)

    def refuse_websockets(module: ModuleType) -> None:
        for kind in list(vars(module).values()):
            if "connect" in getattr(kind, "__dict__", ()):
                replaced.put(kind, "connect", _connecting)

    replaced.at_end(when_imported(f"{host.runtime}._base_client", govern))
    for name in _WEBSOCKETS if host is OPENAI else ():
        replaced.at_end(when_imported(f"openai.resources.{name}", refuse_websockets))


_LIBRARIES = {host.name: Adapter(host, functools.partial(_put, host)) for host in HOSTS}


def _connecting(old: Callable[..., Any]) -> Callable[..., Any]:
    @denials_outside()
    def connect(self: Any, *args: Any, **options: Any) -> Any:
        _LIBRARIES[OPENAI.name].passes_unseen("websocket", is_asking=True)
        return old(self, *args, **options)

    return connect


def _seen(host: Host, client: Any, options: Any) -> Callable[[Any], Call] | None:
    """Return what makes a model call of a request; None where hooks have nothing to do with it.

    Raises:
        HookAborted: it asks a model in a way that nobody can judge.
    """
    library, path = _LIBRARIES[host.name], options.url.partition("?")[0]
    manager = library.hooked() if options.method.lower() == "post" else None
    if manager is None:
        return None
    operation = find_operation(path)
    if operation is None:
        parts = [part for part in path.split("/") if part not in ("", "v1")]
        kind = "/".join(part for part in parts[:2] if not any(map(str.isdigit, part)))
        library.passes_unseen(kind, is_asking=not {*parts[-1:]}.isdisjoint(_ASKING))
        return None
    return functools.partial(Call, manager, host.name, operation, client)
