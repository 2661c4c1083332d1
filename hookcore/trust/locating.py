"""Where an import would find a module, learnt without importing anything."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Located", "locate"]


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
        module: A dotted name. Packages without code (namespaces) are passed through.

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
            return Located(name, Path(os.path.realpath(spec.origin)), is_package)
        path = spec.submodule_search_locations
        if path is None:
            return None  # built into the interpreter
    return None


def _spec(name: str, path: Any) -> Any:
    loaded = getattr(sys.modules.get(name), "__spec__", None)
    if loaded is not None:
        return loaded
    for finder in list(sys.meta_path):
        try:
            spec = finder.find_spec(name, path, None)
        except Exception:  # noqa: BLE001, S112 - somebody else's finder; an import would tell
            continue
        if spec is not None:
            return spec
    return None
