"""An adapter's hold on a process: the manager that governs a runtime in it, and the way out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from ..manager import HookManager
from ..process import get_manager
from .host import Host
from .replacing import Replacements
from .versions import require_runtime

__all__ = ["Adapter", "put_all"]


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


def put_all(seams: Iterable[tuple[Any, str, Callable[[Any], Any]]]) -> Callable[..., None]:
    """Return what puts a governed call in each of these places, for :class:`Adapter`.

    Args:
        seams: for each place its owner, its name, and what gives the new function for the old one.
    """

    def govern(replaced: Replacements) -> None:
        for owner, name, make in seams:
            replaced.put(owner, name, make)

    return govern
