"""Patterns for names: alternatives in braces, and what wildcards match at the moment."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from typing import Final

from ._judge import Access, PathJudge
from ._readings import plain_text, readings
from ._refusals import Refusal

__all__ = ["PatternJudge", "alternatives", "has_wildcard"]

MAX_ALTERNATIVES: Final = 256
MAX_MATCHES: Final = 1_000
MAX_ENTRIES: Final = 50_000
_WILD: Final = re.compile(r"[*?\[]")
_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_SEQUENCE: Final = re.compile(r"[A-Za-z0-9+-]+\.\.[A-Za-z0-9+-]+(?:\.\.[0-9+-]+)?")


def has_wildcard(text: str) -> bool:
    """Tell whether a text holds a wildcard."""
    return _WILD.search(text) is not None


def alternatives(pattern: str) -> list[str]:
    """Return the patterns that the braces of a pattern stand for.

    ``{a,b}`` stands for each of them, ``{1..9}`` for whatever; other braces are plain text.

    Raises:
        Refusal: they are more than can be looked at.
    """
    if "{" not in pattern:
        return [pattern]
    done: list[str] = []
    todo = [pattern]
    # Marks stand for braces that are plain text; control characters were refused before.
    while todo:
        text = todo.pop()
        found = _BRACES.search(text)
        if found is None:
            done.append(text.replace("\x01", "{").replace("\x02", "}"))
        else:
            head, inner, tail = text[: found.start()], found[1], text[found.end() :]
            if "," in inner:
                todo += [f"{head}{part}{tail}" for part in inner.split(",")]
            elif _SEQUENCE.fullmatch(inner):
                todo.append(f"{head}*{tail}")
            else:
                todo.append(f"{head}\x01{inner}\x02{tail}")
        if len(todo) + len(done) > MAX_ALTERNATIVES:
            raise Refusal("many", pattern)
    return list(dict.fromkeys(done))


class PatternJudge:
    """Checks patterns, within one limit for all those of a call.

    Args:
        judge: what judges each path.
    """

    __slots__ = ("_entries", "_judge", "_matches")

    def __init__(self, judge: PathJudge) -> None:
        self._judge = judge
        self._entries = self._matches = 0

    def check_text(self, text: object, access: Access, start: str) -> None:
        """Check a pattern that a tool takes as an argument, with braces and ``**``.

        Args:
            text: the pattern as the model wrote it.
            access: what is done with the matches.
            start: the place that a relative pattern begins in.

        Raises:
            Refusal: a path that the pattern stands for may not be used so.
        """
        pattern = plain_text(text)
        for alternative in alternatives(pattern):
            for form in readings(alternative):
                self.check(form, access, start, pattern, hidden=True, deep=True)

    def check(
        self, pattern: str, access: Access, start: str, text: str, *, hidden: bool, deep: bool
    ) -> None:
        """Check every path that a pattern without braces stands for now.

        Args:
            pattern: the pattern, read in one way only.
            access: what is done with the matches.
            start: the place that a relative pattern begins in.
            text: the pattern as the model wrote it, for a message.
            hidden: whether wildcards match a dot at the beginning of a name.
            deep: whether ``**`` stands for folders at any depth, without following links there.

        Raises:
            Refusal: a match may not be used so, the pattern can lead up, or it matches too much.
        """
        parts = pattern.split("/")
        first = next((i for i, part in enumerate(parts) if has_wildcard(part)), len(parts))
        rest = [part for part in parts[first:] if part not in {"", "."}]
        if ".." in rest or any(_may_lead_up(part) for part in rest):
            raise Refusal("pattern", text)
        if not rest:
            self._judge.settle(pattern, access, start, text)
            return
        fixed = "/".join(parts[:first]) + "/" if first else "."
        # What a folder on the way holds may change, not the folder itself.
        through = Access(write=access.write)
        folder = self._judge.settle(fixed, through, start, text)
        matches = _Matches(self, text, access, through, hidden, deep)
        matches.check(folder, rest)

    def settle(self, path: str, access: Access, text: str) -> str:
        """Check one match, unless there were too many."""
        self._matches += 1
        if self._matches > MAX_MATCHES:
            raise Refusal("many", text)
        return self._judge.settle(path, access, "/", text)

    def count_entry(self, text: str) -> None:
        """Count an entry of a folder that was looked at."""
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            raise Refusal("many", text)

    def is_suspect(self, name: str) -> bool:
        """Tell whether an entry of a checked folder can be protected by its name."""
        return self._judge.is_suspect(name)


@dataclass(frozen=True, slots=True)
class _Matches:
    """The matcher of one pattern's components."""

    judge: PatternJudge
    text: str
    access: Access
    through: Access
    hidden: bool
    deep: bool

    def check(self, folder: str, parts: list[str]) -> None:
        """Check what these components match in a folder that was checked itself."""
        part, rest = parts[0], parts[1:]
        if part == "**" and self.deep:
            return
        for name, is_link in self._entries_of(folder, part):
            path = f"{folder}/{name}"
            if rest:
                place = self.judge.settle(path, self.through, self.text)
                if os.path.isdir(place):  # noqa: PTH112 - a string, as every path here
                    self.check(place, rest)
            elif is_link or self.judge.is_suspect(name) or self.access.whole:
                self.judge.settle(path, self.access, self.text)

    def _entries_of(self, folder: str, part: str) -> Iterator[tuple[str, bool]]:
        """Yield the names in a folder that one component matches, and whether each is a link."""
        if not has_wildcard(part):
            path = f"{folder}/{part}"
            if os.path.lexists(path):
                yield part, os.path.islink(path)  # noqa: PTH114 - a string, as every path here
            return
        matches = _compiled(part)
        with_dots = self.hidden or part[0] in ".["
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self.judge.count_entry(self.text)
                    name = entry.name
                    if matches.match(name) and (with_dots or name[0] != "."):
                        yield name, entry.is_symlink()
        except OSError:
            # No folder, or nobody may list it: nothing matches there.
            return


@lru_cache(256)
def _compiled(part: str) -> re.Pattern[str]:
    return re.compile(translate(part.replace("[^", "[!")), re.DOTALL)


def _may_lead_up(part: str) -> bool:
    """Tell whether some shell would match ``..`` with a component."""
    return has_wildcard(part) and part[0] not in "*?" and bool(_compiled(part).match(".."))
