"""How a command fails: one readable message, one of the agreed exit codes, no traceback."""

from __future__ import annotations

import click

__all__ = ["BROKEN", "GATE", "USAGE", "BrokenError", "UsageError"]

GATE = 1
"""A gate that the caller asked for, with ``--fail-on``, has failed."""
USAGE = 2
BROKEN = 3


class UsageError(click.ClickException):
    """The user asked for something that is not there or not allowed, or gave unreadable input."""

    exit_code = USAGE


class BrokenError(click.ClickException):
    """A plugin or a configuration is broken."""

    exit_code = BROKEN
