"""A policy that routes model calls by rules; the first rule that matches decides.

As a plugin it is configured like any other::

    [plugins.model-router]
    enabled = true

    [[plugins.model-router.settings.rules]]
    agents = ["payroll*"]
    provider = "local"
    model = "small"
"""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from hookcore import HookManager, ModelCallContext, ModelChoice, NamePatterns, hookimpl

__all__ = ["ModelRouter", "RouterSettings", "Rule"]


class Rule(BaseModel):
    """The provider and model that a matching call goes to, and what it matches."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    agents: list[str] = Field(default=["*"], min_length=1, description="Roles or names; globs.")
    models: list[str] = Field(default=["*"], min_length=1, description="The models chosen; globs.")
    attributes: dict[str, str] = Field(
        default={}, description="What the host must say of the call, such as its channel; globs."
    )
    provider: str = Field(min_length=1, description="The provider to use.")
    model: str = Field(min_length=1, description="The model to use.")

    def matches(self, ctx: ModelCallContext) -> bool:
        """Tell whether the rule is for this call.

        Args:
            ctx: the call; its payload is what the host has chosen.
        """
        return (
            any(_match(self.agents, name) for name in _names(ctx.agent))
            and _match(self.models, ctx.payload.model)
            and all(
                key in ctx.attributes and _match([glob], str(ctx.attributes[key]))
                for key, glob in self.attributes.items()
            )
        )


class RouterSettings(BaseModel):
    """The rules, in the order in which they are tried."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rules: list[Rule] = Field(min_length=1, description="The rules, the first that matches wins.")


class ModelRouter:
    """Chooses the provider and the model by rules; without a match the host's choice stands.

    Args:
        settings: the rules.
    """

    Settings: ClassVar[type[RouterSettings]] = RouterSettings
    on_error: ClassVar[str] = "deny"

    def __init__(self, settings: RouterSettings) -> None:
        self._rules = settings.rules

    @hookimpl
    def model_resolve(self, ctx: ModelCallContext) -> ModelChoice | None:
        """Return the choice of the first rule that matches.

        Args:
            ctx: the call.
        """
        for rule in self._rules:
            if rule.matches(ctx):
                return ModelChoice(rule.provider, rule.model)
        return None


def _names(agent: Any) -> set[str]:
    if isinstance(agent, str):
        return {agent}
    found = {getattr(agent, key, None) for key in ("role", "name")}
    return {str(name) for name in found if name} or {""}


def _match(globs: list[str], name: str) -> bool:
    return NamePatterns(globs).matches(name, as_written=True)


def main() -> None:
    """Show where the calls of two agents go."""
    manager = HookManager()
    rules = [{"agents": ["payroll*"], "provider": "local", "model": "small"}]
    manager.register(ModelRouter, settings={"rules": rules})
    for agent in ("payroll-clerk", "poet"):
        ctx = ModelCallContext(payload=ModelChoice("cloud", "large"), agent=agent)
        choice = manager.dispatch("model_resolve", ctx).payload
        print(f"{agent}: {choice.provider}/{choice.model}")


if __name__ == "__main__":
    main()
