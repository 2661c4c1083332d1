"""Settings made ready to judge with: patterns, paths and expressions checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, Protocol

from hookcore import Regex, RegexError, check_name_pattern, to_utf8

from ._paths import ArgumentPath

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_NAME: Final = 256
"""The longest tool name that is judged, in characters; a longer one is denied."""

RESERVED: Final = frozenset({"default", "name"})
"""The names of what denies without a rule."""

Effect = Literal["allow", "ask", "deny"]


class RuleSource(Protocol):
    """The fields of a rule of the settings."""

    @property
    def effect(self) -> Effect: ...
    @property
    def tools(self) -> Sequence[str]: ...
    @property
    def arguments(self) -> Mapping[str, str] | None: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def name(self) -> str | None: ...


class SettingsSource(Protocol):
    """The fields of the settings."""

    @property
    def allow(self) -> Sequence[str]: ...
    @property
    def ask(self) -> Sequence[str]: ...
    @property
    def deny(self) -> Sequence[str]: ...
    @property
    def rules(self) -> Sequence[RuleSource]: ...


@dataclass(frozen=True, slots=True)
class Condition:
    """The demand of a rule on the value, or values, at one path of the arguments."""

    path: ArgumentPath
    expression: str

    @property
    def key(self) -> tuple[object, str]:
        """The identity of a condition: where it looks and what for."""
        return (self.path.steps, self.expression)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; an entry of the three lists is a rule without conditions."""

    effect: Effect
    tools: tuple[str, ...]
    where: str
    conditions: tuple[Condition, ...] = ()
    reason: str | None = None
    given: str | None = None
    """The name that the operator gave it; of an entry of a list, the list's and its own."""
    condition_keys: frozenset[tuple[object, str]] = field(init=False)

    def __post_init__(self) -> None:
        keys = frozenset(condition.key for condition in self.conditions)
        object.__setattr__(self, "condition_keys", keys)

    @property
    def name(self) -> str:
        """The rule as records, reports and the configuration name it."""
        return self.given or self.where


def compile_rules(settings: SettingsSource) -> tuple[list[Rule], list[str]]:
    """Compile the lists and the rules.

    Args:
        settings: the ``deny``, ``ask`` and ``allow`` lists and the ``rules``.

    Returns:
        The rules in the order deny list, ask list, allow list, rules; and one sentence for each
        thing that cannot be compiled, naming where it stands. What it names is left out.
    """
    problems: list[str] = []
    rules: list[Rule] = []
    lists: tuple[tuple[Effect, Sequence[str]], ...] = (
        ("deny", settings.deny),
        ("ask", settings.ask),
        ("allow", settings.allow),
    )
    for effect, patterns in lists:
        for index, text in enumerate(patterns):
            tools = _tools([text], f"{effect}[{index}]", problems, numbered=False)
            if tools:
                where = f'{effect}[{index}] ("{text}")'
                rules.append(Rule(effect, tools, where, given=f"{effect}:{text}"))
    for index, source in enumerate(settings.rules):
        rules.extend(_rule(source, f"rules[{index}]", problems))
    problems += _twice_named(settings.rules)
    return rules, problems


def _twice_named(rules: Sequence[RuleSource]) -> Iterator[str]:
    places: dict[str, int] = {}
    for index, rule in enumerate(rules):
        if rule.name is None:
            continue
        if not rule.name.strip():
            yield f"rules[{index}].name is empty: leave it out, or name the rule"
        if rule.name in RESERVED:
            yield f'rules[{index}].name is "{rule.name}", which stands for what no rule decides'
        first = places.setdefault(rule.name, index)
        if first != index:
            yield f"rules[{index}].name is also that of rules[{first}]: reports would mix them up"


def _rule(source: RuleSource, where: str, problems: list[str]) -> Iterator[Rule]:
    tools = _tools(source.tools, f"{where}.tools", problems, numbered=True)
    conditions = tuple(_conditions(source, where, problems))
    if not source.tools:
        problems.append(f'{where} can never act: tools = [] matches no tool; write ["*"] for all')
    if source.arguments is not None and not source.arguments:
        problems.append(
            f"{where}.arguments is empty: leave it out to judge by the tool's name only"
        )
    if source.reason is not None and not source.reason.strip():
        problems.append(f"{where}.reason is empty: leave it out, or say why")
    whole = len(tools) == len(source.tools) and len(conditions) == len(source.arguments or {})
    if whole and tools:
        yield Rule(source.effect, tools, where, conditions, source.reason, source.name)


def _tools(
    patterns: Sequence[str], where: str, problems: list[str], *, numbered: bool
) -> tuple[str, ...]:
    tools: dict[str, None] = {}
    seen: set[str] = set()
    for index, text in enumerate(patterns):
        place = f"{where}[{index}]" if numbered else where
        if text in seen:
            problems.append(f'{place} ("{text}") can never act: it repeats an earlier entry')
            continue
        seen.add(text)
        try:
            _check_pattern(text)
        except ValueError as error:
            problems.append(f"{place}: the pattern {text!r} matches no tool: {error}")
        else:
            tools[text] = None
    return tuple(tools)


def _check_pattern(text: str) -> None:
    if text != text.strip():
        raise ValueError("it has spaces around it")
    if to_utf8(text) is None:
        raise ValueError("it holds a lone surrogate, which no valid name contains")
    check_name_pattern(text, longest=MAX_NAME)


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
            Regex(pattern)
        except RegexError as error:
            problems.append(f"{place}: the expression {pattern!r} does not compile: {error}")
            continue
        yield Condition(parsed, pattern)
