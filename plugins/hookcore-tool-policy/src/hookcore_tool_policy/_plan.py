"""What the rules come to for one tool name: the part of a judgement that can be remembered."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ._names import ToolName

if TYPE_CHECKING:
    from ._globs import Glob
    from ._rules import Effect, Rule

_PRESENTABLE: Final = re.compile(r"[A-Za-z0-9_.:/-]{1,64}")


@dataclass(frozen=True, slots=True)
class Denial:
    """Why a call is not let through.

    Args:
        reason: for operators; names the rule, and nothing that a model wrote.
        message: for the model and end users; names the tool, and no rule.
    """

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is left to decide once the tool's name is known.

    Args:
        denies: the deny rules to try, each with what it answers, before anything else.
        allows: the allow rules to try next; one that holds lets the call through.
        otherwise: the answer when none did; None lets the call through.
    """

    denies: tuple[tuple[Rule, Denial], ...] = ()
    allows: tuple[Rule, ...] = ()
    otherwise: Denial | None = None

    def judge(self, arguments: object) -> Denial | None:
        """Return why a call with these arguments is denied, or None if it is let through."""
        for rule, denial in self.denies:
            if rule.denies(arguments):
                return denial
        for rule in self.allows:
            if rule.allows(arguments):
                return None
        return self.otherwise


class Planner:
    """Makes the plan for a tool name.

    Args:
        rules: the compiled rules, in order.
        default: what happens to tools that no rule names.
    """

    def __init__(self, rules: list[Rule], default: Effect) -> None:
        self._default = default
        self._denies = [rule for rule in rules if rule.effect == "deny"]
        self._allows = [rule for rule in rules if rule.effect == "allow"]

    def plan(self, text: str) -> Plan:
        """Return the plan for the tool whose name is ``text``, as the model wrote it."""
        name = ToolName(text)
        if name.utf8 is None:
            return Plan(otherwise=Denial("the tool's name is not valid text", _NAMELESS))
        denies = [rule for rule in self._denies if _any_form(rule.globs, name)]
        unconditional = next((rule for rule in denies if not rule.conditions), None)
        if unconditional is not None:
            return Plan(otherwise=_denied_by(unconditional, name))
        tried = tuple((rule, _denied_by(rule, name)) for rule in denies)
        allows = [rule for rule in self._allows if _as_written(rule.globs, name)]
        if not all(rule.conditions for rule in allows):
            return Plan(tried)
        return Plan(tried, tuple(allows), self._fallback(allows, name))

    def _fallback(self, allows: list[Rule], name: ToolName) -> Denial | None:
        """Return the answer for a call that no allow rule lets through."""
        if allows:
            places = ", ".join(_labelled(rule) for rule in allows)
            return Denial(f"no allow rule holds: {places}", _with_arguments(name))
        named = [rule for rule in self._allows if _any_form(rule.globs, name)]
        # Another spelling of a restricted name must not make it an unlisted tool.
        if self._default == "allow" and not any(rule.conditions for rule in named):
            return None
        if named:
            reason = f"{named[0].where} allows the tool only when its name is spelled as listed"
        else:
            reason = 'the tool is not listed, and default is "deny"'
        return Denial(reason, _not_allowed(name))


def _any_form(globs: tuple[Glob, ...], name: ToolName) -> bool:
    return any(glob.matches_any_form(name) for glob in globs)


def _as_written(globs: tuple[Glob, ...], name: ToolName) -> bool:
    return any(glob.matches_as_written(name) for glob in globs)


def _labelled(rule: Rule) -> str:
    return f"{rule.where} ({rule.reason})" if rule.reason else rule.where


def _denied_by(rule: Rule, name: ToolName) -> Denial:
    message = _with_arguments(name) if rule.conditions else _not_allowed(name)
    return Denial(rule.reason or f"denied by {rule.where}", message)


_NAMELESS: Final = "a tool with this name is not allowed by policy"


def _not_allowed(name: ToolName) -> str:
    return f"the tool {_presentable(name)} is not allowed by policy"


def _with_arguments(name: ToolName) -> str:
    return f"the tool {_presentable(name)} is not allowed by policy with these arguments"


def _presentable(name: ToolName) -> str:
    """Return the name, or its sanitised form: a message must not carry a model's prose."""
    if _PRESENTABLE.fullmatch(name.text):
        return name.text
    return name.plain[:64] or "of that name"
