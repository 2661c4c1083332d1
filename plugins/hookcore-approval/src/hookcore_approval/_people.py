"""The people who decide."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .settings import ApprovalSettings

__all__ = ["may_decide", "user_name"]


def may_decide(settings: ApprovalSettings, name: str) -> bool:
    """Return whether somebody may decide, as far as the settings say.

    Args:
        settings: they may name all who do.
        name: the name.
    """
    return not settings.approvers or name in settings.approvers


def user_name() -> str:
    """Return the name of the user of this process."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name
        return "somebody"
