"""The process-wide manager."""

from __future__ import annotations

import threading

from .manager import HookManager

__all__ = ["clear_all_hooks", "get_manager"]

_lock = threading.RLock()
_manager: HookManager | None = None


def get_manager() -> HookManager:
    """Return the process-wide manager, which ``@on`` registers with and hosts use by default.

    It is loaded from the configuration at the first call, once.

    Raises:
        ConfigError, PluginLoadError: as :meth:`HookManager.load` does; the next call tries again.
    """
    global _manager  # noqa: PLW0603 - one manager for the process is what this module is for
    manager = _manager
    if manager is not None and manager.config is not None:
        return manager
    with _lock:
        if _manager is None:
            _manager = HookManager()
            try:
                # A plugin that is being loaded may use @on: it gets the manager in the making.
                _manager.load_configured()
            except BaseException:
                _manager = None
                raise
        return _manager


def clear_all_hooks() -> int:
    """Remove all plugins but required ones from the process-wide manager; return how many."""
    return get_manager().clear()
