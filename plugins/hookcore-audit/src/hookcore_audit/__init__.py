"""hookcore's audit log: a hash chain of what an agent did and of what its policies decided."""

from __future__ import annotations

from ._folder import PlaceError
from ._report import Anchor, Finding, Report
from ._verify import verify
from .plugin import Audit
from .settings import AuditSettings

__all__ = ["Anchor", "Audit", "AuditSettings", "Finding", "PlaceError", "Report", "verify"]
