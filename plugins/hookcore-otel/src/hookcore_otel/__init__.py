"""hookcore's telemetry: spans, metrics and decisions for OpenTelemetry, without any content."""

from __future__ import annotations

from ._stats import Stats
from .plugin import Otel
from .settings import OtelSettings

__all__ = ["Otel", "OtelSettings", "Stats"]
