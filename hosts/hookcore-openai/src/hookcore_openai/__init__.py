"""The ``openai`` and ``anthropic`` client libraries as hosts: ``install()`` governs their calls.

A library is governed when it has been imported; none is imported here.
"""

from __future__ import annotations

from .host import ANTHROPIC, HOSTS, OPENAI
from .installing import install, install_anthropic, install_openai, uninstall

__all__ = [
    "ANTHROPIC",
    "HOSTS",
    "OPENAI",
    "install",
    "install_anthropic",
    "install_openai",
    "uninstall",
]
