"""Pages that show what was found: one file each, with no network and no server."""

from __future__ import annotations

from .page import check_target, page, write_page

__all__ = ["check_target", "page", "write_page"]
