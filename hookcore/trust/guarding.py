"""Importing of locked code nothing but the bytes that were locked, whenever it is imported."""
# ruff: noqa: PTH118, PTH123

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, SourceFileLoader, SourcelessFileLoader
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..errors import HookcoreError
from ..metadata import editable_project
from .locating import locate
from .needed import outermost_modules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from importlib.abc import Loader
    from types import CodeType, ModuleType

    from ..discovery import PluginSource

__all__ = ["ChangedCodeError", "guard_imports", "guards_restored"]


class ChangedCodeError(HookcoreError):
    """A file is not what was locked, at the moment in which it is imported."""


def guard_imports(source: PluginSource, files: Mapping[str, str] | None) -> None:
    """Let only locked code of a plugin's distribution be imported, from now on.

    The bytes that are compared with the lock are those that are compiled; compiled caches are
    neither read nor written. What other loaders than Python's own load is compared before and
    after it is loaded.

    Args:
        source: the plugin.
        files: the digests that are locked, by path; None to guard the plugin no longer.
    """
    root = None if files is None else _root(source)
    if files is None or root is None:
        _guard.release(source.name)
        return
    modules = frozenset(outermost_modules(files))
    digests = {os.path.realpath(os.path.join(root, path)): at for path, at in files.items()}
    _guard.add(source.name, _Guarded(modules, digests))


@contextmanager
def guards_restored() -> Iterator[None]:
    """Let a block begin with no plugin guarded, and guard at its end what was guarded before."""
    before = _guard.swap({})
    try:
        yield
    finally:
        _guard.swap(before)


def _root(source: PluginSource) -> str | None:
    """Return the folder that the paths in a lock are relative to; None for an archive."""
    if not os.path.isdir(source.location):  # noqa: PTH112 - a string
        return None
    recorded = os.path.isfile(os.path.join(source.location, "RECORD"))  # noqa: PTH113 - a string
    if recorded and editable_project(source.location) is None:
        return os.path.dirname(source.location)  # noqa: PTH120 - a string
    found = locate(source.value.partition(":")[0].strip())
    return None if found is None else str(found.root)


class _Guarded(NamedTuple):
    """The outermost modules of a plugin's distribution, and the digests of its files."""

    modules: frozenset[str]
    digests: Mapping[str, str]

    def has(self, fullname: str) -> bool:
        return any(f"{fullname}.".startswith(f"{module}.") for module in self.modules)


class _Guard:
    """The first finder of all: it finds what the others find, and looks at what they load."""

    def __init__(self) -> None:
        self._plugins: dict[str, _Guarded] = {}
        self._tops: frozenset[str] = frozenset()

    def swap(self, plugins: dict[str, _Guarded]) -> dict[str, _Guarded]:
        before, self._plugins = self._plugins, plugins
        modules = (module for guarded in plugins.values() for module in guarded.modules)
        self._tops = frozenset(module.partition(".")[0] for module in modules)
        return before

    def add(self, plugin: str, guarded: _Guarded) -> None:
        self.swap({**self._plugins, plugin: guarded})
        if sys.meta_path[:1] != [self]:
            sys.meta_path[:] = [self, *(each for each in sys.meta_path if each is not self)]

    def release(self, plugin: str) -> None:
        if plugin in self._plugins:
            self.swap({name: g for name, g in self._plugins.items() if name != plugin})

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in self._tops:
            return None
        digests: dict[str, str] = {}
        for guarded in self._plugins.values():
            if guarded.has(fullname):
                digests.update(guarded.digests)
        if not digests:
            return None
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = None if finder is self or find is None else find(fullname, path, target)
            if spec is not None:
                return _guarded(spec, digests)
        return None


def _guarded(spec: ModuleSpec, digests: Mapping[str, str]) -> ModuleSpec:
    if spec.loader is None or spec.origin is None or not spec.has_location:
        return spec  # a namespace, which holds no code
    digest = digests.get(os.path.realpath(spec.origin))
    if digest is None:
        raise ChangedCodeError(_told(spec.name, spec.origin, "is not in hookcore.lock"))
    guarding = next((g for kind, g in _LOADERS.items() if type(spec.loader) is kind), None)
    if guarding is not None:
        spec.loader = guarding(spec.name, spec.origin, digest)
    else:
        spec.loader = cast("Loader", _Compared(spec.loader, spec.origin, digest))
    return spec


def _check(name: str, file: str, data: bytes, digest: str) -> None:
    if f"sha256:{hashlib.sha256(data).hexdigest()}" != digest:
        raise ChangedCodeError(_told(name, file, "is not what hookcore.lock says any more"))


def _told(name: str, file: str, what: str) -> str:
    return f"the module {name} is not imported: {file} {what}"


class _Source(SourceFileLoader):
    def __init__(self, fullname: str, path: str, digest: str) -> None:
        super().__init__(fullname, path)
        self._digest = digest

    def get_code(self, fullname: str) -> CodeType:
        data = self.get_data(self.path)
        _check(fullname, self.path, data, self._digest)
        code: CodeType = self.source_to_code(data, self.path)
        return code


class _Compiled(SourcelessFileLoader):
    def __init__(self, fullname: str, path: str, digest: str) -> None:
        super().__init__(fullname, path)
        self._digest = digest

    def get_data(self, path: str) -> bytes:
        data = super().get_data(path)
        _check(self.name, path, data, self._digest)
        return data


class _Compared:
    """Anybody's loader, for a file that is compared before and after it loads."""

    def __init__(self, loader: Any, path: str, digest: str) -> None:
        self._loader = loader
        self._path = path
        self._digest = digest

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        self._compare(spec.name)
        module: ModuleType | None = self._loader.create_module(spec)
        self._compare(spec.name)
        return module

    def exec_module(self, module: ModuleType) -> None:
        self._compare(module.__name__)
        self._loader.exec_module(module)
        self._compare(module.__name__)

    def _compare(self, name: str) -> None:
        with open(self._path, "rb") as file:
            _check(name, self._path, file.read(), self._digest)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


_LOADERS: dict[type, Any] = {SourceFileLoader: _Source, SourcelessFileLoader: _Compiled}
_guard = _Guard()
