"""The telemetry's settings, as an operator writes them in ``hookcore.toml``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from hookcore import check_name_pattern

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["OtelSettings"]


def _pattern(pattern: str) -> str:
    """Turn away what is no name and no glob."""
    check_name_pattern(pattern)
    return pattern


_Pattern = Annotated[str, AfterValidator(_pattern)]


class OtelSettings(BaseModel):
    """The things that are told, and by which way.

    Raises:
        pydantic.ValidationError: a value is wrong.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        title="Settings of the hookcore plugin otel",
        json_schema_extra={"description": "What is told to OpenTelemetry, and by which way."},
    )

    traces: bool = Field(
        default=True, description="Whether runs, model calls and tool calls are spans."
    )
    metrics: bool = Field(default=True, description="Whether durations and counts are measured.")
    decisions: Literal["log", "event", "span", "off"] = Field(
        default="log",
        description=(
            "How it is told that a hook denied, changed something or failed: by a log record, an "
            "event on the call's span, a span of its own below that, or not at all. Metrics "
            "count it in any case."
        ),
    )
    known_tools: list[_Pattern] = Field(
        default=[],
        description=(
            'Names and globs of the tools that metrics tell apart; others are "_other", but for '
            "those that the host gives its own object for."
        ),
        examples=[["read_file", "search_*"]],
    )
    session_id: Literal["hash", "plain", "off"] = Field(
        default="hash", description="How the session's id is told."
    )
    setup: Literal["host", "otlp"] = Field(
        default="host",
        description=(
            "Who sends: the providers that the program has set up, or this plugin's own, which "
            "send by OTLP as the environment says (OTEL_EXPORTER_OTLP_ENDPOINT and others)."
        ),
    )
    shutdown_ms: int = Field(
        default=2000,
        ge=0,
        le=60_000,
        description=(
            "The longest that the end of the process waits for the collector, in milliseconds, "
            'with setup = "otlp".'
        ),
    )
    trust_remote_parent: list[_Pattern] = Field(
        default=[],
        description=(
            "Names and globs of the peers whose trace a call may join. What others send as "
            "traceparent becomes a link."
        ),
        examples=[["mcp:internal-*"]],
    )

    @model_validator(mode="after")
    def _decisions_have_a_place(self) -> Self:
        if self.decisions in {"event", "span"} and not self.traces:
            raise ValueError(f'decisions = "{self.decisions}" needs traces = true')
        return self
