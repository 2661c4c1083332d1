"""hookcore's approval policy: a person approves exactly the call that then runs, once."""

from __future__ import annotations

from ._digest import NoCanonicalFormError, call_digest
from .policy import Approval
from .settings import ApprovalSettings

__all__ = ["Approval", "ApprovalSettings", "NoCanonicalFormError", "call_digest"]
