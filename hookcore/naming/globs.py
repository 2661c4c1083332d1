"""The dialect of name patterns, ``*``, ``?``, ``[abc]`` and ``[!a-z]``, matched many at a time.

All patterns are the states of one automaton, and its state is the bits of one whole number. A
character costs a few operations on that number, wherever the stars stand, so that no name and no
pattern can make it slow.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

__all__ = ["Automaton", "CharClass", "Token", "Wild", "is_exact", "parse"]

_SEPARATORS: Final = " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_MOST_MASKS: Final = 1024


class Wild(Enum):
    """A piece of a pattern that stands for more than one character's choice."""

    STAR = "any run of characters, also an empty one"
    ANY = "any one character"
    GAP = "one separator, or nothing"


@dataclass(frozen=True, slots=True)
class CharClass:
    """A set of characters, from ``[...]``.

    Args:
        ranges: the first and last character of each range.
        negated: whether it is all other characters that are meant.
        loose: whether a character counts for those that are only spelled otherwise: for both
            cases, and ``_`` for every separator.
    """

    ranges: tuple[tuple[str, str], ...]
    negated: bool
    loose: bool = False

    def holds(self, char: str) -> bool:
        """Tell whether a character is in it."""
        if self._holds(char) or not self.loose:
            return self._holds(char)
        spelled = _SEPARATORS if char == "_" else (char.upper(), char.lower())
        return any(len(other) == 1 and self._holds(other) for other in spelled)

    def _holds(self, char: str) -> bool:
        return any(low <= char <= high for low, high in self.ranges) is not self.negated

    def loosened(self) -> CharClass:
        """Return the set that is meant where names are compared in their plain forms."""
        return replace(self, loose=True)

    def is_empty(self) -> bool:
        """Tell whether no character at all is in it."""
        reached = 0
        for low, high in sorted(self.ranges):
            if ord(low) > reached:
                return False
            reached = max(reached, ord(high) + 1)
        return self.negated and reached > sys.maxunicode


Token = str | CharClass | Wild
"""A character that stands for itself, a set, or a wildcard."""


def parse(text: str) -> tuple[Token, ...]:
    """Return the pieces of a pattern; runs of ``*`` and ``?`` are brought into one order.

    Raises:
        ValueError: the pattern is empty or malformed; the text says why.
    """
    if not text:
        raise ValueError("it is empty")
    return tuple(_tidied(_parsed(text)))


def is_exact(tokens: Iterable[Token]) -> bool:
    """Tell whether a pattern has no wildcards and so stands for one name."""
    return all(isinstance(token, str) for token in tokens)


def _parsed(text: str) -> Iterator[Token]:
    position = 0
    while position < len(text):
        char = text[position]
        position += 1
        if char == "[":
            token, position = _parsed_class(text, position)
            yield token
        else:
            yield Wild.STAR if char == "*" else Wild.ANY if char == "?" else char


def _parsed_class(text: str, position: int) -> tuple[Token, int]:
    """Return the class that opened just before ``position``, and the place after its end."""
    negated = text[position : position + 1] == "!"
    start = position + negated
    # As in every shell, a bracket right after the opening one stands for itself.
    end = text.find("]", start + 1)
    if end < 0:
        raise ValueError('"[" is not closed; write "[[]" for the bracket itself')
    ranges = tuple(_ranges(text[start:end]))
    if not negated and len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return ranges[0][0], end + 1
    found = CharClass(ranges, negated)
    if found.is_empty():
        raise ValueError(f'"{text[position - 1 : end + 1]!a}" leaves no character')
    return found, end + 1


def _ranges(inner: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(inner):
        low, high, width = inner[position], inner[position], 1
        if inner[position + 1 : position + 2] == "-" and position + 2 < len(inner):
            high, width = inner[position + 2], 3
        if low > high:
            raise ValueError(f'"[{low}-{high}]" runs backwards and matches nothing')
        yield low, high
        position += width


def _tidied(tokens: Iterable[Token]) -> Iterator[Token]:
    """Put the star of a run of ``*`` and ``?`` last, so that equal patterns look equal."""
    starred = False
    for token in tokens:
        if token is Wild.STAR:
            starred = True
            continue
        if starred and token is not Wild.ANY:
            yield Wild.STAR
            starred = False
        yield token
    if starred:
        yield Wild.STAR


class Automaton:
    """Patterns that are matched against a whole name, all in one pass over it.

    Args:
        patterns: each as its tokens.
    """

    __slots__ = ("_accept", "_chars", "_classes", "_gaps", "_loops", "_masks", "_owners", "_start")

    def __init__(self, patterns: Sequence[Sequence[Token]]) -> None:
        places: defaultdict[Token, list[int]] = defaultdict(list)
        starts: list[int] = []
        self._owners: dict[int, int] = {}
        size = 0
        for index, tokens in enumerate(patterns):
            starts.append(size)
            for token in tokens:
                # A star is a state's way back to itself; all else leads to the next state.
                places[token].append(size)
                size += token is not Wild.STAR
            self._owners[size] = index
            size += 1
        bits = {token: _bits(found, size) for token, found in places.items()}
        self._loops = bits.pop(Wild.STAR, 0)
        self._gaps = bits.get(Wild.GAP, 0)
        self._accept = _bits(self._owners, size)
        self._start = self._past_gaps(_bits(starts, size))
        self._classes = {t: found for t, found in bits.items() if isinstance(t, CharClass)}
        self._chars = {t: found for t, found in bits.items() if not isinstance(t, CharClass)}
        self._masks: dict[Token, int] = {}

    def accepts(self, symbols: Iterable[Token]) -> bool:
        """Tell whether one of the patterns matches."""
        return self._run(symbols) != 0

    def matching(self, symbols: Iterable[Token]) -> list[int]:
        """Return the places of the patterns that match.

        Args:
            symbols: a name; or the tokens of a pattern without gaps, and then a pattern matches
                that matches whatever those do.
        """
        found = []
        # The digits of a power of two are written in linear time, and found quickly.
        digits = bin(self._run(symbols))[:1:-1]
        position = digits.find("1")
        while position >= 0:
            found.append(self._owners[position])
            position = digits.find("1", position + 1)
        return found

    def _run(self, symbols: Iterable[Token]) -> int:
        state, masks, loops, gaps = self._start, self._masks, self._loops, self._gaps
        for symbol in symbols:
            mask = masks.get(symbol)
            if mask is None:
                mask = self._mask(symbol)
            state = ((state & mask) << 1) | (state & loops)
            if gaps:
                state |= (state & gaps) << 1
            if not state:
                return 0
        return state & self._accept

    def _past_gaps(self, state: int) -> int:
        return state | (state & self._gaps) << 1

    def _mask(self, symbol: Token) -> int:
        """Return the states that a symbol leads on from; a star's only way is a star's loop."""
        mask = 0 if symbol is Wild.STAR else self._chars.get(Wild.ANY, 0)
        if isinstance(symbol, str):
            mask |= self._chars.get(symbol, 0) | (self._gaps if symbol == "_" else 0)
            for kind, found in self._classes.items():
                mask |= found if kind.holds(symbol) else 0
        elif isinstance(symbol, CharClass):
            mask |= self._classes.get(symbol, 0)
        # Characters come from a model, so what is remembered about them is bounded.
        if len(self._masks) < _MOST_MASKS:
            self._masks[symbol] = mask
        return mask


def _bits(positions: Iterable[int], size: int) -> int:
    """Return the number that has these bits; bytes, since each step on a large number costs."""
    data = bytearray(size // 8 + 1)
    for position in positions:
        data[position >> 3] |= 1 << (position & 7)
    return int.from_bytes(data, "little")
