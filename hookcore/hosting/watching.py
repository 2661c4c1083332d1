"""Being told of a module's import, at once when its code has run and before anybody has it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast

__all__ = ["when_imported"]

Then = Callable[[ModuleType], None]


def when_imported(name: str, then: Then) -> Callable[[], None]:
    """Call a function with a module: now when it is imported, else when it will be.

    It is called before the one who imports the module has it. What it raises fails the import.

    Args:
        name: the full name of the module.
        then: the function; a module that is loaded again is given to it again.

    Returns:
        A function that ends it.
    """
    return _WATCH.add(name, then)


class _Watch(MetaPathFinder):
    """Finds modules as they are found without it, and gives those that somebody waits for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, list[Then]] = {}
        self._running: set[str] = set()
        """The modules whose code is running now."""
        self._asked = threading.local()

    def add(self, name: str, then: Then) -> Callable[[], None]:
        """Let a function wait for a module; return what ends that."""
        with self._lock:
            self._waiting.setdefault(name, []).append(then)
            module = None if name in self._running else sys.modules.get(name)
            if self not in sys.meta_path:
                sys.meta_path.insert(0, self)
        if module is not None:
            try:
                then(module)
            except BaseException:
                self._end(name, then)
                raise
        return lambda: self._end(name, then)

    def _end(self, name: str, then: Then) -> None:
        with self._lock:
            self._waiting[name] = [kept for kept in self._waiting[name] if kept is not then]

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the spec of a module that somebody waits for, None for any other."""
        # Another finder like this one asks all the others too.
        if not self._waiting.get(fullname) or getattr(self._asked, "name", None) == fullname:
            return None
        outer, self._asked.name = getattr(self._asked, "name", None), fullname
        try:
            spec = self._found(fullname, path, target)
        finally:
            self._asked.name = outer
        if spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = cast("Loader", _Loader(spec.loader, self))
        return spec

    def _found(self, fullname: str, path: Any, target: Any) -> ModuleSpec | None:
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = None if finder is self or find is None else find(fullname, path, target)
            if spec is not None:
                return cast("ModuleSpec", spec)
        return None

    def run(self, module: ModuleType, code: Then) -> None:
        """Run a module's code, and give it to those who wait for it."""
        name = module.__name__
        with self._lock:
            self._running.add(name)
        try:
            code(module)
        finally:
            with self._lock:
                self._running.discard(name)
                waiting = list(self._waiting.get(name, ()))
        for then in waiting:
            then(module)


class _Loader:
    """Stands in a spec until the module's code runs; the module gets the loader that it is for."""

    def __init__(self, loader: Any, watch: _Watch) -> None:
        self._loader, self._watch = loader, watch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return what the loader makes."""
        make = getattr(self._loader, "create_module", None)
        return None if make is None else cast("ModuleType | None", make(spec))

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code."""
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._watch.run(module, self._loader.exec_module)


_WATCH = _Watch()
