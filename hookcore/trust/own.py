"""hookcore's own code, as a lock entry: what a plugin's judgement depends on besides its own."""

from __future__ import annotations

import os
from pathlib import Path

from .installed import package_files
from .lockfile import LockEntry

__all__ = ["own_entry"]

_PACKAGES = ("hookcore", "hookcore_specs", "hookctl")


def own_entry() -> LockEntry:
    """Return the code of hookcore as it is installed now.

    Returns:
        Its version, and the digests of the code of its packages: the same for a wheel and for an
        editable install.
    """
    from importlib.util import find_spec

    from importlib_metadata import PackageNotFoundError, version

    files: dict[str, str] = {}
    for name in _PACKAGES:
        spec = find_spec(name)
        if spec is not None and spec.origin is not None:
            root = os.path.realpath(Path(spec.origin).parents[1])
            files.update(package_files(root, name))
    try:
        found = version("hookcore")
    except PackageNotFoundError:
        found = "not installed"
    return LockEntry("hookcore", found, files)
