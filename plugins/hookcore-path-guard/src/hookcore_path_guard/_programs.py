"""The uses that programs make of their arguments, read from a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Final

__all__ = ["UNKNOWN", "Program", "program_named"]


@dataclass(frozen=True, slots=True)
class Program:
    """The facts about a program.

    Args:
        first: the kinds of its first operands, each with the options that leave it out.
        rest: the kind of all others, or "" for none.
        last: the kind of the last operand, when there are two or more; or "".
        in_place: options with which what is read is written.
        options: the kinds of its options' values; one-letter names and long ones.
    """

    first: tuple[tuple[str, frozenset[str]], ...] = ()
    rest: str = ""
    last: str = ""
    in_place: frozenset[str] = frozenset()
    options: Mapping[str, str] = field(default_factory=dict)

    def option(self, name: str) -> str:
        """Return the kind of an option's value, "" when it takes none.

        Args:
            name: one letter, or a long name, which may be cut as far as GNU programs allow.
        """
        kind = self.options.get(name)
        if kind is not None or len(name) == 1:
            return kind or ""
        kinds = [kind for long, kind in self.options.items() if long.startswith(name)]
        return next((kind for kind in kinds if kind != "-"), kinds[0] if kinds else "")


UNKNOWN: Final = Program(rest="u")
"""A program that the table does not name."""


def program_named(name: str) -> Program:
    """Return what is known of a program, by its name without folders."""
    table = _table()
    found = table.get(name)
    if found is None:
        # python3.12, gcc-13, clang++-17: the version is no part of the name.
        found = table.get(name.rstrip("0123456789.-"))
    return found or UNKNOWN


@lru_cache(1)
def _table() -> dict[str, Program]:
    text = files(__package__).joinpath("_programs.txt").read_text("utf-8")
    table: dict[str, Program] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            names, operands, options = (part.strip() for part in line.split("|"))
            program = _program(operands.split(), options.split())
            table.update(dict.fromkeys(names.split(), program))
    return table


def _program(operands: list[str], options: list[str]) -> Program:
    first: list[tuple[str, frozenset[str]]] = []
    rest = last = ""
    in_place: frozenset[str] = frozenset()
    for operand in operands:
        kind, _, unless = operand.partition("?")
        if operand[0] == "^":
            in_place = frozenset(operand[1:].split(","))
        elif kind[1:] == "*":
            rest = kind[0]
        elif rest:
            last = kind
        else:
            first.append((kind, frozenset(filter(None, unless.split(",")))))
    pairs = (option.rpartition("=") for option in options)
    return Program(tuple(first), rest, last, in_place, {name: kind for name, _, kind in pairs})
