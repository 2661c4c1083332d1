"""hookcore's bundles: a fleet's configuration, signed, pulled and put in force at once."""

from __future__ import annotations

from ._refused import RefusedError
from .fetching import Request
from .plugin import Bundle
from .settings import BundleSettings

__all__ = ["Bundle", "BundleSettings", "RefusedError", "Request"]
