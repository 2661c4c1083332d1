"""Modules that are imported when something of them is first used.

A host should not wait at its start for what it may never need; these are needed in many places of
the dispatcher, so they stand here once instead of in an import statement in each function.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    import hashlib
    import json
    import logging
    from collections.abc import Callable
    from concurrent import futures

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    logger: logging.Logger

__all__ = ["Later", "asyncio", "futures", "hashlib", "json", "logger", "stand_in", "tomllib"]


class Later:
    """Stands for a thing; what was used of it once is an attribute of this object from then on."""

    def __init__(self, fetch: Callable[[], object]) -> None:
        self._fetch = fetch

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._fetch(), name)
        setattr(self, name, value)
        return value


class _StandIn(type):
    """The class of a class that stands for another one in `isinstance`."""

    module: str

    def __instancecheck__(cls, instance: object) -> bool:
        kind = getattr(sys.modules.get(cls.module), cls.__name__, None)
        return kind is not None and isinstance(instance, kind)

    def __subclasscheck__(cls, subclass: type) -> bool:
        kind = getattr(sys.modules.get(cls.module), cls.__name__, None)
        return kind is not None and issubclass(subclass, kind)


def stand_in(module: str, name: str) -> type:
    """Return what stands for a class in `isinstance`: without its module, nothing is one of it.

    Args:
        module: the module's name.
        name: the class's name.
    """
    return _StandIn(name, (), {"module": module})


if not TYPE_CHECKING:
    asyncio = Later(lambda: import_module("asyncio"))
    futures = Later(lambda: import_module("concurrent.futures"))
    hashlib = Later(lambda: import_module("hashlib"))
    json = Later(lambda: import_module("json"))
    logger = Later(lambda: import_module("logging").getLogger("hookcore"))
    tomllib = Later(lambda: import_module("tomllib" if sys.version_info >= (3, 11) else "tomli"))
