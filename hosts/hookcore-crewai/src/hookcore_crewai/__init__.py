"""CrewAI as a host: its unmodified runtime, with hookcore's dispatcher in the place of its own.

``install(manager)`` before or after CrewAI is imported; ``uninstall()`` puts everything back.
``python -m hookcore_crewai script.py`` does it for a program that knows nothing of hookcore.
"""

from __future__ import annotations

from ._install import install, installed, uninstall

__all__ = ["install", "installed", "uninstall"]
