"""The plan of the rules for one tool name: the part of a judgement that can be remembered."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from hookcore import NamePatterns, sanitize_tool_name, to_utf8

from ._search import Choice, searches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._rules import Effect, Rule

DEFAULT: Final = "default"
"""The name of what decides about tools that no rule is about."""
NAMELESS: Final = "name"
"""The name of what denies calls whose tool has no proper name."""
_PRESENTABLE: Final = re.compile(r"[A-Za-z0-9_.:/-]{1,64}")


@dataclass(frozen=True, slots=True)
class Denial:
    """The reason why a call is not let through.

    Args:
        reason: for operators; names the rule, and nothing that a model wrote.
        message: for the model and end users; names the tool, and no rule.
        effect: ``deny``, or ``ask``: unless a person says yes.
        rule: the rule that says so, as it is called; ``default`` where none is about the tool, and
            ``name`` where the name is none.
    """

    reason: str
    message: str
    effect: Literal["deny", "ask"] = "deny"
    rule: str = DEFAULT


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a tool: what is left to decide once its name is known.

    Args:
        name: the tool's name, as the model wrote it.
        denies: the deny rules to try, before anything else.
        allows: the allow rules to try next; one that holds lets the call through.
        otherwise: the answer when none did; None lets the call through.
        asks: the ask rules to try on what is let through.
        asked: the answer when any call of the tool is to be asked about.
        is_unlisted: whether no allow rule names the tool: then asking is enough.
    """

    name: str
    denies: Choice | None = None
    allows: Choice | None = None
    otherwise: Denial | None = None
    asks: Choice | None = None
    asked: Denial | None = None
    is_unlisted: bool = False

    @property
    def always(self) -> Denial | None:
        """The denial of every call, whatever its arguments; None if some may be let through."""
        may_be_asked = self.is_unlisted and (self.asks is not None or self.asked is not None)
        return self.otherwise if self.allows is None and not may_be_asked else None

    def judge(self, arguments: object) -> Denial | None:
        """Return why a call with these arguments is denied, or None if it is let through."""
        if self.denies is not None:
            rule = self.denies.first(arguments)
            if rule is not None:
                return _denied_by(rule, self.name)
        denial = self.otherwise
        if self.allows is not None and self.allows.first(arguments) is not None:
            denial = None
        if denial is not None and not self.is_unlisted:
            return denial
        return self._question(arguments) or denial

    def _question(self, arguments: object) -> Denial | None:
        if self.asked is None and self.asks is not None:
            rule = self.asks.first(arguments)
            return None if rule is None else _asked_by(rule, self.name)
        return self.asked


class Planner:
    """Makes the plan for a tool name.

    Args:
        rules: the compiled rules, in order.
        default: what happens to tools that no rule names.
    """

    def __init__(self, rules: Sequence[Rule], default: Effect) -> None:
        self._default = default
        self._denies = _Named([rule for rule in rules if rule.effect == "deny"])
        self._asks = _Named([rule for rule in rules if rule.effect == "ask"])
        self._allows = _Named([rule for rule in rules if rule.effect == "allow"])
        self._deny_searches = searches(self._denies.rules, "deny")
        self._ask_searches = searches(self._asks.rules, "ask")
        self._allow_searches = searches(self._allows.rules, "allow")

    def plan(self, names: tuple[str, ...]) -> Plan:
        """Return the plan for a tool.

        Args:
            names: the tool's name as the model wrote it, then others that it is known by.
        """
        name = names[0]
        if to_utf8(name) is None:
            why = "the tool's name is not valid text"
            return Plan(name, otherwise=Denial(why, _NAMELESS, rule=NAMELESS))
        denies = self._denies.matching(names)
        unconditional = next((rule for rule in denies if not rule.conditions), None)
        if unconditional is not None:
            return Plan(name, otherwise=_denied_by(unconditional, name))
        tried = Choice(denies, self._deny_searches) if denies else None
        allows = self._allows.matching(names, as_written=True)
        if not all(rule.conditions for rule in allows):
            return self._asking(Plan(name, tried), names)
        choice = Choice(allows, self._allow_searches) if allows else None
        return self._asking(Plan(name, tried, choice, self._fallback(allows, names)), names)

    def _asking(self, plan: Plan, names: tuple[str, ...]) -> Plan:
        """Return a plan with the ask rules that are about a tool."""
        asks = self._asks.matching(names)
        if not asks:
            return plan
        always = next((rule for rule in asks if not rule.conditions), None)
        return replace(
            plan,
            asks=Choice(asks, self._ask_searches) if always is None else None,
            asked=None if always is None else _asked_by(always, plan.name),
            is_unlisted=not self._allows.matching(names),
        )

    def _fallback(self, allows: Sequence[Rule], names: tuple[str, ...]) -> Denial | None:
        """Return the answer for a call that no allow rule lets through."""
        name = names[0]
        if allows:
            places = ", ".join(_labelled(rule) for rule in allows)
            rule = ", ".join(rule.name for rule in allows)
            return Denial(f"no allow rule holds: {places}", _with_arguments(name), rule=rule)
        named = self._allows.matching(names)
        # Another spelling of a restricted name must not make it an unlisted tool.
        if self._default == "allow" and not any(rule.conditions for rule in named):
            return None
        if named:
            reason = f"{named[0].where} allows the tool only when its name is spelled as listed"
            return Denial(reason, _not_allowed(name), rule=named[0].name)
        return Denial('the tool is not listed, and default is "deny"', _not_allowed(name))


class _Named:
    """Rules, found by the name of a tool that they are about."""

    def __init__(self, rules: list[Rule]) -> None:
        self.rules = rules
        self._owners = [rule for rule in rules for _ in rule.tools]
        self._patterns = NamePatterns(pattern for rule in rules for pattern in rule.tools)

    def matching(self, names: tuple[str, ...], *, as_written: bool = False) -> list[Rule]:
        """Return the rules that are about a tool by one of its names, in their order."""
        found = (self._patterns.matching(name, as_written=as_written) for name in names)
        places = sorted(set().union(*found))
        return list({id(rule): rule for rule in map(self._owners.__getitem__, places)}.values())


def _labelled(rule: Rule) -> str:
    return f"{rule.where} ({rule.reason})" if rule.reason else rule.where


def _denied_by(rule: Rule, name: str) -> Denial:
    message = _with_arguments(name) if rule.conditions else _not_allowed(name)
    return Denial(rule.reason or f"denied by {rule.where}", message, rule=rule.name)


def _asked_by(rule: Rule, name: str) -> Denial:
    message = f"the tool {_presentable(name)} is not called unless a person agrees"
    return Denial(rule.reason or f"asked by {rule.where}", message, "ask", rule.name)


_NAMELESS: Final = "a tool with this name is not allowed by policy"


def _not_allowed(name: str) -> str:
    return f"the tool {_presentable(name)} is not allowed by policy"


def _with_arguments(name: str) -> str:
    return f"the tool {_presentable(name)} is not allowed by policy with these arguments"


def _presentable(name: str) -> str:
    """Return the name, or its sanitised form: a message must not carry a model's prose."""
    if _PRESENTABLE.fullmatch(name):
        return name
    return sanitize_tool_name(name) or "of that name"
