"""The failures of commands: one readable message, one of the agreed exit codes, no traceback."""

from __future__ import annotations

import click

from .output import printable

__all__ = ["BROKEN", "GATE", "USAGE", "BrokenError", "UsageError"]

GATE = 1
"""A gate that the caller asked for, with ``--fail-on``, has failed."""
USAGE = 2
BROKEN = 3


class _Failure(click.ClickException):
    """A message that may quote other people's metadata, files and exceptions."""

    def format_message(self) -> str:
        return printable(self.message)


class UsageError(_Failure):
    """The user asked for something that is not there or not allowed, or gave unreadable input."""

    exit_code = USAGE


class BrokenError(_Failure):
    """A plugin or a configuration is broken."""

    exit_code = BROKEN
