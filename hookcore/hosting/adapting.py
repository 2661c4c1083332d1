"""An adapter's hold on a process: the manager that governs a runtime in it, and the way out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any, Final

from hookcore_specs import HookAborted

from ..later import logger
from ..manager import HookManager
from ..process import get_manager
from .host import MODEL_POINTS, Host
from .replacing import Replacements
from .versions import require_runtime

__all__ = ["Adapter", "has_any_hooks", "put_all"]

_JUDGING: Final = ("pre_model_call", "wrap_model_call", "post_model_call")
"""The points at which hooks judge what a model is asked, and what it answers."""


class Adapter:
    """Governs the whole process: what ``install`` and ``uninstall`` of an adapter come down to.

    Args:
        host: what the adapter declares. A version of the runtime that was not tested is refused,
            an older one and a newer one.
        govern: is given the replacements, and puts the governed calls in the runtime's place. It
            is called once, and again only after :meth:`uninstall`.
    """

    def __init__(self, host: Host, govern: Callable[[Replacements], object]) -> None:
        self._host, self._govern = host, govern
        self._manager: HookManager | None = None
        self._told: set[str] = set()
        #: The functions that are replaced; false while the runtime is as it was.
        self.replaced = Replacements()
        #: Held while something is replaced or put back.
        self.lock = threading.RLock()

    @property
    def manager(self) -> HookManager:
        """The manager that governs the process.

        Raises:
            RuntimeError: none does: the adapter is not installed.
        """
        if self._manager is None:
            raise RuntimeError(f"the adapter {self._host.name} is not installed")
        return self._manager

    def install(
        self,
        manager: HookManager | None = None,
        *,
        accept_untested: bool = False,
        control_flow: Iterable[type[BaseException]] = (),
    ) -> HookManager:
        """Let a manager govern the runtime from now on; return the manager.

        A second call only changes the manager.

        Args:
            manager: the hooks; the process-wide manager when None.
            accept_untested: whether a version of the runtime will do that was not tested.
            control_flow: the runtime's signals, which are no failures.

        Raises:
            RuntimeVersionError: the runtime is not installed, or in a version that was not tested.
            PluginLoadError: a required plugin needs what this host does not do.
        """
        require_runtime(self._host, accept_untested=accept_untested, accept_newer=False)
        hooks = get_manager() if manager is None else manager
        self._host.declare(hooks)
        hooks.add_control_flow(*control_flow)
        with self.lock:
            self._manager = hooks
            if not self.replaced:
                self._govern(self.replaced)
        return hooks

    def uninstall(self) -> None:
        """Put everything back as it was."""
        with self.lock:
            self.replaced.undo()
            self._manager = None

    def hooked(self, points: Iterable[str] = MODEL_POINTS) -> HookManager | None:
        """Return the manager; None while no hook waits at any of the points.

        Of a part of a runtime, the first call says which plugins wait where nothing dispatches.

        Args:
            points: the points.
        """
        manager = self._manager
        if manager is None or not has_any_hooks(manager, points):
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


def has_any_hooks(manager: HookManager, points: Iterable[str]) -> bool:
    """Return whether a hook waits at any of some points: without one, nothing need be prepared.

    It is asked for each operation: a policy may come into force at any time, or in a scope.

    Args:
        manager: the hooks.
        points: the points of one operation, such as :data:`TOOL_POINTS`.
    """
    return any(map(manager.has_hooks, points))


def put_all(seams: Iterable[tuple[Any, str, Callable[[Any], Any]]]) -> Callable[..., None]:
    """Return what puts a governed call in each of these places, for :class:`Adapter`.

    Args:
        seams: for each place its owner, its name, and what gives the new function for the old one.
    """

    def govern(replaced: Replacements) -> None:
        for owner, name, make in seams:
            replaced.put(owner, name, make)

    return govern
