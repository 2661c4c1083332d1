"""Adapters that come into force when the runtimes that they are for are imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import ModuleType

from .installed import InstalledHost
from .watching import when_imported

__all__ = ["Governor"]


class Governor:
    """Installs the adapters of the runtimes that the process imports, each when it is imported.

    A runtime whose adapter cannot be installed cannot be imported: nothing runs ungoverned.

    Args:
        hosts: the installed hosts.
        told: is given each sentence about what is not governed.
        governed: is given each host that has come into force.
        accept_untested: whether versions of the runtimes will do that were not tested.
    """

    def __init__(
        self,
        hosts: Iterable[InstalledHost],
        told: Callable[[str], None],
        governed: Callable[[InstalledHost], None],
        *,
        accept_untested: bool = False,
    ) -> None:
        self._hosts = list(hosts)
        self._told, self._governed = told, governed
        self._accept_untested = accept_untested
        self._notes: set[str] = set()
        self._ends: list[Callable[[], None]] = []
        self._modules: dict[str, ModuleType] = {}
        #: The hosts that have come into force.
        self.in_force: list[InstalledHost] = []

    @property
    def modules(self) -> list[str]:
        """The modules that are watched for, sorted."""
        hosts = [host.host for host in self._hosts if host.host is not None]
        return sorted({module for host in hosts for module in host.modules})

    def start(self) -> None:
        """Watch for imports from now on; install at once for what is imported already.

        Raises:
            Exception: an adapter cannot be installed, whose runtime is imported already.
        """
        for host in self._hosts:
            if host.host is None:
                self._note(f"what the adapter {host.name} is for is not governed: {host.problem}")
                continue
            for module in host.host.modules:
                self._ends.append(when_imported(module, partial(self._install, host)))

    def stop(self) -> None:
        """Watch no longer; what is in force stays in force."""
        while self._ends:
            self._ends.pop()()

    def _install(self, installed: InstalledHost, module: ModuleType) -> None:
        host, name = installed.host, module.__name__
        if host is None:
            return
        if installed in self.in_force:
            if host.modules == (name,):
                self._refuse_twin(installed, module)
            return
        if installed.installed is None:
            self._note(
                f"{name} is imported, and not governed: the adapter {installed.name} is for "
                f"{host.runtime}, which is not installed"
            )
            return
        elsewhere = _elsewhere(host.runtime, name, module)
        if elsewhere is not None:
            self._note(
                f"{name} is imported from {elsewhere}, which is not {host.runtime}, so that the "
                f"adapter {installed.name} does not govern it"
            )
            return
        try:
            host.install(accept_untested=self._accept_untested)
        except Exception as error:
            self._note(f"{name} cannot be imported, since it would not be governed: {error}")
            raise
        self._modules[name] = module
        if installed not in self.in_force:
            self.in_force.append(installed)
            self._governed(installed)

    def _refuse_twin(self, installed: InstalledHost, module: ModuleType) -> None:
        """Let no module be loaded once more beside the one that is governed.

        The adapter of a runtime with several modules governs each of them as often as it is loaded.
        """
        name = module.__name__
        if self._modules.get(name, module) is not module:
            problem = (
                f"{name} cannot be imported once more, since the adapter {installed.name} governs "
                "only what was imported first: keep it in sys.modules, or start another process"
            )
            self._note(problem)
            raise ImportError(problem, name=name)

    def _note(self, sentence: str) -> None:
        if sentence not in self._notes:
            self._notes.add(sentence)
            self._told(sentence)


def _elsewhere(runtime: str, name: str, module: ModuleType) -> str | None:
    """Return where a module is from, when that is not the distribution that it is thought of.

    An application's own package may well be called ``agents``.
    """
    from importlib_metadata import distribution

    file = getattr(module, "__file__", None)
    stem = name.replace(".", "/")
    dist = distribution(runtime)
    own = [at for at in dist.files or () if str(at) in {f"{stem}/__init__.py", f"{stem}.py"}]
    if file is None or not own:  # an editable install lists no files: take it for the runtime
        return None
    here = Path(file).resolve()
    return None if here in {Path(str(at.locate())).resolve() for at in own} else str(here)
