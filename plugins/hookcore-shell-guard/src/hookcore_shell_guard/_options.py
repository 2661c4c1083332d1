"""Reading a program's options and operands as its own parser would."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from .commands import Word

_NOTHING: Final = Word("", ("",))


class Option(NamedTuple):
    """An option that is given.

    Args:
        name: its letter, or its long name with the dashes, as written.
        value: its value; an empty text when it has none.
    """

    name: str
    value: Word


class Arguments:
    """A program's words, told apart.

    Args:
        words: the words after the program.
        short: the one-letter options that take a value.
        long: the long options that take a value as a word of its own.
        permute: tells that options may follow operands.
    """

    __slots__ = ("_ended", "operands", "options")

    def __init__(
        self,
        words: Sequence[Word],
        short: str = "",
        long: Iterable[str] = (),
        *,
        permute: bool = True,
    ) -> None:
        self.options: list[Option] = []
        self.operands: list[Word] = []
        self._ended: int | None = None
        values = long if isinstance(long, frozenset) else frozenset(long)
        index = 0
        while index < len(words):
            word = words[index]
            index += 1
            texts = word.values
            text = texts[0] if texts else word.head
            if text == "--" and texts:
                self._ended = len(self.operands)
                self.operands.extend(words[index:])
                return
            if text[:1] != "-" or text == "-":
                self.operands.append(word)
                if not permute:
                    self.operands.extend(words[index:])
                    return
                continue
            if text[:2] == "--":
                name, equals, _ = text.partition("=")
                if equals:
                    self.options.append(Option(name, cut(word, len(name) + 1)))
                elif name in values:
                    self.options.append(
                        Option(name, words[index] if index < len(words) else _NOTHING)
                    )
                    index += 1
                else:
                    self.options.append(Option(name, _NOTHING))
                continue
            index = self._cluster(words, index, text, short)

    def _cluster(self, words: Sequence[Word], index: int, text: str, short: str) -> int:
        word = words[index - 1]
        for place, letter in enumerate(text[1:], 1):
            if letter in short:
                if place + 1 < len(text) or not word.values:
                    self.options.append(Option(letter, cut(word, place + 1)))
                    return index
                value = words[index] if index < len(words) else _NOTHING
                self.options.append(Option(letter, value))
                return index + 1
            self.options.append(Option(letter, _NOTHING))
        return index

    @property
    def before_end(self) -> list[Word]:
        """The operands before ``--``; all of them when it is not given."""
        return self.operands if self._ended is None else self.operands[: self._ended]

    @property
    def ended(self) -> bool:
        """True when ``--`` is given."""
        return self._ended is not None

    def has(self, letters: str = "", *longs: str) -> bool:
        """Return True when one of these options is given, a long one perhaps cut short.

        Args:
            letters: one-letter options.
            longs: long options with their dashes.
        """
        return any(self.find(letters, *longs))

    def find(self, letters: str = "", *longs: str) -> Iterable[Option]:
        """Return those of the options that are given; see :meth:`has`."""
        for option in self.options:
            name = option.name
            if name in letters or (name[2:] and any(long.startswith(name) for long in longs)):
                yield option

    def values(self, letters: str = "", *longs: str) -> list[Word]:
        """Return the values of those of the options that are given; see :meth:`has`."""
        return [option.value for option in self.find(letters, *longs)]


def cut(word: Word, start: int) -> Word:
    """Return a word without its first characters."""
    return word._replace(
        raw=word.raw[start:],
        values=tuple(text[start:] for text in word.values),
        glob=word.glob,
        home=False,
        head=word.head[start:],
    )


def texts(words: Iterable[Word]) -> list[str]:
    """Return all texts that the words can stand for, and the known beginnings of the others."""
    return [text for word in words for text in (word.values or (word.head,))]


def only(words: Sequence[Word], *allowed: str) -> bool:
    """Return True when there is one word, and it is one of these."""
    return len(words) == 1 and words[0].text in allowed
