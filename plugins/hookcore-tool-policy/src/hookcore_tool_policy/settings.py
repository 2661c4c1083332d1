"""The policy's settings, as an operator writes them in ``hookcore.toml``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from ._lint import dead_rules
from ._rules import Effect, compile_rules

__all__ = ["ToolPolicySettings", "ToolRule"]


def _flat(arguments: Any) -> Any:
    """Turn away the tables that TOML makes of an unquoted dotted path, and say what to write."""
    if isinstance(arguments, dict):
        for key, value in arguments.items():
            if isinstance(value, dict):
                inner = next(iter(value), "...")
                raise PydanticCustomError(
                    "tool_policy_path",
                    "the path is not in quotes, so TOML reads a table: write {path}",
                    {"path": f'"{key}.{inner}" = "..."'},
                )
    return arguments


class ToolRule(BaseModel):
    """One rule: what happens to calls of these tools with such arguments."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    effect: Literal["allow", "ask", "deny"] = Field(
        description="What the rule does to a call it matches; ask puts it to a person."
    )
    tools: list[str] = Field(
        description="Names or globs (* ? [abc] [!abc]) of the tools that the rule is about.",
        json_schema_extra={"minItems": 1},
    )
    arguments: Annotated[dict[str, str], BeforeValidator(_flat)] | None = Field(
        default=None,
        description=(
            "Dotted paths into the arguments, each with an RE2 expression that is searched in the "
            "value there. All must match. Without it the rule judges by the tool's name only."
        ),
    )
    reason: str | None = Field(
        default=None, description="Why, for the operator's logs; the model does not see it."
    )
    name: str | None = Field(
        default=None,
        description=(
            "What the log of decisions and reports call the rule; its place, such as rules[0], "
            "when it is left out."
        ),
    )


class ToolPolicySettings(BaseModel):
    """The tool calls that are let through.

    Raises:
        pydantic.ValidationError: a value is wrong, or a rule can never act; all such rules are
            named in one error.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        title="Settings of the hookcore plugin tool-policy",
        json_schema_extra={"description": "Which tool calls are let through."},
    )

    default: Literal["allow", "deny"] | None = Field(
        default=None,
        description=(
            "What happens to a tool that no list and no rule names. When it is left out: deny as "
            "soon as anything is allowed explicitly, allow otherwise."
        ),
    )
    allow: list[str] = Field(
        default=[],
        description="Names or globs of tools that may be called with any arguments.",
        examples=[["read_*"]],
    )
    deny: list[str] = Field(
        default=[],
        description="Names or globs of tools that may never be called.",
        examples=[["delete_*"]],
    )
    ask: list[str] = Field(
        default=[],
        description="Names or globs of tools that a person is asked about before they are called.",
        examples=[["send_*"]],
    )
    rules: list[ToolRule] = Field(
        default=[],
        description="Rules that also look at a call's arguments.",
        examples=[
            [{"effect": "deny", "tools": ["read_file"], "arguments": {"path": "^/etc/"}}],
        ],
    )

    @property
    def unlisted(self) -> Effect:
        """The fate of unlisted tools: ``default``, or what it stands for when left out."""
        if self.default is not None:
            return self.default
        allows = self.allow or any(rule.effect == "allow" for rule in self.rules)
        return "deny" if allows else "allow"

    @model_validator(mode="after")
    def _every_rule_can_act(self) -> ToolPolicySettings:
        rules, problems = compile_rules(self)
        problems += dead_rules(rules, self.unlisted)
        if problems:
            raise PydanticCustomError(
                "tool_policy_rules", "{problems}", {"problems": "; ".join(problems)}
            )
        return self
