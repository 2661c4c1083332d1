"""The strict shape of configuration, and readable words for what does not fit it.

Importing this module imports pydantic, so only those who load a manager do.
"""

from __future__ import annotations

from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from ..enduring import let_pydantic_look
from ..errors import ConfigError
from ..naming.names import check_name_pattern
from ..naming.suggest import did_you_mean
from .days import day_of
from .model import Mode, OnErrorName, Trust, Verify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic_core import ErrorDetails

    from .layer import Layer

__all__ = [
    "ConfigTable",
    "HooksTable",
    "LogTable",
    "PluginTable",
    "RecordTable",
    "RuleTable",
    "TelemetryTable",
    "TrustTable",
    "validate",
]

let_pydantic_look()

Names = Annotated[list[Annotated[StrictStr, Field(min_length=1)]], Field(min_length=1)]


def _good_pattern(pattern: str) -> str:
    try:
        check_name_pattern(pattern)
    except ValueError as error:
        what = {"why": str(error)}
        raise PydanticCustomError("pattern", "must be a name or glob ({why})", what) from None
    return pattern


Pattern = Annotated[StrictStr, Field(min_length=1), AfterValidator(_good_pattern)]
Patterns = Annotated[list[Pattern], Field(min_length=1)]


Day = Annotated[date, BeforeValidator(day_of)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class HooksTable(_Table):
    """``[hooks]``: what holds for all plugins."""

    enabled: StrictBool = Field(default=True, description="The master switch.")
    verify: Verify = Field(
        default="warn", description="Compares installed files with what hookcore.lock recorded."
    )


class TelemetryTable(_Table):
    """``[telemetry]``: what events report."""

    track_mutations: StrictBool = Field(
        default=False, description="Notices payloads that a hook edits in place, at some cost."
    )


class LogTable(_Table):
    """``[log]``: the log of decisions."""

    enabled: StrictBool = Field(
        default=False, description="Whether decisions are kept, without payloads."
    )
    max_megabytes: StrictInt = Field(
        default=100, ge=1, le=100_000, description="The size beyond which the oldest are dropped."
    )
    max_days: StrictInt = Field(
        default=30, ge=1, le=36_500, description="The age beyond which they are dropped."
    )


class RecordTable(_Table):
    """``[record]``: the recording of traffic; not for a project's file."""

    enabled: StrictBool = Field(
        default=False, description="Whether what goes through the points is recorded, redacted."
    )
    file: Annotated[StrictStr, Field(min_length=1)] | None = Field(
        default=None, description="The file; traffic.jsonl in the user's state folder by default."
    )
    raw: StrictBool = Field(default=False, description="Whether it is recorded without redaction.")
    max_megabytes: StrictInt = Field(
        default=100, ge=1, le=100_000, description="The size at which another file is begun."
    )
    max_files: StrictInt = Field(
        default=5, ge=1, le=1000, description="The files beyond which the oldest is dropped."
    )


class TrustTable(_Table):
    """``[trust]``: whose files count; for the system's and the user's own file only."""

    project: Trust = Field(
        default="always",
        description='Whether a project\'s configuration counts: "trusted" asks "hookctl trust".',
    )


class RuleTable(_Table):
    """``[plugins.NAME.rules.RULE]``: whether one rule of a plugin is in force."""

    mode: Mode = Field(
        default="enforce", description="Monitor records what the rule would stop, and lets it pass."
    )
    rollout: float | None = Field(
        default=None,
        ge=0,
        le=100,
        allow_inf_nan=False,
        description="The percentage of runs in which it is enforced; it is monitored in others.",
    )
    expires: Day | None = Field(
        default=None, description="The last day on which it is in force, in UTC."
    )


class PluginTable(_Table):
    """``[plugins.NAME]``: whether and how one plugin acts."""

    enabled: StrictBool = Field(default=False, description="Whether the plugin is loaded.")
    required: StrictBool = Field(
        default=False,
        description="Whether the manager refuses to start without it; locks this table.",
    )
    mode: Mode = Field(default="enforce", description="Monitor records verdicts and applies none.")
    rollout: float | None = Field(
        default=None,
        ge=0,
        le=100,
        allow_inf_nan=False,
        description="The percentage of runs in which it is enforced; others are monitored.",
    )
    expires: Day | None = Field(
        default=None, description="The last day on which it is enabled, such as 2027-01-31, in UTC."
    )
    on_error: OnErrorName | None = Field(default=None, description="What a failure of a hook does.")
    priority: StrictInt | None = Field(default=None, description="Lower runs first.")
    timeout: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="Seconds that a hook may take."
    )
    points: Names | None = Field(default=None, description="The only points at which it acts.")
    tools: Patterns | None = Field(
        default=None, description="The only tools on which it acts; globs."
    )
    agents: Patterns | None = Field(
        default=None, description="The only agents for which it acts; globs."
    )
    rules: dict[Annotated[str, Field(min_length=1)], RuleTable] = Field(
        default_factory=dict[str, RuleTable],
        description="Single rules, by the names that the plugin's denials have.",
    )
    settings: dict[str, Any] = Field(
        default_factory=dict[str, Any],
        description="The plugin's own settings, checked when it is loaded.",
    )


class ConfigTable(_Table):
    """A whole ``hookcore.toml``."""

    hooks: HooksTable = HooksTable()
    plugins: dict[Annotated[str, Field(min_length=1)], PluginTable] = Field(default_factory=dict)
    telemetry: TelemetryTable = TelemetryTable()
    log: LogTable = LogTable()
    record: RecordTable = RecordTable()
    trust: TrustTable = TrustTable()
    bundle: dict[str, Any] = Field(
        default_factory=dict[str, Any],
        description="Where signed configuration comes from, in the system's file only.",
    )


_TABLES: dict[str, type[BaseModel]] = {
    "hooks": HooksTable,
    "plugins": PluginTable,
    "log": LogTable,
    "record": RecordTable,
    "trust": TrustTable,
}
_CHOICES = {
    "mode": get_args(Mode),
    "on_error": get_args(OnErrorName),
    "verify": get_args(Verify),
    "project": get_args(Trust),
}
_MOST_TOLD = 20
_EXPECTED = {
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "greater_than_equal": "must be a larger number",
    "less_than_equal": "must be a smaller number",
    "greater_than": "must be a number of seconds above 0",
    "finite_number": "must be a number of seconds above 0",
    "date_type": "must be a day such as 2027-01-31",
    "list_type": "must be a list of names",
    "string_type": "must be a string",
    "string_too_short": "must not be empty",
    "too_short": "must not be empty (leave the key out, or disable the plugin)",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
}


def validate(layer: Layer) -> None:
    """Check one layer against the schema.

    Args:
        layer: the layer as it was read.

    Raises:
        ConfigError: keys are unknown or values wrong; the message names every one of them.
    """
    try:
        ConfigTable.model_validate(layer.table)
    except ValidationError as error:
        problems = list(islice(_problems(layer, error), _MOST_TOLD))
        more = error.error_count() - len(problems)
    else:
        return
    # A place is told once for all the mistakes there.
    words: list[str] = []
    said = None
    for _, origin, text in problems:
        words.append(text if origin == said else f"{origin}: {text}")
        said = origin
    words += [f"{more} more"] * (more > 0)
    raise ConfigError("; and ".join(words), file=layer.file, key=problems[0][0])


def _problems(layer: Layer, error: ValidationError) -> Iterator[tuple[str, str, str]]:
    for fault in error.errors(include_url=False, include_context=False):
        path = tuple(str(part) for part in fault["loc"] if part != "[key]")
        key = layer.key(path)
        yield key, str(layer.origin(path)), _describe(fault, path, key, layer)


def _describe(fault: ErrorDetails, path: tuple[str, ...], key: str, layer: Layer) -> str:
    if fault["type"] == "extra_forbidden":
        return _unknown_key(path, key, layer)
    value, name = fault["input"], path[-1]
    if path[:1] == ("plugins",) and path[2:3] == ("settings",):
        # Many a plugin's settings are secrets, in whatever shape they stand there.
        return f"{key} {_EXPECTED.get(fault['type'], fault['msg'])}, not {type(value).__name__}"
    if fault["type"] == "literal_error" and name in _CHOICES:
        choices = _CHOICES[name]
        words = ", ".join(f'"{choice}"' for choice in choices)
        return f"{key} must be one of {words}, not {value!r}{did_you_mean(str(value), choices)}"
    return f"{key} {_EXPECTED.get(fault['type'], fault['msg'])}, not {value!r}"


_ELSEWHERE = {
    ("hooks", "builtin"): "is a section of ZeroClaw's, and is not read from here: write "
    "[plugins.command-logger] and [plugins.webhook-audit], or give the section to "
    "hookcore_gateway.zeroclaw.plugin_tables()"
}
"""Sections that stood here once, and who reads them now."""


def _unknown_key(path: tuple[str, ...], key: str, layer: Layer) -> str:
    if path in _ELSEWHERE:
        return f"{key} {_ELSEWHERE[path]}"
    table: type[BaseModel] = ConfigTable
    if len(path) > 1:
        table = _TABLES.get(path[0], TelemetryTable)
    suggestion = did_you_mean(path[-1], table.model_fields)
    if not suggestion and table is PluginTable:
        own = layer.key((*path[:2], "settings"))
        suggestion = f"; a setting of the plugin itself belongs into [{own}]"
    if not suggestion:
        suggestion = f"; known here: {', '.join(table.model_fields)}"
    return f"{key} is not a key that hookcore knows{suggestion}"
