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

__all__ = ["asyncio", "futures", "hashlib", "json", "logger", "tomllib"]


class Later:
    """Stands for a thing; what was used of it once is an attribute of this object from then on."""

    def __init__(self, fetch: Callable[[], object]) -> None:
        self._fetch = fetch

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._fetch(), name)
        setattr(self, name, value)
        return value


if not TYPE_CHECKING:
    asyncio = Later(lambda: import_module("asyncio"))
    futures = Later(lambda: import_module("concurrent.futures"))
    hashlib = Later(lambda: import_module("hashlib"))
    json = Later(lambda: import_module("json"))
    logger = Later(lambda: import_module("logging").getLogger("hookcore"))
    tomllib = Later(lambda: import_module("tomllib" if sys.version_info >= (3, 11) else "tomli"))
