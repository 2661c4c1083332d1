"""The policy's settings, as an operator writes them in ``hookcore.toml``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from hookcore import check_name_pattern

__all__ = ["LoopGuardSettings", "Step"]

Step = Literal["warn", "deny", "stop"]
"""The answers to a repetition: a line in the log, a denied call, the end of the run."""
_SEVERITY: Final = {"warn": 0, "deny": 1, "stop": 2}


def _pattern(text: str) -> str:
    try:
        check_name_pattern(text)
    except ValueError as error:
        problem = f"the pattern {text!r} matches nothing: {error}"
        raise PydanticCustomError("loop_guard_pattern", "{problem}", {"problem": problem}) from None
    return text


def _often(number: int) -> int:
    if number == 1:
        raise PydanticCustomError(
            "loop_guard_number", "once is no repetition: write 2 or more, or 0 to switch it off"
        )
    return number


_Number = Annotated[int, Field(ge=0, le=1000), AfterValidator(_often)]
_Pattern = Annotated[str, AfterValidator(_pattern)]


class LoopGuardSettings(BaseModel):
    """The repetitions that are noticed, and what is done about them.

    Raises:
        pydantic.ValidationError: a value is wrong, or nothing could ever be noticed.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        title="Settings of the hookcore plugin loop-guard",
        json_schema_extra={"description": "Which repetitions are noticed, and what is done."},
    )

    same: _Number = Field(
        default=4, description="The same call so many times in a row; 0 switches it off."
    )
    cycle: _Number = Field(
        default=3, description="The same calls in the same order so many times; 0 switches it off."
    )
    max_period: int = Field(
        default=6, ge=2, le=32, description="The most calls that one round of a cycle has."
    )
    grow: _Number = Field(
        default=8,
        description=(
            "So many calls in a row that are the same but for one text or list, which gets longer "
            "at its end; 0 switches it off."
        ),
    )
    results: bool = Field(
        default=True, description="Whether the results must be the same, too, to be a repetition."
    )
    ignore: tuple[_Pattern, ...] = Field(
        default=("nonce", "timestamp", "request_id"),
        description="Names or globs of arguments, and of keys in results, that make no difference.",
    )
    poll: tuple[_Pattern, ...] = Field(
        default=("wait", "wait_*", "poll_*", "sleep", "read_output", "BashOutput", "TaskOutput"),
        description="Names or globs of tools that are there to be called again and again.",
    )
    poll_limit: _Number = Field(
        default=50, description="How often these may give the same in a row; 0 is any number."
    )
    steps: tuple[Step, ...] = Field(
        default=("warn", "deny", "stop"),
        description="What each repetition noticed in a run leads to; the last one, from then on.",
    )

    @model_validator(mode="after")
    def _something_can_happen(self) -> LoopGuardSettings:
        problems = list(self._problems())
        if problems:
            raise PydanticCustomError(
                "loop_guard_settings", "{problems}", {"problems": "; ".join(problems)}
            )
        return self

    def _problems(self) -> Iterator[str]:
        if not (self.same or self.cycle or self.grow):
            yield "same, cycle and grow are all 0: nothing would be noticed"
        if not self.steps:
            yield "steps is empty: nothing would be done"
        severities = [_SEVERITY[step] for step in self.steps]
        if severities != sorted(severities):
            yield 'steps get milder: write "warn" before "deny" before "stop"'
        if self.poll and 0 < self.poll_limit < self.same:
            yield f"poll_limit ({self.poll_limit}) is less than same ({self.same})"
