"""The checks of ``hookctl doctor``: each finds what is wrong and names what mends it."""

from __future__ import annotations
