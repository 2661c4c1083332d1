"""Putting governed requests in the place of the clients' own, and taking them out again."""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

from hookcore import HookManager, get_manager
from hookcore.hosting import (
    MODEL_POINTS,
    Host,
    Replacements,
    RuntimeVersionError,
    require_runtime,
    when_imported,
)
from hookcore.wires import find_operation

from .calls import Call
from .host import ANTHROPIC, HOSTS, OPENAI
from .requests import governed, governed_async

__all__ = ["install", "install_anthropic", "install_openai", "uninstall"]

_log = logging.getLogger(__name__)
_lock = threading.RLock()
_managers: dict[str, HookManager] = {}
"""The manager that governs each library."""
_replaced: dict[str, Replacements] = {}
_told: set[tuple[str, str]] = set()


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
        _install(host, hooks, accept_untested=accept_untested)
    return hooks


def install_openai(
    manager: HookManager | None = None, *, accept_untested: bool = False
) -> HookManager:
    """Let a manager govern the model calls of ``openai`` as :func:`install` does."""
    hooks = get_manager() if manager is None else manager
    return _install(OPENAI, hooks, accept_untested=accept_untested)


def install_anthropic(
    manager: HookManager | None = None, *, accept_untested: bool = False
) -> HookManager:
    """Let a manager govern the model calls of ``anthropic`` as :func:`install` does."""
    hooks = get_manager() if manager is None else manager
    return _install(ANTHROPIC, hooks, accept_untested=accept_untested)


def uninstall() -> None:
    """Undo what was installed."""
    with _lock:
        for replaced in _replaced.values():
            replaced.undo()
        _replaced.clear()
        _managers.clear()


def _install(host: Host, manager: HookManager, *, accept_untested: bool) -> HookManager:
    require_runtime(host, accept_untested=accept_untested, accept_newer=False)
    host.declare(manager)
    with _lock:
        _managers[host.name] = manager
        if host.name not in _replaced:
            replaced = _replaced[host.name] = Replacements()
            replaced.at_end(
                when_imported(f"{host.runtime}._base_client", functools.partial(_govern, host))
            )
    return manager


def _govern(host: Host, module: ModuleType) -> None:
    seen = functools.partial(_seen, host)
    for name, make in (("SyncAPIClient", governed), ("AsyncAPIClient", governed_async)):
        owner = getattr(module, name)
        _replaced[host.name].put(owner, "request", functools.partial(make, seen=seen))


def _seen(host: Host, client: Any, options: Any) -> Callable[[Any], Call] | None:
    """Return what makes a model call of a request; None where hooks have nothing to do with it."""
    manager = _managers.get(host.name)
    if manager is None or options.method.lower() != "post":
        return None
    if not any(map(manager.has_hooks, MODEL_POINTS)):
        return None
    if (manager_key := (host.name, "")) not in _told:
        _told.add(manager_key)
        manager.tell_of_unreached()
    operation = find_operation(options.url.partition("?")[0])
    if operation is None:
        _tell_of_unseen(host, options.url)
        return None
    return functools.partial(Call, manager, host.name, operation, client)


def _tell_of_unseen(host: Host, url: str) -> None:
    """Say once of each sort of request that no policy sees what it sends."""
    parts = [part for part in url.partition("?")[0].split("/") if part not in ("", "v1")]
    kind = "/".join(part for part in parts[:2] if not any(map(str.isdigit, part)))
    if (host.name, kind) not in _told:
        _told.add((host.name, kind))
        _log.warning("no policy of hookcore sees what %s requests of %s send", kind, host.name)
