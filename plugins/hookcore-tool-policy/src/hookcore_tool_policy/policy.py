"""The plugin: a gate at ``pre_tool_call``."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import ClassVar, Final, Literal

from hookcore import HookAborted, ToolCallContext, hookimpl, tool_aliases

from ._plan import DEFAULT, NAMELESS, Denial, Plan, Planner
from ._rules import MAX_NAME, compile_rules
from .settings import ToolPolicySettings

__all__ = ["ToolPolicy"]

_NAME: Final = "tool-policy"
_PLANS_KEPT: Final = 4096
_PLANNERS_KEPT: Final = 64
_TOO_LONG: Final = Denial(
    f"the tool's name is longer than {MAX_NAME} characters",
    "a tool name of this length is not allowed by policy",
    rule=NAMELESS,
)
_NAMELESS: Final = Denial(
    "the call names no tool", "a call without a tool name is not allowed", rule=NAMELESS
)
_MOST_SHOWN: Final = 4000
_logger = logging.getLogger("hookcore_tool_policy")


class ToolPolicy:
    """Lets a tool call through or stops it, by the tool's name and the call's arguments.

    Args:
        settings: which calls are let through.

    Raises:
        ValueError: a rule does not compile, when the settings were made without validation.
    """

    Settings: ClassVar[type[ToolPolicySettings]] = ToolPolicySettings
    on_error: ClassVar[Literal["deny"]] = "deny"

    def __init__(self, settings: ToolPolicySettings) -> None:
        self._settings = settings
        rules, problems = compile_rules(settings)
        if problems:
            raise ValueError("; ".join(problems))
        if not rules and settings.unlisted == "allow":
            _logger.warning("%s has no rules: it lets every tool call through", _NAME)
        # Names come from a model, so what is remembered about them is bounded.
        self._plan = lru_cache(_PLANS_KEPT)(Planner(rules, settings.unlisted).plan)
        self._rules = rules
        #: The same without some rules, which the operator lets be monitored.
        self._without = lru_cache(_PLANNERS_KEPT)(self._planner_without)
        if any(rule.effect == "ask" for rule in rules):
            # Who may wait for a person does so beside an event loop, not in it.
            waiting = hookimpl(gate=True, offload=True)(partial(ToolPolicy.pre_tool_call, self))
            setattr(self, "pre_tool_call", waiting)  # noqa: B010

    @property
    def tool_patterns(self) -> list[str]:
        """The patterns in the settings, which ``hookctl doctor`` compares with the tools it saw."""
        settings = self._settings
        ruled = (pattern for rule in settings.rules for pattern in rule.tools)
        return list(dict.fromkeys((*settings.allow, *settings.ask, *settings.deny, *ruled)))

    @property
    def rule_names(self) -> list[str]:
        """The rules that deny or ask, which the operator may have monitored one by one."""
        named = [rule.name for rule in self._rules if rule.effect != "allow"]
        return [*dict.fromkeys(named), *([DEFAULT] if self._settings.unlisted == "deny" else [])]

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        """Let the call through, or abort it; ask a person first where the settings say so.

        Args:
            ctx: the call; its tool name, the other names that its host knows the tool by, and its
                arguments are judged.

        Raises:
            HookAborted: the policy denies the call, or asked and got no yes.
        """
        denial = self.judge(ctx.tool_name, ctx.tool_input, tool_aliases(ctx))
        denial = self._enforced(ctx, denial, lambda plan: plan.judge(ctx.tool_input))
        if denial is None:
            return
        if denial.effect == "ask":
            try:
                answer = ctx.request_human_input(
                    f"{_NAME}: {denial.message} ({denial.reason}). Call it with "
                    f"{_shown(ctx.tool_input)}? [y/N]",
                    "n",
                )
            except HookAborted as unanswered:
                unanswered.rule = unanswered.rule or denial.rule
                raise
            if answer.strip().lower() in {"y", "yes"}:
                return
        raise _abort(denial)

    @hookimpl(optionalhook=True)
    def tool_offered(self, ctx: ToolCallContext) -> None:
        """Keep a model from being told of a tool that it could never call.

        Hosts that list tools without a call being made have this point, such as ``hookctl mcp``.

        Args:
            ctx: the tool's name, and the other names that its host knows it by.

        Raises:
            HookAborted: the policy denies every call of the tool.
        """
        denial = self._always((str(ctx.tool_name), *tool_aliases(ctx)))
        denial = self._enforced(ctx, denial, lambda plan: plan.always)
        if denial is not None:
            raise _abort(denial)

    def judge(
        self, tool_name: str | None, arguments: object, aliases: Sequence[str] = ()
    ) -> Denial | None:
        """Judge one call without a host, for example in a test of your settings.

        Args:
            tool_name: the tool's name as the model wrote it.
            arguments: the call's arguments, a dict.
            aliases: other names that the tool is known by; a rule for one of them holds.

        Returns:
            Why the call is denied, or asked about (``effect``); None if it is let through.
        """
        if not isinstance(tool_name, str) or not tool_name:
            return _NAMELESS
        if len(tool_name) > MAX_NAME:
            return _TOO_LONG
        return self._plan((tool_name, *aliases)).judge(arguments)

    def _always(self, names: tuple[str, ...]) -> Denial | None:
        return _TOO_LONG if len(names[0]) > MAX_NAME else self._plan(names).always

    def _enforced(
        self, ctx: ToolCallContext, denial: Denial | None, judge: Callable[[Plan], Denial | None]
    ) -> Denial | None:
        """Return the denial by the first rule that is not only monitored.

        Args:
            ctx: the call.
            denial: the denial by the first rule of all.
            judge: gives the denial by a plan that some rules were left out of.
        """
        passed: frozenset[str] = frozenset()
        while denial is not None and not ctx.enforces(_abort(denial)):
            passed |= {denial.rule}
            denial = judge(self._without(passed).plan((str(ctx.tool_name), *tool_aliases(ctx))))
        return denial

    def _planner_without(self, names: frozenset[str]) -> Planner:
        rules = [rule for rule in self._rules if rule.name not in names]
        return Planner(rules, "allow" if DEFAULT in names else self._settings.unlisted)


def _abort(denial: Denial) -> HookAborted:
    return HookAborted(denial.reason, _NAME, denial.message, denial.rule)


def _shown(arguments: object) -> str:
    """Return arguments as a person sees them: on one line, in ASCII; a cut is told."""
    try:
        text = json.dumps(arguments, default=repr).replace("\x7f", "\\u007f")
    except (TypeError, ValueError, RecursionError):
        return "arguments that cannot be shown"
    left = len(text) - _MOST_SHOWN
    return text if left <= 0 else f"{text[:_MOST_SHOWN]} and {left} characters more"
