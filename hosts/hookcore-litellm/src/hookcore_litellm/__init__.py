"""LiteLLM as a host: ``install()`` governs all that it asks models, whoever asks for it.

LiteLLM is governed when it has been imported; it is not imported here.
"""

from __future__ import annotations

from .host import HOST
from .installing import install, uninstall

__all__ = ["HOST", "install", "uninstall"]
