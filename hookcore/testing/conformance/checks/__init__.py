"""The checks, a module for each thing that they are about; importing them fills the registry."""

from __future__ import annotations

from . import agents, models, runs, runtime, streams, tools

__all__ = ["agents", "models", "runs", "runtime", "streams", "tools"]
