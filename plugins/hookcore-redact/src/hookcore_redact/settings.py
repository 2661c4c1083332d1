"""The policy's settings, as an operator writes them in ``hookcore.toml``."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, model_validator
from pydantic_core import PydanticCustomError

from hookcore import Regex, RegexError, check_name_pattern

from .kinds import EXTENSIBLE, PII, SECRETS, expand_kinds

__all__ = ["POINTS", "CustomPattern", "Point", "RedactSettings"]

Point = Literal[
    "message_received",
    "message_sending",
    "setup_message",
    "execution_start",
    "input",
    "pre_run",
    "post_run",
    "output",
    "execution_end",
    "pre_turn",
    "post_turn",
    "pre_step",
    "post_step",
    "prompt_build",
    "pre_model_call",
    "post_model_call",
    "pre_tool_call",
    "post_tool_call",
]
POINTS: Final[tuple[Point, ...]] = get_args(Point)
_TOOL_INPUT: Final[Point] = "pre_tool_call"


def _good_regex(pattern: str) -> str:
    try:
        compiled = Regex(pattern)
    except RegexError as error:
        raise PydanticCustomError("redact_regex", "{why}", {"why": str(error)}) from None
    if compiled.found_in(b""):
        raise PydanticCustomError("redact_regex", "it matches the empty text, so it finds nothing")
    return pattern


def _good_name(pattern: str) -> str:
    try:
        check_name_pattern(pattern)
    except ValueError as error:
        raise PydanticCustomError("redact_name", "{why}", {"why": str(error)}) from None
    return pattern


Label = Annotated[str, Field(pattern=r"^[\w][\w .-]{1,46}[\w]$")]


class CustomPattern(BaseModel):
    """A kind of value that only the operator knows."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(
        pattern=r"^[a-z][a-z0-9_]{0,30}[a-z]$",
        description="The kind's name; its placeholders bear it in capitals.",
    )
    regex: Annotated[str, AfterValidator(_good_regex)] = Field(
        min_length=1,
        description="An RE2 expression; if it has a group, only the first group is replaced.",
    )
    group: Literal["secrets", "pii"] = Field(
        default="secrets", description="Secrets are taken out of tool inputs too."
    )


class RedactSettings(BaseModel):
    """The settings of redact: what is redacted, where, and what takes its place.

    Raises:
        pydantic.ValidationError: a value is wrong, or can have no effect.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        title="Settings of the hookcore plugin redact",
        json_schema_extra={"description": "What is redacted, where, and what takes its place."},
    )

    kinds: list[str] = Field(
        default=["secrets", "pii"],
        description='Kinds to redact: "secrets", "pii", single kinds, names of `patterns`.',
    )
    skip_kinds: list[str] = Field(
        default=[], description="Kinds that are left alone, wherever `kinds` names them."
    )
    tool_input_kinds: list[str] = Field(
        default=["secrets"],
        description=(
            "Of `kinds`, those that are taken out of tool inputs as well. Without its argument a "
            "tool fails, so that personal data are left in by default."
        ),
    )
    points: list[Point] | None = Field(
        default=None, description="The points to redact at; all that carry content when left out."
    )
    placeholders: Literal["typed", "fixed", "hash"] = Field(
        default="typed",
        description=(
            "typed: [EMAIL_1], the same number for the same value within a run. fixed: [EMAIL]. "
            "hash: [EMAIL:1f0c9a2b], the same for the same value and `hash_key`."
        ),
    )
    hash_key: SecretStr | None = Field(
        default=None,
        description=(
            "The key of hash placeholders, 16 characters or more. When it is left out each "
            "process has its own."
        ),
    )
    allow: list[str] = Field(
        default=[],
        description="Values that are left alone, as globs (* ?); case does not count.",
    )
    patterns: list[CustomPattern] = Field(default=[], description="Kinds of your own.")
    labels: list[Label] = Field(
        default=[],
        description=(
            "Names of your own whose values are secrets, as `acme pin`: also spelled `ACME_PIN`, "
            "`acmePin`. Values beside them are of the kind labelled_key."
        ),
    )
    decode: bool = Field(
        default=True,
        description=(
            "Whether text is also read as what its escapes (JSON, URL, HTML, full width) and its "
            "base64 and hexadecimal parts stand for."
        ),
    )
    restore: bool = Field(
        default=False,
        description=(
            "Whether placeholders in tool inputs are turned back into the values they stand for. "
            "Kinds that are redacted in tool inputs never are."
        ),
    )
    restore_tools: list[Annotated[str, AfterValidator(_good_name)]] = Field(
        default=["*"],
        description="Names or globs of the tools that get the values back; case counts.",
    )
    stream: Literal["buffer", "window", "observe"] = Field(
        default="buffer",
        description=(
            "How streamed responses are treated. buffer: held back until complete. window: pass "
            "while they come, but for the last characters. observe: pass as they are."
        ),
    )
    window: int = Field(
        default=1024,
        ge=64,
        le=8192,
        description="The most characters of an unfinished word that a window holds back.",
    )

    @property
    def custom_groups(self) -> dict[str, str]:
        """The group of each custom pattern, by its name."""
        return {pattern.name: pattern.group for pattern in self.patterns}

    def compiled_patterns(self) -> dict[str, Regex]:
        """Return the custom patterns, compiled, by their names."""
        return {pattern.name: Regex(pattern.regex, capture=True) for pattern in self.patterns}

    @property
    def all_kinds(self) -> frozenset[str]:
        """The kinds that are redacted in messages, results and outputs."""
        custom = self.custom_groups
        return expand_kinds(self.kinds, custom) - expand_kinds(self.skip_kinds, custom)

    @property
    def kinds_in_tool_inputs(self) -> frozenset[str]:
        """The kinds that are redacted in tool inputs."""
        return self.all_kinds & expand_kinds(self.tool_input_kinds, self.custom_groups)

    def kinds_at(self, point: Point) -> frozenset[str]:
        """Return the kinds that are redacted at a point."""
        if self.points is not None and point not in self.points:
            return frozenset()
        return self.kinds_in_tool_inputs if point == _TOOL_INPUT else self.all_kinds

    @property
    def restorable_kinds(self) -> frozenset[str]:
        """The kinds whose placeholders are turned back in tool inputs."""
        return self.all_kinds - self.kinds_in_tool_inputs if self.restore else frozenset()

    @model_validator(mode="after")
    def _everything_can_act(self) -> RedactSettings:
        problems = [*self._problems_of_names(), *self._problems_of_restore()]
        if self.hash_key is not None:
            if self.placeholders != "hash":
                problems.append('hash_key has a meaning only with placeholders = "hash"')
            elif len(self.hash_key.get_secret_value()) < _SHORTEST_KEY:
                problems.append(f"hash_key needs {_SHORTEST_KEY} characters or more")
        if any(re.fullmatch(r"[*?]*", glob) for glob in self.allow):
            problems.append("an entry of allow matches every value: nothing would be redacted")
        if problems:
            raise PydanticCustomError(
                "redact_settings", "{problems}", {"problems": "; ".join(problems)}
            )
        return self

    def _problems_of_names(self) -> list[str]:
        problems = []
        names = [pattern.name for pattern in self.patterns]
        for name in sorted(set(names)):
            if names.count(name) > 1:
                problems.append(f"patterns: there are two named {name!r}")
            if (name in SECRETS or name in PII) and name not in EXTENSIBLE:
                problems.append(f"patterns: {name!r} is a built-in kind, choose another name")
        for key in ("kinds", "skip_kinds", "tool_input_kinds"):
            try:
                expand_kinds(getattr(self, key), self.custom_groups)
            except ValueError as error:
                problems.append(f"{key}: {error}")
        if not problems and not any(map(self.kinds_at, POINTS)):
            problems.append("nothing is redacted anywhere: disable the plugin instead")
        return problems

    def _problems_of_restore(self) -> list[str]:
        if not self.restore:
            changed = self.restore_tools != ["*"]
            return ["restore_tools has a meaning only with restore = true"] if changed else []
        if self.placeholders == "fixed":
            return ["restore needs placeholders that tell values apart: typed or hash"]
        if self.points is not None and _TOOL_INPUT not in self.points:
            return [f"restore works at {_TOOL_INPUT}, which points leaves out"]
        try:
            restorable = self.restorable_kinds
        except ValueError:
            return []  # reported with the names
        if not restorable:
            return ["restore can never act: all kinds are redacted in tool inputs"]
        return []


_SHORTEST_KEY: Final = 16
