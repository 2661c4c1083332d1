"""Settings made ready to judge with: globs, paths and expressions compiled once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from ._globs import Glob
from ._paths import MISSING, OPAQUE, ArgumentPath
from ._regex import Regex, to_utf8
from ._values import UnreadableError, canonical_json, leaves_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Effect = Literal["allow", "deny"]


class RuleSource(Protocol):
    """What a rule of the settings has."""

    @property
    def effect(self) -> Effect: ...
    @property
    def tools(self) -> Sequence[str]: ...
    @property
    def arguments(self) -> Mapping[str, str] | None: ...
    @property
    def reason(self) -> str | None: ...


class SettingsSource(Protocol):
    """What the settings have."""

    @property
    def allow(self) -> Sequence[str]: ...
    @property
    def deny(self) -> Sequence[str]: ...
    @property
    def rules(self) -> Sequence[RuleSource]: ...


@dataclass(frozen=True, slots=True)
class Condition:
    """What a rule demands of the value, or values, at one path of the arguments."""

    path: ArgumentPath
    regex: Regex

    @property
    def key(self) -> tuple[object, str]:
        """What makes two conditions the same: where they look and what for."""
        return (self.path.steps, self.regex.pattern)

    def holds_for_deny(self, arguments: object) -> bool:
        """Return whether any value at the path matches, or cannot be read."""
        return any(self._denies(value) for value in self.path.values_in(arguments))

    def holds_for_allow(self, arguments: object) -> bool:
        """Return whether every branch of the path has a value, and every value matches."""
        return all(self._allows(value) for value in self.path.values_in(arguments))

    def _denies(self, value: object) -> bool:
        if value is MISSING:
            return False
        if value is OPAQUE:
            return True
        text = _text(value)
        return text is None or self.regex.found_in(text) or self._denies_inside(value)

    def _denies_inside(self, value: object) -> bool:
        """Return whether a leaf of a list or table matches: wrapping a value must not hide it."""
        if not isinstance(value, list | tuple | Mapping):
            return False
        return any(self.regex.found_in(text.encode("utf-8")) for text in leaves_in(value))

    def _allows(self, value: object) -> bool:
        if value is MISSING or value is OPAQUE:
            return False
        text = _text(value)
        return text is not None and self.regex.found_in(text)


def _text(value: object) -> bytes | None:
    """Return what is searched for ``value``, or None if it cannot be read."""
    if isinstance(value, str):
        return to_utf8(value)
    try:
        return to_utf8(canonical_json(value))
    except UnreadableError:
        return None


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; an entry of the ``allow`` or ``deny`` list is a rule without conditions."""

    effect: Effect
    globs: tuple[Glob, ...]
    where: str
    conditions: tuple[Condition, ...] = ()
    reason: str | None = None
    condition_keys: frozenset[tuple[object, str]] = field(init=False)

    def __post_init__(self) -> None:
        keys = frozenset(condition.key for condition in self.conditions)
        object.__setattr__(self, "condition_keys", keys)

    def denies(self, arguments: object) -> bool:
        """Return whether this deny rule's conditions all hold for the arguments."""
        return all(condition.holds_for_deny(arguments) for condition in self.conditions)

    def allows(self, arguments: object) -> bool:
        """Return whether this allow rule's conditions all hold for the arguments."""
        return all(condition.holds_for_allow(arguments) for condition in self.conditions)


def compile_rules(settings: SettingsSource) -> tuple[list[Rule], list[str]]:
    """Compile the two lists and the rules.

    Args:
        settings: the ``deny`` and ``allow`` lists and the ``rules``.

    Returns:
        The rules in the order deny list, allow list, rules; and one sentence for each thing that
        cannot be compiled, naming where it stands. What it names is left out of the rules.
    """
    problems: list[str] = []
    rules: list[Rule] = []
    lists: tuple[tuple[Effect, Sequence[str]], ...] = (
        ("deny", settings.deny),
        ("allow", settings.allow),
    )
    for effect, patterns in lists:
        for index, text in enumerate(patterns):
            globs = _globs([text], f"{effect}[{index}]", problems, numbered=False)
            if globs:
                rules.append(Rule(effect, globs, f'{effect}[{index}] ("{text}")'))
    for index, source in enumerate(settings.rules):
        rules.extend(_rule(source, f"rules[{index}]", problems))
    return rules, problems


def _rule(source: RuleSource, where: str, problems: list[str]) -> Iterator[Rule]:
    globs = _globs(source.tools, f"{where}.tools", problems, numbered=True)
    conditions = tuple(_conditions(source, where, problems))
    if not source.tools:
        problems.append(f'{where} can never act: tools = [] matches no tool; write ["*"] for all')
    if source.arguments is not None and not source.arguments:
        problems.append(
            f"{where}.arguments is empty: leave it out to judge by the tool's name only"
        )
    if source.reason is not None and not source.reason.strip():
        problems.append(f"{where}.reason is empty: leave it out, or say why")
    whole = len(globs) == len(source.tools) and len(conditions) == len(source.arguments or {})
    if whole and globs:
        yield Rule(source.effect, globs, where, conditions, source.reason)


def _globs(
    patterns: Sequence[str], where: str, problems: list[str], *, numbered: bool
) -> tuple[Glob, ...]:
    globs: list[Glob] = []
    for index, text in enumerate(patterns):
        place = f"{where}[{index}]" if numbered else where
        if text in patterns[:index]:
            problems.append(f'{place} ("{text}") can never act: it repeats an earlier entry')
            continue
        try:
            globs.append(Glob(text))
        except ValueError as error:
            problems.append(f"{place}: the pattern {text!r} matches no tool: {error}")
    return tuple(globs)


def _conditions(source: RuleSource, where: str, problems: list[str]) -> Iterator[Condition]:
    for path, pattern in (source.arguments or {}).items():
        place = f"{where}.arguments[{path!r}]"
        try:
            parsed = ArgumentPath(path)
        except ValueError as error:
            problems.append(f"{place}: the path can never be followed: {error}")
            continue
        if not pattern:
            problems.append(f'{place}: an empty expression; write "^" for any value at all')
            continue
        try:
            # A line break must not carry a text past a deny rule, nor into an allow rule.
            regex = Regex(pattern, dot_matches_newline=source.effect == "deny")
        except ValueError as error:
            problems.append(f"{place}: the expression {pattern!r} does not compile: {error}")
            continue
        yield Condition(parsed, regex)
