"""An adapter that governs its runtime in the whole process: its manager, and what nobody sees."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Final

from hookcore_specs import HookAborted

from ..later import logger
from ..manager import HookManager
from ..process import get_manager
from .host import MODEL_POINTS, Host
from .replacing import Replacements
from .versions import require_runtime

__all__ = ["ProcessWide"]

_JUDGING: Final = ("pre_model_call", "wrap_model_call", "post_model_call")
"""The points at which hooks judge what a model is asked, and what it answers."""


class ProcessWide:
    """The manager that governs a runtime, and the functions that it has replaced for that.

    Args:
        host: the adapter's declaration.
        put: puts the governed functions in the place of the runtime's own.
    """

    def __init__(self, host: Host, put: Callable[[Replacements], None]) -> None:
        self._host, self._put = host, put
        self._lock = threading.RLock()
        self._replaced = Replacements()
        self._told: set[str] = set()
        #: The manager; None while nothing is installed.
        self.manager: HookManager | None = None

    def install(self, manager: HookManager | None, *, accept_untested: bool) -> HookManager:
        """Let a manager govern the runtime; a second call only changes the manager.

        Args:
            manager: the hooks; the process-wide manager when None.
            accept_untested: whether a version of the runtime will do that was not tested.

        Raises:
            RuntimeVersionError: the version of the runtime was not tested.
            PluginLoadError: a required plugin needs what the host does not do.
        """
        require_runtime(self._host, accept_untested=accept_untested, accept_newer=False)
        hooks = get_manager() if manager is None else manager
        self._host.declare(hooks)
        with self._lock:
            self.manager = hooks
            if not self._replaced:
                self._put(self._replaced)
        return hooks

    def uninstall(self) -> None:
        """Undo :meth:`install`."""
        with self._lock:
            self._replaced.undo()
            self.manager = None

    def hooked(self, points: Iterable[str] = MODEL_POINTS) -> HookManager | None:
        """Return the manager; None while no hook waits at any of the points.

        Of a part of a runtime, the first call says which plugins wait where nothing dispatches.

        Args:
            points: the points.
        """
        manager = self.manager
        if manager is None or not any(map(manager.has_hooks, points)):
            return None
        if self._host.is_part and "" not in self._told:
            self._told.add("")
            manager.tell_of_unreached()
        return manager

    def passes_unseen(self, kind: str, *, is_asking: bool = False) -> None:
        """Say once of a sort of requests that no policy sees it, or refuse it.

        Args:
            kind: the sort, as the runtime calls it.
            is_asking: whether it asks a model for an answer, so that policies are there to judge
                it: then it is refused while any is.

        Raises:
            HookAborted: it is refused.
        """
        if is_asking and self.hooked(_JUDGING) is not None:
            reason = f"{kind} requests of {self._host.name} cannot be judged by policies"
            raise HookAborted(reason, source=f"the adapter {self._host.name}", message=reason)
        if self.hooked() is not None and kind not in self._told:
            self._told.add(kind)
            said = "no policy of hookcore sees what %s requests of %s send"
            logger.warning(said, kind, self._host.name)
