"""The store that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .requests import Requests
    from .settings import ApprovalSettings

__all__ = ["requests_of"]


def requests_of(settings: ApprovalSettings) -> Requests:
    """Return the store of requests.

    Args:
        settings: they name it.

    Raises:
        StoreSettingsError: it cannot be used as it is set up.
    """
    if settings.store == "redis":
        from ._redis import RedisRequests

        return RedisRequests(settings)
    from ._sqlite import SqliteRequests

    return SqliteRequests(settings)
