"""The judgement of one command: rules first, then presets, for every segment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from ._findings import Finding, Place
from ._names import names
from ._rules import Rule
from .commands import Segment, Word
from .presets import PresetName, preset_named

OPAQUE: Final = "opaque"
"""The name of what decides about commands that cannot be known."""
_SHOWN: Final = re.compile(r"[\w.+@:\[-]{1,40}")
_SUBCOMMANDS: Final = names(
    "git docker podman npm pnpm yarn pip pip3 uv cargo go kubectl helm terraform gh aws poetry "
    "systemctl apt apt-get brew make"
)
_UNREADABLE: Final = "Write it simpler, one plain command at a time, or use a tool for files."
_UNKNOWN: Final = "Write out what is to run, or save it to a file and run that by name."


class Verdict(NamedTuple):
    """The judgement on a command, and its reason.

    Args:
        effect: ``deny`` or ``ask``.
        reason: for operators: the preset or the rule, and nothing that a model wrote.
        message: for the model: the segment, and a way that works.
        rule: the preset or the rule by its name alone, by which denials are counted.
    """

    effect: Literal["deny", "ask"]
    reason: str
    message: str
    rule: str = OPAQUE


class Policy(NamedTuple):
    """The settings that a judgement needs.

    Args:
        presets: the presets in force.
        rules: the operator's rules.
        on_match: what happens to what a preset forbids.
        opaque: what happens to what cannot be known.
        passed: the names of presets and rules that stop nothing, since they are only monitored.
    """

    presets: Sequence[PresetName]
    rules: Sequence[Rule]
    on_match: Literal["deny", "ask"]
    opaque: Literal["deny", "ask"]
    passed: frozenset[str] = frozenset()

    def judge(self, segments: Sequence[Segment], place: Place) -> Verdict | None:
        """Return the worst verdict on the segments of a command; None lets it through.

        Args:
            segments: the command's segments.
            place: the surroundings of the call.
        """
        asked: Verdict | None = None
        for index, segment in enumerate(segments):
            verdict = self._segment(segment, index, len(segments), place)
            if verdict is not None and verdict.effect == "deny":
                return verdict
            asked = asked or verdict
        return asked

    def _segment(self, segment: Segment, index: int, count: int, place: Place) -> Verdict | None:
        where = _where(segment, index, count)
        matching = [rule for rule in self.rules if rule.matches(segment)]
        for effect in ("deny", "ask"):
            for rule in matching:
                if rule.effect == effect and rule.where not in self.passed:
                    return _ruled(rule, effect, where)
        allowed = any(rule.effect == "allow" for rule in matching) and not segment.unreadable
        for name in self.presets:
            verdict = self._preset(name, segment, where, place, allowed=allowed)
            if verdict is not None:
                return verdict
        if not self.presets and segment.opaque and not allowed:
            return self._opaque(segment, "none", where)
        return None

    def _preset(
        self, name: PresetName, segment: Segment, where: str, place: Place, *, allowed: bool
    ) -> Verdict | None:
        preset = preset_named(name)
        found = preset.around(segment, place)
        if found is None and not allowed:
            if segment.opaque:
                nameless = segment.program is None and not segment.unreadable
                judge = preset.unknown_program if nameless else None
                passes = judge is not None and judge(segment, place) is None
                return None if passes else self._opaque(segment, name, where)
            found = preset.program(segment, place)
        if found is None or preset_rule(name) in self.passed:
            return None
        return self._found(found, name, where)

    def _found(self, found: Finding, preset: str, where: str) -> Verdict:
        reason = f"preset {preset}: a segment {found.what}"
        message = f"{where} {found.what}. {found.advice}"
        return Verdict(self.on_match, reason, message, preset_rule(preset))

    def _opaque(self, segment: Segment, preset: str, where: str) -> Verdict | None:
        if OPAQUE in self.passed:
            return None
        reason = f"preset {preset}: opaque: {segment.opaque}"
        if segment.unreadable:
            message = f"the command could not be read: {segment.opaque}. {_UNREADABLE}"
        else:
            message = f"{where} cannot be judged: {segment.opaque}. {_UNKNOWN}"
        return Verdict(self.opaque, reason, message)


def preset_rule(preset: str) -> str:
    """Return the name that a preset has as a rule."""
    return f"preset {preset}"


def foreign(effect: Literal["deny", "ask"]) -> Verdict:
    """Return the verdict on a command for another shell than bash.

    Args:
        effect: what happens to what cannot be known.
    """
    return Verdict(
        effect,
        "opaque: a command for another shell than bash",
        "commands for this shell cannot be judged. Use the bash tool, or a tool for files.",
    )


def _ruled(rule: Rule, effect: Literal["deny", "ask"], where: str) -> Verdict:
    reason = f"{rule.where}: {rule.reason}" if rule.reason else f"{rule.where} ({effect})"
    return Verdict(
        effect,
        reason,
        f"{where} is not allowed in this workspace. Do without it, or leave it to a person.",
        rule.where,
    )


def _where(segment: Segment, index: int, count: int) -> str:
    """Name a segment: its place, its program and, for some, its subcommand; no other words."""
    place = f"segment {index + 1} of {count}" if count > 1 else "the command"
    program = segment.program
    if program is None or not _SHOWN.fullmatch(program):
        return place
    if program == ":":
        return f"{place} (a redirection or an assignment)"
    return f"{place}, `{program}{_subcommand(program, segment.words)}`,"


def _subcommand(program: str, words: Sequence[Word]) -> str:
    if program not in _SUBCOMMANDS:
        return ""
    first = next((word.text for word in words if not word.raw.startswith("-")), None)
    plain = first is not None and re.fullmatch(r"[a-z][a-z-]{1,20}", first)
    return f" {first}" if plain else ""
