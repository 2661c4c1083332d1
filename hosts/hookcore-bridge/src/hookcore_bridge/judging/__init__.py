"""Judging: the answer of policies to what a client tells, for one configuration."""

from __future__ import annotations

from .judge import Judge

__all__ = ["Judge"]
