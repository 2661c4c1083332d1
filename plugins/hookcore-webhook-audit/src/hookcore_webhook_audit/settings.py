"""The plugin's settings, as an operator writes them in ``hookcore.toml``."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from hookcore import check_name_pattern

from ._client import tls_context
from ._destination import Destination, DestinationError, parse_url
from ._scrub import Scrubber
from ._spool import FILE_BYTES

__all__ = ["MAX_ARGS_BYTES", "WebhookAuditSettings"]

MAX_ARGS_BYTES: Final = 1024 * 1024
"""The most bytes of arguments in a message, also where the setting says 0, no limit."""
_PREFIX: Final = "whsec_"
_SECRET_BYTES: Final = (24, 64)


def _good_secret(secret: SecretStr) -> SecretStr:
    text = secret.get_secret_value()
    try:
        key = base64.b64decode(text.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not text.startswith(_PREFIX) or not _SECRET_BYTES[0] <= len(key) <= _SECRET_BYTES[1]:
        raise PydanticCustomError(
            "webhook_audit_secret", 'it must be "whsec_" and then 24 to 64 bytes in base64'
        )
    return secret


def _absolute(path: Path | None) -> Path | None:
    if path is not None and not path.is_absolute():
        raise PydanticCustomError(
            "webhook_audit_path", "the path depends on the working folder: give the whole path"
        )
    return path


_AbsolutePath = Annotated[Path | None, AfterValidator(_absolute)]


class WebhookAuditSettings(BaseModel):
    """The tool calls that are reported, and where to.

    Raises:
        pydantic.ValidationError: a value is wrong, or can have no effect.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        title="Settings of the hookcore plugin webhook-audit",
        json_schema_extra={"description": "Which tool calls are reported, and where to."},
    )

    url: SecretStr = Field(description="The webhook. It is treated as a secret.")
    tool_patterns: list[str] = Field(
        default=[],
        description="Names or globs (* ? [abc] [!abc]) of tools. An empty list reports nothing.",
    )
    include_args: bool = Field(
        default=False, description="Whether the arguments are sent, redacted."
    )
    max_args_bytes: int = Field(
        default=4096,
        ge=0,
        le=MAX_ARGS_BYTES,
        description="The bytes that the arguments' JSON is cut to; 0 is as much as 1 MiB.",
    )
    redact_kinds: list[str] = Field(
        default=["secrets", "pii"],
        description="The kinds of hookcore-redact that are taken out of the arguments.",
    )
    signing_secrets: list[Annotated[SecretStr, AfterValidator(_good_secret)]] = Field(
        default=[],
        description=(
            "Secrets of the Standard Webhooks scheme (whsec_...). Messages are signed with each; "
            "two let a receiver change from one to the other."
        ),
    )
    timeout_seconds: float = Field(
        default=5.0, gt=0, le=30, description="Seconds until an attempt is given up."
    )
    retry_seconds: float = Field(
        default=1.0, gt=0, le=3600, description="Seconds to the second attempt; then they double."
    )
    max_retry_seconds: float = Field(
        default=300.0, gt=0, le=86_400, description="Seconds between two attempts, at the most."
    )
    spool_dir: _AbsolutePath = Field(
        default=None,
        description="The folder for messages that cannot be sent; else in the user's state folder.",
    )
    spool_mebibytes: int = Field(
        default=64, ge=1, le=4096, description="The size of the spool; the oldest messages go."
    )
    allow_http: bool = Field(default=False, description="Whether the URL may be http.")
    allow_networks: list[IPv4Network | IPv6Network] = Field(
        default=[],
        description="Networks that messages may be sent to although they are not public.",
    )
    ca_file: _AbsolutePath = Field(
        default=None,
        description="A PEM file with the authorities that are trusted, instead of the system's.",
    )

    def destination(self) -> Destination:
        """Return where messages go.

        Raises:
            DestinationError: nothing may be sent there. No fault of the settings as such, it
                costs this plugin, and the program starts.
        """
        url = self.url.get_secret_value()
        return parse_url(url, allow_http=self.allow_http, allowed=self.allow_networks)

    @model_validator(mode="after")
    def _everything_can_act(self) -> WebhookAuditSettings:
        problems = [*self._problems_of_url(), *self._problems_of_args()]
        if self.max_retry_seconds < self.retry_seconds:
            problems.append("max_retry_seconds is less than retry_seconds")
        problems += self._problems_of_patterns()
        if problems:
            raise PydanticCustomError(
                "webhook_audit_settings", "{problems}", {"problems": "; ".join(problems)}
            )
        return self

    def _problems_of_patterns(self) -> Iterator[str]:
        for pattern in self.tool_patterns:
            try:
                check_name_pattern(pattern)
            except ValueError as error:
                yield f"tool_patterns: the pattern {pattern!r} matches no tool: {error}"

    def _problems_of_url(self) -> list[str]:
        try:
            scheme = self.destination().scheme
        except DestinationError:
            return []  # the plugin says so when it is made
        if self.ca_file is None:
            return []
        if scheme == "http":
            return ["ca_file has a meaning only for an https URL"]
        try:
            tls_context(self.ca_file)
        except OSError as error:
            return [f"ca_file: no certificates can be read from it ({type(error).__name__})"]
        return []

    def _problems_of_args(self) -> list[str]:
        if not self.include_args:
            idle = self.model_fields_set & {"max_args_bytes", "redact_kinds"}
            if "redact_kinds" in idle:
                return ["redact_kinds has a meaning only with include_args = true"]
            return []
        # Besides its arguments: what else a message says, and the file itself.
        most = (self.max_args_bytes or MAX_ARGS_BYTES) + 2 * FILE_BYTES
        if most > self.spool_mebibytes * 1024 * 1024:
            why = "is too little for a single message with as many bytes as max_args_bytes says"
            return [f"spool_mebibytes {why}: set it to 2 or more, or max_args_bytes to less"]
        try:
            Scrubber(self.redact_kinds)
        except ValidationError as error:
            whys = (fault["msg"].removeprefix("kinds: ") for fault in error.errors())
            return [f"redact_kinds: {'; '.join(whys)}"]
        return []
