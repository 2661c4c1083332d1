"""Google's Agent Development Kit as a host: ``install()`` governs every agent of the process.

What needs the ADK is loaded when it is there: the package itself imports without it.
"""

from __future__ import annotations

from .host import HOST
from .installing import install, uninstall

__all__ = ["HOST", "install", "uninstall"]
