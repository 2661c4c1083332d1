"""One word of a shell command that is a path."""

from __future__ import annotations

import os
import re
from typing import Final

from hookcore_shell_guard import Word

from ._judge import Access, PathJudge
from ._made import Made
from ._patterns import PatternJudge, has_wildcard
from ._readings import plain_text
from ._refusals import Refusal

__all__ = ["LEADS_AWAY", "WordJudge"]

LEADS_AWAY: Final = re.compile(r"[/~]|\.\.(?:/|$)|.*/\.\.(?:/|$)", re.DOTALL)
"""Matches a text that names a place outside the working folder by itself."""

_FOLDER: Final = re.compile(r"""["']?\$(?:PWD|\{PWD\}|\(\s*pwd\s*\))"?((?:/[^$`"'\\*?\[{]*)?)"?""")
_SETS_FOLDER: Final = re.compile(r"(?<![${])\bPWD\b")


class WordJudge:
    """Checks the words of one command.

    Args:
        judge: what judges each path.
        command: the command.
        made: the names that the command makes before it comes to a word.
        unknown: whether a path that is only known when the command runs is let through.
    """

    __slots__ = ("_allow_unknown", "_judge", "_keeps_folder", "_made", "_patterns")

    def __init__(self, judge: PathJudge, command: str, made: Made, *, unknown: bool) -> None:
        self._judge = judge
        self._made = made
        self._patterns = PatternJudge(judge)
        self._allow_unknown = unknown
        self._keeps_folder = _SETS_FOLDER.search(command) is None

    def cannot_know(self, rule: str, path: object = None) -> None:
        """Refuse what is only known when the command runs, unless the settings let it through.

        Raises:
            Refusal: they do not.
        """
        if not self._allow_unknown:
            raise Refusal(rule, path)

    def paths(self, word: Word, folder: str | None) -> list[tuple[str, bool]]:
        """Return the paths that a word stands for.

        Args:
            word: the word.
            folder: the place of the working folder; None when it is not known.

        Returns:
            Each with whether it is a pattern. Without values: none, which is for the caller to
            judge.

        Raises:
            Refusal: a value is no path that can be judged.
        """
        if not word.values:
            found = _FOLDER.fullmatch(word.raw) if self._keeps_folder else None
            return [(folder + found[1], False)] if found and folder else []
        return [
            (_literal(value, folder, home=word.home), _is_pattern(word, value))
            for value in dict.fromkeys(word.values)
            if value
        ]

    def check(self, word: Word, access: Access, folder: str | None) -> None:
        """Check every path that a word stands for.

        Args:
            word: the word.
            access: what is done with it.
            folder: the place that a relative path begins in; None when it is not known.

        Raises:
            Refusal: it may not be used so, or is not known.
        """
        paths = self.paths(word, folder)
        if not paths and not word.values and not _is_stream(word):
            self.cannot_know("unknown", word.raw)
        for path, is_pattern in paths:
            if path[0] != "/" and folder is None:
                self.cannot_know("unknown", word.raw)
            elif is_pattern:
                start = folder or "/"
                self._patterns.check(path, access, start, word.raw, hidden=False, deep=False)
            else:
                self.settle(path, access, folder or "/", word.raw)

    def settle(self, path: str, access: Access, folder: str, text: str) -> str:
        """Check one path, and what it will be when the command makes it; return its place.

        Raises:
            Refusal: it may not be used so.
        """
        place = self._judge.settle(path, access, folder, text)
        if self._made:
            self._judge.settle(path, access, folder, text, self._made.look)
        return place

    def check_text(self, path: str, access: Access, folder: str | None) -> None:
        """Check a path that stands in the text of a script.

        Raises:
            Refusal: it may not be used so.
        """
        self.check(Word(path, (path,), home=path.startswith("~")), access, folder)


def _is_pattern(word: Word, value: str) -> bool:
    """Tell whether the shell may put file names in the place of a value."""
    return word.glob and has_wildcard(value)


def _literal(value: str, folder: str | None, *, home: bool) -> str:
    """Return the path that the shell hands on."""
    plain_text(value)
    if not home or value[0] != "~":
        return value
    name, slash, rest = value.partition("/")
    if name == "~":
        expanded = os.path.expanduser("~")  # noqa: PTH111 - a string, as every path here
        if expanded[0] == "/":
            return expanded + slash + rest
    if name == "~+" and folder is not None:
        return folder + slash + rest
    raise Refusal("user", value)


def _is_stream(word: Word) -> bool:
    """Tell whether a word is a process substitution, or a name that find puts in."""
    return word.raw.startswith(("<(", ">("))
