"""CrewAI's own module objects of its hooks: they serve the drop-in as long as it is installed.

Who imported a module of theirs before (``from crewai import hooks``) goes on using that object, and
finds the drop-in in it: names, and the lists that functions of theirs, kept somewhere, register in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from hookcore.compat.crewai._lists import LISTS

__all__ = ["serve"]

_GLOBAL_HOOKS = "_global_hooks"


class ServingModule(ModuleType):
    """A module of CrewAI's that serves ours: what is patched in the one is patched in the other."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        ours = sys.modules.get(self.__name__)
        if ours is not self and hasattr(ours, name):
            setattr(ours, name, value)


def serve(modules: list[tuple[ModuleType, ModuleType]]) -> Callable[[], None]:
    """Put the drop-in's names into CrewAI's own modules; return what puts theirs back.

    Args:
        modules: each module of theirs with the one of ours that takes its place.
    """
    undo = [_serve_one(old, new) for old, new in modules]

    def put_back() -> None:
        for step in undo:
            step()

    return put_back


def _serve_one(old: ModuleType, new: ModuleType) -> Callable[[], None]:
    names, kind = vars(old), type(old)
    before = {
        name: value
        for name, value in names.items()
        if not name.startswith("__") and (name == _GLOBAL_HOOKS or hasattr(new, name))
    }
    names.update({name: _ours(new, name) for name in before})
    old.__class__ = ServingModule

    def put_back() -> None:
        old.__class__ = kind
        names.update(before)

    return put_back


def _ours(module: ModuleType, name: str) -> Any:
    return LISTS if name == _GLOBAL_HOOKS else getattr(module, name)
