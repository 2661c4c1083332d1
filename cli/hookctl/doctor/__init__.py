"""The checks of ``hookctl doctor``: each finds what is wrong and names what mends it.

The names here are public: other distributions add checks with them, see :mod:`.further`.
"""

from __future__ import annotations

from .finding import Diagnosis, error, note, warning

__all__ = ["Diagnosis", "error", "note", "warning"]
