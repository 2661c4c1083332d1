"""The policy's settings, as an operator writes them in ``hookcore.toml``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from ._rules import compile_rules
from .presets import PresetName

__all__ = ["PresetName", "ShellGuardSettings", "ShellRule"]


def _listed(value: Any) -> Any:
    """Take one name for a list of one."""
    return [value] if isinstance(value, str) else value


def _arguments(value: Any) -> Any:
    """Take one argument's name for a list of one, in each entry of ``tools``."""
    return (
        {key: _listed(entry) for key, entry in value.items()} if isinstance(value, dict) else value
    )


class ShellRule(BaseModel):
    """One rule: what happens to segments that run this program in this way."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    effect: Literal["allow", "ask", "deny"] = Field(
        description=(
            "What the rule does to a segment that it matches. allow lifts the segment out of the "
            "preset, but for its redirections and variables."
        )
    )
    program: str = Field(description="The program's name, without folders.")
    args: list[str] = Field(
        default=[],
        description=(
            "The first operands, in order, after the program's own options. Choices are separated "
            "by |, and * is any operand."
        ),
    )
    options: list[str] = Field(
        default=[],
        description=(
            "Options of which one must be given. Long ones match cut short too, one-letter ones "
            "inside clusters too, for allow rules only as written."
        ),
    )
    reason: str | None = Field(
        default=None, description="Why, for the operator's logs; the model does not see it."
    )


class ShellGuardSettings(BaseModel):
    """The shell commands that are let through.

    Raises:
        pydantic.ValidationError: a value is wrong, or a rule can never act; all such rules are
            named in one error.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        title="Settings of the hookcore plugin shell-guard",
        json_schema_extra={"description": "Which shell commands are let through."},
    )

    preset: Annotated[list[PresetName], BeforeValidator(_listed)] = Field(
        default=["careful"],
        description=(
            "A preset or a list of presets, all of which must let a command through. An empty "
            "list leaves the rules alone in force."
        ),
    )
    on_match: Literal["deny", "ask"] = Field(
        default="deny",
        description="What happens to a command that a preset forbids: deny, or ask a person.",
    )
    opaque: Literal["deny", "ask"] = Field(
        default="deny",
        description=(
            "What happens to a command that cannot be read, or known before it runs: deny, or ask "
            "a person."
        ),
    )
    tools: Annotated[dict[str, list[str]], BeforeValidator(_arguments)] = Field(
        default={},
        description=(
            "Further tools that run commands, each with the argument, or the arguments, that hold "
            "the command."
        ),
    )
    rules: list[ShellRule] = Field(
        default=[],
        description="Rules of your own. A deny beats an ask, both beat the presets and allow.",
    )
    project: Annotated[list[str], BeforeValidator(_listed)] = Field(
        default=[],
        description=(
            "The folders of the projects, absolute or with ~. A call belongs to the nearest one "
            "above the folder that it runs in. Left out, that folder is the project."
        ),
    )

    @model_validator(mode="after")
    def _everything_can_act(self) -> ShellGuardSettings:
        _, problems = compile_rules(self.rules)
        problems += _repeated(self.preset) + _bad_tools(self.tools) + _bad_projects(self.project)
        if not self.preset and not self.rules:
            problems.append("preset = [] without rules lets every command through: name a preset")
        if problems:
            raise PydanticCustomError(
                "shell_guard_settings", "{problems}", {"problems": "; ".join(problems)}
            )
        return self


def _repeated(presets: list[PresetName]) -> list[str]:
    return [
        f"preset[{index}] ({name}) repeats an earlier one"
        for index, name in enumerate(presets)
        if name in presets[:index]
    ]


def _bad_tools(tools: dict[str, list[str]]) -> list[str]:
    return [
        f"tools.{name} names no argument: write the one that holds the command"
        for name, arguments in tools.items()
        if not name.strip() or not arguments or not all(arguments)
    ]


def _bad_projects(projects: list[str]) -> list[str]:
    problems: list[str] = []
    home = Path.home().resolve()
    for index, text in enumerate(projects):
        path = Path(text).expanduser()
        if not path.is_absolute():
            problems.append(f"project[{index}] ({text}) is not absolute: write all of its path")
        elif home.is_relative_to(path.resolve()):
            problems.append(f"project[{index}] ({text}) holds your home folder: name the project")
    return problems
