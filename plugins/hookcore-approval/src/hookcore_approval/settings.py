"""The policy's settings, as an operator writes them in ``hookcore.toml``."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, model_validator
from pydantic_core import PydanticCustomError

from hookcore import check_name_pattern

__all__ = ["ApprovalSettings"]

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def _pattern(text: str) -> str:
    try:
        check_name_pattern(text)
    except ValueError as error:
        raise PydanticCustomError(
            "approval_pattern", "the pattern cannot match: {why}", {"why": str(error)}
        ) from None
    return text


def _address(url: SecretStr) -> SecretStr:
    with contextlib.suppress(ValueError):  # of a port or an address that is none
        parts = urlsplit(url.get_secret_value())
        _ = parts.port
        if parts.scheme == "https" and parts.hostname:
            return url
        if parts.scheme == "http" and parts.hostname in _LOOPBACK:
            return url
    raise PydanticCustomError(
        "approval_address", "it must be an https URL, or an http URL of this machine"
    )


Pattern = Annotated[str, AfterValidator(_pattern)]


class ApprovalSettings(BaseModel):
    """The calls that a person has to approve, and where requests are kept.

    Raises:
        pydantic.ValidationError: a value is wrong, or can have no effect.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        title="Settings of the hookcore plugin approval",
        json_schema_extra={"description": "Which calls a person has to approve, and how."},
    )

    tools: list[Pattern] = Field(
        default=[],
        description="Tools whose every call has to be approved: names and globs.",
    )
    questions: bool = Field(
        default=True,
        description=(
            "Answer what other policies ask a person about a tool call: approved is yes. "
            "Otherwise the host's prompter is asked."
        ),
    )
    two_people: list[Pattern] = Field(
        default=[],
        description="Tools whose calls two different people have to approve.",
    )
    approvers: list[str] = Field(
        default=[], description="Names of those who may decide; anybody when it is empty."
    )
    scope: Literal["session", "agent", "tenant"] = Field(
        default="session",
        description=(
            "Who may make the call that was approved: the session, the agent or the tenant that "
            "asked. What the host does not tell counts as one."
        ),
    )
    expires_s: float = Field(
        default=600.0, ge=1.0, le=604_800.0, description="The seconds that a decision may take."
    )
    take_within_s: float = Field(
        default=300.0,
        ge=1.0,
        le=604_800.0,
        description="The seconds after the approval in which the call has to be made.",
    )
    wait_s: float = Field(
        default=0.0,
        ge=0.0,
        le=55.0,
        description=(
            "The seconds that a call waits for the decision before it is denied; less than the "
            "host's own time-out for a tool. The same call goes on later, however long that takes."
        ),
    )
    terminal: bool = Field(
        default=True,
        description="Ask at the host's prompter, by default the terminal, where there is one.",
    )
    show: Literal["names", "redacted", "full"] = Field(
        default="redacted",
        description=(
            "What is stored and shown of arguments: their names alone, all but the values under "
            "names that tell of a secret, or everything."
        ),
    )
    max_pending: int = Field(
        default=1000,
        ge=1,
        le=100_000,
        description="The most requests that wait; beyond it calls are denied without one.",
    )
    store: Literal["sqlite", "redis"] = Field(
        default="sqlite",
        description=(
            "Where requests are kept: in a file for the processes of one machine, or on Redis."
        ),
    )
    path: Path = Field(
        default=Path("approvals.sqlite3"),
        description="The file. A relative one lies below the user's state folder.",
    )
    url_env: str = Field(
        default="HOOKCORE_REDIS_URL",
        min_length=1,
        description="The environment variable that holds the URL of the Redis server.",
    )
    prefix: str = Field(
        default="hookcore-approval",
        pattern=r"^[A-Za-z0-9_.-]{1,64}$",
        description="Who shares it shares the requests on Redis: the name of a fleet, for example.",
    )
    replicas: int = Field(
        default=0,
        ge=0,
        le=10,
        description="The number of replicas of Redis that must have a change before it counts.",
    )
    timeout_ms: int = Field(
        default=250, ge=1, le=10_000, description="The milliseconds that Redis has for an answer."
    )
    notify_url: Annotated[SecretStr, AfterValidator(_address)] | None = Field(
        default=None,
        description="Where `hookctl approvals serve` posts new requests to, signed.",
    )
    secret_env: str = Field(
        default="HOOKCORE_APPROVAL_SECRET",
        min_length=1,
        description=(
            "The environment variable with the secret of signatures (whsec_...); several are "
            "parted by spaces, and the first one signs."
        ),
    )

    @model_validator(mode="after")
    def _everything_can_act(self) -> ApprovalSettings:
        unused = (
            ("url_env", "prefix", "replicas", "timeout_ms") if self.store == "sqlite" else ("path",)
        )
        given = sorted(self.model_fields_set.intersection(unused))
        if given:
            why = f'{", ".join(given)} can have no effect with store = "{self.store}"'
        elif not self.tools and not self.questions:
            why = "it would do nothing: name tools, or leave questions = true"
        elif self.approvers and len(set(self.approvers)) < 2 and self.two_people:  # noqa: PLR2004
            why = "two_people needs two approvers, or none named"
        else:
            return self
        raise PydanticCustomError("approval_settings", "{why}", {"why": why})
