"""hookcore's webhook audit: tool calls, reported to a webhook."""

from __future__ import annotations

from ._stats import Stats
from .plugin import WebhookAudit
from .settings import WebhookAuditSettings

__all__ = ["Stats", "WebhookAudit", "WebhookAuditSettings"]
