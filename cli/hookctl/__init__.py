"""The ``hookctl`` command: list, enable, inspect and try out policies."""

from __future__ import annotations
