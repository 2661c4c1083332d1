"""The arguments of a program in a shell command, told apart: options, their values, operands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hookcore_shell_guard import Word

from ._programs import Program
from ._refusals import Refusal

# Not where compilers look for headers and libraries.
_GLUED: Final = re.compile(r"-[A-HJKM-Za-hj-z](?:[/~]|\.\.(?:/|$))")

__all__ = ["Argument", "arguments_of", "cut", "lead", "split_arguments"]


class Argument(NamedTuple):
    """One argument and what the program does with it.

    Args:
        kind: a letter of the table of programs.
        word: the argument, or the part of it that is the value of an option.
    """

    kind: str
    word: Word


@dataclass(slots=True)
class Split:
    """A program's arguments, told apart.

    Args:
        values: the options' values, each with its kind.
        operands: what is no option.
        given: the names of the options that were given.
    """

    values: list[Argument] = field(default_factory=list)
    operands: list[Word] = field(default_factory=list)
    given: set[str] = field(default_factory=set)


def lead(word: Word) -> str:
    """Return the text of a word as far as it is known from its beginning on."""
    text = word.text
    return text if text is not None else word.head


def cut(word: Word, length: int) -> Word:
    """Return a word without its first characters, which are known."""
    values = tuple(value[length:] for value in word.values)
    # bash also expands a tilde after the sign in what looks like an assignment.
    home = "=~" in word.raw
    return word._replace(values=values, head=word.head[length:], home=home, raw=word.raw)


def split_arguments(program: Program, words: Sequence[Word]) -> Split:
    """Tell a program's options from its operands.

    Raises:
        Refusal: a word of several possible texts may be an option.
    """
    split = Split()
    rest = iter(words)
    for word in rest:
        text = lead(word)
        if len(word.values) > 1 and any(value.startswith("-") for value in word.values):
            raise Refusal("unknown", word.raw)
        if text == "--" and word.values:
            split.operands += rest
        elif text.startswith("--"):
            _long(program, split, word, rest)
        elif text.startswith("-") and len(text) > 1:
            _cluster(program, split, word, rest)
        else:
            split.operands.append(word)
    return split


def _long(program: Program, split: Split, word: Word, rest: Iterator[Word]) -> None:
    name, equals, _ = lead(word)[2:].partition("=")
    kind = program.option(name)
    split.given.add(name)
    if equals:
        split.values.append(Argument(kind or "u", cut(word, len(name) + 3)))
    elif kind:
        split.values += (Argument(kind, value) for value in _next(rest))


def _cluster(program: Program, split: Split, word: Word, rest: Iterator[Word]) -> None:
    text = lead(word)
    # find, java, gcc and others: a long option with one dash.
    if text[1:].partition("=")[0] in program.options and len(text) > 2:  # noqa: PLR2004 - "-x"
        _long(
            program,
            split,
            word._replace(values=tuple("-" + value for value in word.values), head="-" + word.head),
            rest,
        )
        return
    if program.rest == "u" and _GLUED.match(text) and not program.option(text[1]):
        split.values.append(Argument("u", cut(word, 2)))
        return
    for place, letter in enumerate(text[1:], 1):
        split.given.add(letter)
        kind = program.option(letter)
        if not kind:
            continue
        if place + 1 < len(text) or not word.values:
            split.values.append(Argument(kind, cut(word, place + 1)))
        else:
            split.values += (Argument(kind, value) for value in _next(rest))
        return


def _next(rest: Iterator[Word]) -> Iterator[Word]:
    following = next(rest, None)
    if following is not None:
        yield following


def arguments_of(program: Program, split: Split) -> list[Argument]:
    """Return what a program does with its arguments, the options' values first."""
    found = list(split.values)
    operands = list(split.operands)
    kinds = [kind for kind, unless in program.first if split.given.isdisjoint(unless)]
    found += map(Argument, kinds, operands)
    del operands[: len(kinds)]
    into = any(program.option(name) == "w" for name in {"t", "target-directory"} & split.given)
    last = operands.pop() if program.last and not into and len(operands) > 1 else None
    found += (Argument(program.rest or "t", word) for word in operands)
    if last is not None:
        found.append(Argument(program.last, last))
    if not split.given.isdisjoint(program.in_place):
        found = [Argument("w" if kind == "r" else kind, word) for kind, word in found]
    return found
