"""The table ``[bundle]`` of the system's file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

__all__ = ["BundleSettings"]


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme == "http":
        raise PydanticCustomError("bundle_url", "http: hides nothing on its way: use https:")
    if not parts.scheme or not parts.path.strip("/"):
        raise PydanticCustomError(
            "bundle_url", "it must be a URL such as https://policies.example/prod.tar"
        )
    if parts.username or parts.password:
        raise PydanticCustomError(
            "bundle_url", "it must hold no password: name a variable in token_env"
        )
    return text


class BundleSettings(BaseModel):
    """The source of bundles, and what happens without news of them.

    Raises:
        pydantic.ValidationError: a value is wrong.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        title="Settings of the hookcore plugin bundle",
        json_schema_extra={
            "description": "The table [bundle] of the system's file: whose bundle, from where."
        },
    )

    url: Annotated[str, AfterValidator(_url)] = Field(
        description=(
            "Where the bundle is: https: or file:, or what a fetcher of another distribution "
            "reads. Its timestamp lies beside it, with .timestamp at the end of the path."
        ),
    )
    name: str = Field(
        pattern="^[a-z0-9][a-z0-9._-]{0,63}$",
        description="The name of the fleet; bundles that were signed for another are refused.",
    )
    root: Path = Field(
        default=Path("root.json"),
        description=(
            "The file with the keys that are trusted first, brought here by hand. A relative one "
            "lies beside the system's file."
        ),
    )
    every_s: float = Field(
        default=60.0, ge=1.0, le=86_400.0, description="The seconds between two pulls."
    )
    jitter: float = Field(
        default=0.3,
        ge=0.0,
        le=1.0,
        description="The part of every_s by which pulls of many machines differ.",
    )
    timeout_s: float = Field(
        default=30.0, gt=0.0, le=600.0, description="The seconds that a download may take."
    )
    max_mb: int = Field(default=4, ge=1, le=64, description="The size that a bundle may have.")
    keep: int = Field(
        default=8, ge=2, le=1000, description="How many revisions are kept on the machine."
    )
    ca: Path | None = Field(
        default=None,
        description="A file with the certificates to trust for https:, else the system's.",
    )
    token_env: str | None = Field(
        default=None,
        pattern="^HOOKCORE(_[A-Z0-9]+)+_TOKEN$",
        description="The environment variable with a token that the server asks for.",
    )
    stale_after_s: int = Field(
        default=86_400,
        ge=60,
        description="The age of the newest signed timestamp from which on a bundle is stale.",
    )
    when_stale: Literal["warn", "deny"] = Field(
        default="warn", description="What happens to calls under a stale bundle."
    )
    when_expired: Literal["warn", "deny"] = Field(
        default="deny", description="What happens to calls under a bundle that has expired."
    )
