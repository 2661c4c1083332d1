"""Moves, copies and links of a shell command: what new links lead to, and what gets new names."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from glob import iglob
from itertools import islice
from typing import Final

from hookcore_shell_guard import Word

from ._arguments import Argument
from ._judge import CHANGE
from ._made import Made
from ._names import names
from ._refusals import Refusal
from ._walk import walk
from ._words import WordJudge

__all__ = ["Links"]

MAX_MATCHES: Final = 1_000
_MAKERS: Final = names("mv cp ln link install ginstall rsync")


class Links:
    """Checks new links, and remembers new names.

    Args:
        words: what judges each word.
        made: where new names are remembered.
    """

    __slots__ = ("_made", "_words")

    def __init__(self, words: WordJudge, made: Made) -> None:
        self._words = words
        self._made = made

    def check(
        self, arguments: Sequence[Argument], given: AbstractSet[str], folder: str | None
    ) -> None:
        """Check what new symbolic links lead to: later commands write through them.

        Args:
            arguments: what the program does with its arguments.
            given: the names of its options.
            folder: the place of its working folder; None when it is not known.

        Raises:
            Refusal: a link would lead out of the write roots.
        """
        for kind, word in arguments:
            if kind != "s":
                continue
            if folder is None or not self._words.paths(word, folder):
                self._words.cannot_know("unknown", word.raw)
                continue
            relative = not given.isdisjoint({"r", "relative"})
            for target in self._expanded(word, folder):
                for place in self._places(arguments, folder) or [folder]:
                    start = folder if relative else _folder_of(place)
                    self._check_target(target, start, word.raw)

    def note(self, program: str, arguments: Sequence[Argument], folder: str | None) -> None:
        """Remember what a program puts where.

        Args:
            program: its name.
            arguments: what it does with its arguments.
            folder: the place of its working folder; None when it is not known.

        Raises:
            Refusal: it makes more than can be remembered.
        """
        if program == "mkdir" and folder is not None:
            for place in self._places(arguments, folder):
                self._made.folder(place)
        if program not in _MAKERS or folder is None:
            return
        into = self._places(arguments, folder) or [folder]
        for kind, word in arguments:
            if kind not in {"r", "d", "h", "s"}:
                continue
            for old in self._expanded(word, folder):
                for new in into:
                    if kind == "s":
                        self._made.link(new, old)
                    else:
                        self._made.add(new, walk(old, folder, follow=False))

    def _places(self, arguments: Sequence[Argument], folder: str) -> list[str]:
        """Return the places of a program's targets."""
        return [
            walk(path, folder)
            for kind, word in arguments
            if kind == "w"
            for path in self._expanded(word, folder)
        ]

    def _expanded(self, word: Word, folder: str) -> Iterator[str]:
        """Yield the paths that a word stands for now."""
        for path, is_pattern in self._words.paths(word, folder):
            yield path
            if is_pattern:
                found = list(islice(iglob(path, root_dir=folder), MAX_MATCHES + 1))  # noqa: PTH207 - as the shell
                if len(found) > MAX_MATCHES:
                    raise Refusal("many", word.raw)
                yield from found

    def _check_target(self, target: str, start: str, text: str) -> None:
        try:
            self._words.settle(target, CHANGE, start, text)
        except Refusal as refusal:
            rule = "target" if refusal.rule in {"write", "readonly"} else refusal.rule
            raise Refusal(rule, text) from refusal


def _folder_of(place: str) -> str:
    """Return the folder that a link to be made at a place, or in it, stands in."""
    return place if os.path.isdir(place) else posixpath.dirname(place)  # noqa: PTH112 - a string
