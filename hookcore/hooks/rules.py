"""The rules of a policy that the operator has put apart: monitored, rolled out, or for a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from typing import Any

from ..errors import RegistrationError
from ..naming.suggest import did_you_mean
from .options import RuleOptions
from .rollout import is_chosen

__all__ = ["RULE_NAMES", "Rules", "UnknownRuleError", "check_rules"]

RULE_NAMES = "rule_names"
"""The attribute of a plugin that tells the names of the rules of which it asks."""
_MOST_SHOWN = 20


class UnknownRuleError(RegistrationError):
    """An option is for a rule that the plugin does not have, or of which it does not ask."""

    def __init__(self, text: str, plugin: object, rule: str) -> None:
        super().__init__(text, plugin)
        self.rule = rule


class Rules:
    """The options of an operator for single rules of a plugin.

    Args:
        plugin: the plugin's name: the runs that a rule is enforced in are chosen by both names.
        options: the options, by the rule's name.
    """

    __slots__ = ("_options", "_plugin")

    def __init__(self, plugin: str, options: Mapping[str, RuleOptions]) -> None:
        self._plugin = plugin
        self._options = dict(options)

    def in_run(self, run: str | None) -> tuple[frozenset[str], frozenset[str]]:
        """Return the rules that are only monitored in a run, and those that have expired.

        Args:
            run: the run's id, else the session's.
        """
        today = datetime.now(timezone.utc).date()
        monitored, expired = set(), set()
        for name, said in self._options.items():
            if said.expires is not None and said.expires < today:
                expired.add(name)
            elif said.mode == "monitor" or not (
                said.rollout is None or is_chosen(f"{self._plugin}\0{name}", run, said.rollout)
            ):
                monitored.add(name)
        return frozenset(monitored), frozenset(expired)


def check_rules(plugin: Any, rules: Iterable[str], where: str) -> None:
    """Refuse options for rules that a plugin does not have, or of which it does not ask.

    Args:
        plugin: the plugin.
        rules: the names that the operator wrote.
        where: the plugin in words.

    Raises:
        UnknownRuleError: nothing would come of them.
    """
    wanted = list(rules)
    if not wanted:
        return
    known = getattr(plugin, RULE_NAMES, None)
    names = [str(name) for name in known] if isinstance(known, Iterable) else []
    for name in wanted:
        if name in names:
            continue
        if not names:
            raise UnknownRuleError(
                f"{where} tells no rules that could be put apart, so that rules.{name!r} means "
                "nothing to it: set mode, rollout or expires for the whole plugin",
                plugin,
                name,
            )
        shown = ", ".join(map(repr, names[:_MOST_SHOWN]))
        more = len(names) - _MOST_SHOWN
        raise UnknownRuleError(
            f"{where} has no rule {name!r}{did_you_mean(name, names)}; its rules are {shown}"
            + (f" and {more} more" if more > 0 else ""),
            plugin,
            name,
        )
