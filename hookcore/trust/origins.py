"""Modules that a plugin needs and that would come from somewhere else than they should."""
# ruff: noqa: PTH120

from __future__ import annotations

import os
import sys
import sysconfig
from typing import TYPE_CHECKING

from .locating import Located, locate, locate_in
from .needed import installations, needed_distributions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..discovery import PluginSource

__all__ = ["strange_modules"]

_REMEDY = "remove it, or start in another folder"


def strange_modules(source: PluginSource, folder: str | None = None) -> Iterator[tuple[str, str]]:
    """Find what a plugin would import in place of what it needs.

    That may be a module beside the program or on ``PYTHONPATH``, one that a ``.pth`` file or
    somebody's finder puts first, or one that is imported already; it may stand in for a module of
    a required distribution or of Python itself.

    Args:
        source: the plugin.
        folder: a folder that a program may be started in, to be looked at as well.

    Yields:
        The module's name, and a sentence which says where it would come from.
    """
    for needed in needed_distributions(source.location):
        whose = f"no file of {needed.name} {needed.version} ({needed.location})"
        for module, files in sorted(needed.modules.items()):
            for found, how in _found(module, folder):
                if str(found.file) not in files:
                    text = f"the module {found.name}, which {source.name} needs, {how} {found.file}"
                    yield found.name, f"{text}, which is {whose}: {_REMEDY}"
                    break
            else:
                yield from _loaded_inside(module, files, whose)
    yield from _instead_of_python(source, folder)


def _found(module: str, folder: str | None) -> Iterator[tuple[Located, str]]:
    found = locate(module)
    if found is not None:
        loaded = found.name in sys.modules
        yield found, "was imported from" if loaded else "would be imported from"
    there = locate_in(folder, module) if folder is not None else None
    if there is not None:
        yield there, f"would be imported in a program that is started in {folder} from"


def _loaded_inside(package: str, files: frozenset[str], whose: str) -> Iterator[tuple[str, str]]:
    """Find modules inside of a package that were imported from outside of it."""
    folders = tuple({os.path.dirname(file) + os.sep for file in files})
    for name, module in list(sys.modules.items()):
        if not name.startswith(f"{package}."):
            continue
        if getattr(getattr(module, "__spec__", None), "name", name) in sys.stdlib_module_names:
            continue  # another name for a module of Python's, which is looked at by its own
        file = getattr(getattr(module, "__spec__", None), "origin", None)
        file = file or getattr(module, "__file__", None)
        if isinstance(file, str) and os.path.isabs(file):  # noqa: PTH117 - a string, as above
            real = os.path.realpath(file)
            if not real.startswith(folders):
                text = f"the module {name} was imported from {real}, which is {whose}"
                yield name, f"{text}: {_REMEDY}"


def _instead_of_python(source: PluginSource, folder: str | None) -> Iterator[tuple[str, str]]:
    own = _own_folders()
    for module in sorted(sys.stdlib_module_names):
        if module in _NEVER_NEEDED:
            continue
        for found, how in _found(module, folder):
            if not str(found.file).startswith(own):
                text = f"Python's own module {module}, which {source.name} may need, {how}"
                yield module, f"{text} {found.file}: {_REMEDY}"
                break


# Nobody needs them, and projects have folders of these names.
_NEVER_NEEDED = frozenset(("antigravity", "idlelib", "lib2to3", "test", "this", "turtledemo"))


def _own_folders() -> tuple[str, ...]:
    """Return where Python's own modules may come from: its library, and what was installed."""
    paths = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    paths |= {os.path.dirname(os.__file__), *installations()}
    return tuple(os.path.realpath(path) + os.sep for path in paths)
