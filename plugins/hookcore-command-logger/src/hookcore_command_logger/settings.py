"""The plugin's settings, as an operator writes them in ``hookcore.toml``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

__all__ = ["CommandLoggerSettings"]

_OF_FILES = ("max_bytes", "backups")
_OF_LOGGERS = ("logger", "level")


class CommandLoggerSettings(BaseModel):
    """The place where the lines go.

    Raises:
        pydantic.ValidationError: a value is wrong, or can have no effect.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        title="Settings of the hookcore plugin command-logger",
        json_schema_extra={"description": "Where the lines go."},
    )

    file: Path | None = Field(
        default=None,
        description=(
            "An absolute path: JSON lines are appended to this file. When it is left out, "
            "the lines go to Python's standard logging."
        ),
    )
    max_bytes: int = Field(
        default=10 * 1024 * 1024,
        ge=4096,
        description="The size in bytes at which the file is rotated.",
    )
    backups: int = Field(
        default=5,
        ge=1,
        le=1000,
        description="How many rotated files are kept, as FILE.1, FILE.2 and so on.",
    )
    logger: str = Field(
        default="hookcore.commands",
        min_length=1,
        description="The name of the logger, without a file.",
    )
    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="The level of the lines, without a file."
    )

    @model_validator(mode="after")
    def _everything_can_act(self) -> CommandLoggerSettings:
        problem = self._problem()
        if problem:
            raise PydanticCustomError("command_logger_settings", "{why}", {"why": problem})
        return self

    def _problem(self) -> str | None:
        idle: Any = _OF_LOGGERS if self.file else _OF_FILES
        given = sorted(self.model_fields_set.intersection(idle))
        if given:
            when = "without file" if self.file else "with file"
            return f"{', '.join(given)} can have an effect only {when}"
        if self.file is None:
            return None
        if not self.file.is_absolute():
            return f"file: {str(self.file)!r} depends on the working folder: give the whole path"
        if self.file.is_dir():
            return f"file: {str(self.file)!r} is a folder: name a file in it"
        if not self.file.parent.is_dir():
            return f"file: there is no folder {str(self.file.parent)!r}: make it"
        return None
