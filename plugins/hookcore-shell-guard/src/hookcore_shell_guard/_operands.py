"""Telling options from operands among a program's words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from ._names import names
from .commands import Word

COMPUTED: Final = Word("", ())
"""A word of which nothing is known."""

_GIT_LONG: Final = names("--git-dir --work-tree --namespace --super-prefix --config-env")


def command_at(words: Sequence[Word], short: str, long: Collection[str], skip: int = 0) -> int:
    """Return where the command of a wrapper begins.

    Args:
        words: the words after the wrapper.
        short: its one-letter options that take a value.
        long: its long options that take a value as a word of its own.
        skip: how many operands stand before the command.

    Returns:
        The index of the command's program, ``len(words)`` when there is none. A word that is not
        known counts as an operand: as a program it is opaque.
    """
    index = 0
    while index < len(words):
        word = words[index]
        text = word.text
        if text == "--":
            index += 1
            while skip and index < len(words):
                skip -= 1
                index += 1
            return index
        lead = text if text is not None else word.head
        if lead.startswith("--"):
            index += 2 if lead in long else 1
        elif lead[:1] in ("-", "+") and len(lead) > 1:
            index += 2 if takes_next(lead, short) else 1
        elif skip:
            skip -= 1
            index += 1
        else:
            return index
    return index


def takes_next(cluster: str, short: str) -> bool:
    """Return True when a cluster of one-letter options takes the next word as a value."""
    for place, letter in enumerate(cluster[1:], 1):
        if letter in short:
            return place == len(cluster) - 1
    return False


def option_value(words: Sequence[Word], letter: str, long: str, short: str = "") -> Word | None:
    """Return the value of an option, or None when it is not given.

    Args:
        words: the words after the program.
        letter: its one-letter form, found in clusters too; empty when it has none.
        long: its long form; empty when it has none.
        short: the other one-letter options that take a value.
    """
    for index, word in enumerate(words):
        text = word.text if word.text is not None else word.head
        if text == "--":
            return None
        following = words[index + 1] if index + 1 < len(words) else Word("", ())
        if text.startswith("--"):
            if long and text == long:
                return following
            if long and text.startswith(long + "="):
                return _rest(word, len(long) + 1)
        elif letter and text[:1] == "-":
            for place, found in enumerate(text[1:], 1):
                if found == letter:
                    return _rest(word, place + 1) if place + 1 < len(text) else following
                if found in short:
                    break
    return None


def _rest(word: Word, start: int) -> Word:
    return word._replace(values=tuple(text[start:] for text in word.values), head=word.head[start:])


def known(text: str) -> Word:
    """Return a word for a text that is known."""
    return Word(text, (text,))


def joined_words(words: Sequence[Word]) -> Word:
    """Return the words as one text, with blanks between; unknown when one of them is."""
    texts = [word.text for word in words]
    return known(" ".join(text or "" for text in texts)) if None not in texts else COMPUTED


def tail_of(word: Word, start: int) -> Word:
    """Return a word without its first characters."""
    return word._replace(
        raw=word.raw[start:],
        values=tuple(text[start:] for text in word.values),
        head=word.head[start:],
    )


def git_command(words: Sequence[Word]) -> int:
    """Return where git's subcommand stands among its words; past their end when there is none."""
    return command_at(words, "Cc", _GIT_LONG)
