"""hookcore's redaction policy: placeholders for secrets and personal data."""

from __future__ import annotations

from .policy import Redact
from .settings import CustomPattern, RedactSettings

__all__ = ["CustomPattern", "Redact", "RedactSettings"]
