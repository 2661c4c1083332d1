"""Bundles: signed configuration of a fleet, as far as the core knows of it.

The system's file asks for one with a table ``[bundle]``. The configuration of the bundle in force
is a layer then, above the system's and below all others, and the plugin ``bundle`` is required,
with that table as its settings. The distribution hookcore-bundle brings that plugin, and the
command that fetches, verifies and puts bundles in force.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from .config import files
from .config.bundle import TABLE
from .config.read import read_bundle, read_system_table
from .disk.state import not_recording
from .errors import HookcoreError, PluginLoadError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "bundle_folder",
    "bundle_table",
    "check_bundle",
    "load_from_stdin",
    "system_file",
    "try_bundle",
]

_LOADED = "loaded"
# The child finds exactly what this process finds: `python -m` would add the working folder.
_CHILD = (
    "import sys; sys.path[:] = sys.argv.pop(1).split('\\n'); "
    "from hookcore.bundles import load_from_stdin; load_from_stdin()"
)


def bundle_folder() -> Path:
    """Return the folder of bundles, which need not exist.

    ``current`` in it is a link to the folder of the bundle in force, with its ``hookcore.toml`` and
    its ``hookcore.lock``.
    """
    return files.BUNDLE_FOLDER


def system_file() -> Path:
    """Return the path of the system's configuration file, which need not exist."""
    return files.SYSTEM_FILE


def bundle_table() -> dict[str, Any] | None:
    """Return the table ``[bundle]`` of the system's file; None when it has none.

    No other file is read, so that a bundle that is broken can be replaced.

    Raises:
        ConfigError: the file cannot be read, or its tables have the wrong shape.
    """
    table: dict[str, Any] | None = read_system_table().get(TABLE)
    return table


def check_bundle(folder: Path) -> None:
    """Check the configuration of a bundle, and load nothing.

    Args:
        folder: the folder with the bundle's ``hookcore.toml``.

    Raises:
        ConfigError: it is wrong, or changes what the system's file of this machine says.
    """
    read_bundle(folder / files.FILE_NAME)


def try_bundle(folder: Path, *, seconds: float = 60.0) -> None:
    """Load all that a bundle enables, in a process of its own, as it would be in force.

    Args:
        folder: the folder with the bundle's ``hookcore.toml``, and its ``hookcore.lock`` if it has
            one.
        seconds: how long that may take.

    Raises:
        ConfigError: the configuration is wrong, or changes what the system's file says.
        PluginLoadError: plugins cannot be loaded, or are not what is locked.
    """
    config = read_bundle(folder / files.FILE_NAME)
    try:
        done = subprocess.run(  # noqa: S603 - our own module
            [sys.executable, "-c", _CHILD, "\n".join(sys.path)],
            input=config.to_json().encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PluginLoadError(f"loading its plugins took longer than {seconds:g} seconds") from None
    told = done.stdout.decode("utf-8", "replace").rstrip("\n")
    if told != _LOADED:
        code = done.returncode
        raise PluginLoadError(told or f"the process that loaded its plugins ended with {code}")


def load_from_stdin() -> None:
    """Be the process of :func:`try_bundle`: load a configuration, and write how that went."""
    from .config import Config
    from .manager import HookManager

    # What plugins print must not look like an answer.
    with os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace") as answer:
        os.dup2(2, 1)
        try:
            config = Config.from_json(sys.stdin.read())
            with not_recording():
                HookManager.load(config=config).close()
        except HookcoreError as error:
            answer.write(str(error))
        else:
            answer.write(_LOADED)
