"""Real Redis servers."""

from __future__ import annotations

from hookcore_stores.testing import redis_servers

__all__ = ["redis_servers"]
