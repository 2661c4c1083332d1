"""The plugin: an observer at ``tool_finished``."""

from __future__ import annotations

import logging
from typing import ClassVar, Literal

from hookcore import ToolCallContext, hookimpl

from ._entry import entry_of
from ._file import LineFile
from .settings import CommandLoggerSettings

__all__ = ["CommandLogger"]


class CommandLogger:
    """Writes a line for every tool call that is over: done, failed, denied or cancelled.

    Args:
        settings: where the lines go.

    Raises:
        OSError: the file cannot be opened.
    """

    Settings: ClassVar[type[CommandLoggerSettings]] = CommandLoggerSettings
    # The call is over when it is told of: there is nothing left that a failure could stop.
    on_error: ClassVar[Literal["allow"]] = "allow"
    priority: ClassVar[int] = 150

    def __init__(self, settings: CommandLoggerSettings | None = None) -> None:
        settings = settings or CommandLoggerSettings()
        self._file: LineFile | None = None
        if settings.file is not None:
            self._file = LineFile(settings.file, settings.max_bytes, settings.backups)
        self._logger = logging.getLogger(settings.logger)
        self._level: int = getattr(logging, settings.level)

    @hookimpl
    def tool_finished(self, ctx: ToolCallContext) -> None:
        """Write the call's line; in a dry run, do nothing.

        Args:
            ctx: the call.

        Raises:
            OSError: the line could not be written to the file.
        """
        if ctx.dry_run:
            return
        if self._file is not None:
            self._file.append(entry_of(ctx).json_line())
        elif self._logger.isEnabledFor(self._level):
            entry = entry_of(ctx)
            self._logger.log(self._level, "%s", entry.text(), extra={"command": entry})

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        if self._file is not None:
            self._file.close()
