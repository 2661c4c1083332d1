"""Find where an import would find a module, learnt without importing anything."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

__all__ = ["Located", "locate", "locate_in"]


@dataclass(frozen=True, slots=True)
class Located:
    """The outermost module with code of its own on the way to a module."""

    name: str
    file: Path
    """Its file, links resolved; of a package the ``__init__``."""
    is_package: bool

    @property
    def root(self) -> Path:
        """The folder that the name is found in."""
        up = self.name.count(".") + (1 if self.is_package else 0)
        return self.file.parents[up]


def locate(module: str) -> Located | None:
    """Find where an import would begin to run code.

    Args:
        module: a dotted name. Packages without code (namespaces) are passed through.

    Returns:
        The first module on the way that has a file; None when there is none.
    """
    name = ""
    path: Any = None
    for part in module.split("."):
        name = f"{name}.{part}" if name else part
        spec = _spec(name, path)
        if spec is None:
            return None
        if spec.origin is not None and spec.has_location:
            is_package = spec.submodule_search_locations is not None
            return Located(name, _real(spec.origin), is_package)
        path = spec.submodule_search_locations
        if path is None:
            return None  # built into the interpreter
    return None


def locate_in(folder: str, module: str) -> Located | None:
    """Find what an import would find first if a folder came first on the path.

    Args:
        folder: the folder.
        module: as for :func:`locate`.

    Returns:
        As :func:`locate`, as far as it lies in the folder. What was imported before the folder
        could count is not looked for: Python's own modules that it starts with.
    """
    name, path = "", [folder]
    for part in module.split("."):
        name = f"{name}.{part}" if name else part
        spec = None if name in _STARTS_WITH else PathFinder.find_spec(name, path)
        if spec is None:
            return None
        if spec.origin is not None and spec.has_location:
            is_package = spec.submodule_search_locations is not None
            return Located(name, _real(spec.origin), is_package)
        path = list(spec.submodule_search_locations or ())
    return None


def _real(origin: str) -> Path:
    return Path(origin if origin.startswith("<") else os.path.realpath(origin))


def _spec(name: str, path: Any) -> Any:
    if name in sys.modules:
        return _loaded(name)
    for finder in list(sys.meta_path):
        if type(finder).__module__ == _IMPORTING:
            continue
        try:
            spec = finder.find_spec(name, path, None)
        except Exception:  # noqa: BLE001, S112 - somebody else's finder; an import would tell
            continue
        if spec is not None:
            return spec
    return None


def _loaded(name: str) -> Any:
    """Tell where a module is from that was imported, and that an import would find again."""
    module: Any = sys.modules[name]
    spec = getattr(module, "__spec__", None)
    if spec is not None or module is None:
        return spec
    # Made by hand, so that its file is all that tells; without one nobody knows where it is from.
    file = getattr(module, "__file__", None) or f"<{name}, made by a program>"
    made = ModuleSpec(name, None, origin=str(file), is_package=hasattr(module, "__path__"))
    made.has_location = True
    return made


_IMPORTING = "_distutils_hack"
"""The module of setuptools' finder of distutils, which imports all of setuptools to find it."""
# Imported before a program begins, so that nothing in its folder can stand in for them.
_STARTS_WITH = frozenset((
    *sys.builtin_module_names,
    "_collections_abc", "_sitebuiltins", "abc", "codecs", "encodings", "genericpath", "io",
    "ntpath", "os", "posixpath", "site", "stat", "zipimport",
))  # fmt: skip
