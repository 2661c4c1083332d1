"""The operator's own rules: by program, operands and options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ._git import git_of
from ._names import names
from ._operands import command_at
from ._wrappers import CONTAINER_LONG, CONTAINERS
from .commands import Segment, Word

Effect = Literal["allow", "ask", "deny"]


class RuleSource(Protocol):
    """A rule as the settings hold it."""

    @property
    def effect(self) -> Effect:
        """The rule's effect."""

    @property
    def program(self) -> str:
        """The program's name."""

    @property
    def args(self) -> list[str]:
        """Patterns for the first operands."""

    @property
    def options(self) -> list[str]:
        """The options of which one must be given."""

    @property
    def reason(self) -> str | None:
        """The operator's reason."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A compiled rule.

    Args:
        effect: what it does to a segment that it matches.
        where: its place in the settings, for operators.
        program: the program's name.
        args: for each of the first operands, the texts that it may be.
        options: the options of which one must be given.
        reason: the operator's own words, if any.
    """

    effect: Effect
    where: str
    program: str
    args: tuple[tuple[str, ...], ...]
    options: tuple[str, ...]
    reason: str | None

    def matches(self, segment: Segment) -> bool:
        """Return True when the rule is about a segment.

        A word that is not known matches a deny or ask rule and never an allow rule.

        Args:
            segment: any segment.
        """
        strict = self.effect == "allow"
        program = segment.program
        words: Sequence[Word] = segment.words
        git = git_of(segment)
        if git is not None and program != "git" and self.program == "git":
            program, words = "git", [Word("", (git.name or "",)), *git.words]
        if program != self.program:
            return False
        if strict and segment.more:
            return False
        operands = words[command_at(words, _SHORT.get(self.program, ""), _long(self.program)) :]
        if self.args and not self._operands_match(operands, strict=strict):
            return False
        return not self.options or any(
            _given(option, words, strict=strict) for option in self.options
        )

    def _operands_match(self, operands: Sequence[Word], *, strict: bool) -> bool:
        found = [word for word in operands if not (word.text or word.head).startswith("-")]
        if len(found) < len(self.args):
            return False
        for word, allowed in zip(found, self.args, strict=False):
            if not word.values:
                if strict:
                    return False
            elif strict:
                if not all("*" in allowed or text in allowed for text in word.values):
                    return False
            elif not any("*" in allowed or text in allowed for text in word.values):
                return False
        return True

    def covers(self, other: Rule) -> bool:
        """Return True when every segment that another rule matches is matched by this one."""
        if self.program != other.program:
            return False
        if len(self.args) > len(other.args):
            return False
        for mine, theirs in zip(self.args, other.args, strict=False):
            if "*" not in mine and not set(theirs) <= set(mine):
                return False
        return not self.options or (bool(other.options) and set(other.options) <= set(self.options))


_SHORT = {"git": "Cc", "docker": "cHl", "kubectl": "n", "npm": "C", "make": "Cf", "gh": "R"}


def _long(program: str) -> frozenset[str]:
    if program == "git":
        return names("--git-dir --work-tree --namespace --config-env")
    return CONTAINER_LONG if program in CONTAINERS else frozenset()


def _given(option: str, words: Sequence[Word], *, strict: bool) -> bool:
    """Tell that an option is given: long ones also cut short, letters also in a cluster."""
    for word in words:
        for text in word.values or (word.head,):
            if text == "--":
                return False
            if text.split("=", 1)[0] == option or (not strict and _may_be(option, text)):
                return True
    return False


def _may_be(option: str, text: str) -> bool:
    if option.startswith("--"):
        return text.startswith("--") and bool(text[3:]) and option.startswith(text.split("=", 1)[0])
    cluster = re.fullmatch(r"-[A-Za-z0-9].*", text, re.DOTALL)
    return cluster is not None and option[1:] in text[1:]


def compile_rules(sources: Sequence[RuleSource]) -> tuple[list[Rule], list[str]]:
    """Compile rules.

    Args:
        sources: the rules, in order.

    Returns:
        The rules; and one sentence for each mistake, naming where it stands.
    """
    rules: list[Rule] = []
    problems: list[str] = []
    for index, source in enumerate(sources):
        where = f"rules[{index}]"
        rules.append(
            Rule(
                source.effect,
                where,
                source.program,
                tuple(tuple(text.split("|")) for text in source.args),
                tuple(source.options),
                source.reason,
            )
        )
        problems += _mistakes(source, where)
    problems += _dead(rules)
    return rules, problems


def _mistakes(source: RuleSource, where: str) -> list[str]:
    found: list[str] = []
    if not re.fullmatch(r"[\w.+@\[:-]+", source.program):
        found.append(
            f"{where}.program {source.program!r} can never match: write the program's name alone, "
            "and what follows it in args"
        )
    for place, text in enumerate(source.args):
        if not text or any(not choice or choice != choice.strip() for choice in text.split("|")):
            found.append(f"{where}.args[{place}] {text!r} has an empty choice or blanks around one")
        elif text.startswith("-"):
            found.append(f"{where}.args[{place}] {text!r} is an option: write it in options")
    for place, text in enumerate(source.options):
        if not re.fullmatch(r"-[A-Za-z0-9?#]|--?[A-Za-z0-9][\w.-]+", text):
            found.append(f"{where}.options[{place}] {text!r} is no option: write -x or --name")
    if source.reason is not None and not source.reason.strip():
        found.append(f"{where}.reason is empty: leave it out, or say why")
    return found


def _dead(rules: list[Rule]) -> list[str]:
    """Name the rules that can never act."""
    found: list[str] = []
    for index, rule in enumerate(rules):
        for other_index, other in enumerate(rules):
            if index == other_index or not other.covers(rule):
                continue
            stronger = _STRENGTH[other.effect] > _STRENGTH[rule.effect]
            repeated = other.effect == rule.effect and (
                not rule.covers(other) or other_index < index
            )
            if stronger or repeated:
                found.append(
                    f"{rule.where} can never act: {other.where} ({other.effect}) covers all that "
                    "it matches"
                )
                break
    return found


_STRENGTH = {"allow": 0, "ask": 1, "deny": 2}
