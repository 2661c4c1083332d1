"""The log's settings, as an operator writes them in ``hookcore.toml``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

__all__ = ["AuditSettings"]


def _anchor(where: str) -> str:
    """Turn away what is no place to tell an anchor."""
    if where in {"off", "log", "stderr"} or Path(where).is_absolute():
        return where
    raise PydanticCustomError(
        "audit_anchor", 'it must be "off", "log", "stderr", or the absolute path of a file'
    )


class AuditSettings(BaseModel):
    """The place of the log, and what it keeps.

    Raises:
        pydantic.ValidationError: a value is wrong.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        title="Settings of the hookcore plugin audit",
        json_schema_extra={"description": "Where the audit log lies, and what it keeps."},
    )

    path: Path = Field(
        default=Path("audit"),
        description=(
            "The folder of the log. A relative one lies below the user's state folder. Processes "
            "of one machine and user may share it."
        ),
    )
    max_mb: int = Field(
        default=50, ge=1, le=4096, description="The size at which another file is begun."
    )
    keep_files: int = Field(
        default=100,
        ge=2,
        le=100_000,
        description="How many files are kept; the oldest go, and the log says so.",
    )
    fsync: Literal["never", "interval", "always"] = Field(
        default="interval",
        description=(
            "When the disk is made to keep what was written: when it likes, once a second, or "
            "after each batch."
        ),
    )
    sign_key_env: str | None = Field(
        default=None,
        min_length=1,
        description=(
            "The environment variable that holds the private key for signed checkpoints. Without "
            "it nothing is signed."
        ),
    )
    checkpoint_every: int = Field(
        default=1000, ge=10, le=1_000_000, description="How many records a signature is for."
    )
    anchor: Annotated[str, AfterValidator(_anchor)] = Field(
        default="log",
        description=(
            'Where the last record\'s number and hash are told: "off", "log" (the logger '
            'hookcore_audit.anchor), "stderr", or the absolute path of a file, best on another '
            "machine. Only they tell that the end of the log was cut off."
        ),
    )
    anchor_every_s: float = Field(
        default=60.0, ge=1.0, description="The seconds between two anchors."
    )
    when_away: Literal["deny", "allow"] = Field(
        default="deny",
        description=(
            "What happens to tool calls while nothing can be written: they are denied, or let "
            "through while records wait and, beyond 10,000, are counted as lost."
        ),
    )
