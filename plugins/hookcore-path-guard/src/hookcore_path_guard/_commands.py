"""The work that the program of a segment does with its words."""

from __future__ import annotations

from typing import Final

from hookcore_shell_guard import Segment

from ._arguments import Argument, arguments_of, split_arguments
from ._names import names
from ._programs import program_named
from ._special import SPECIAL

__all__ = ["arguments_of_segment", "is_plain", "runs_code"]

_TO_OUTPUT: Final = frozenset({"c", "stdout", "to-stdout", "l", "list", "t", "test"})
_COMPRESSORS: Final = names("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress")


def is_plain(segment: Segment) -> bool:
    """Tell whether the program uses no file, whatever its arguments are."""
    program = program_named(segment.program or "")
    return program.rest == "t" and not (
        program.first or program.options or segment.program in SPECIAL
    )


def runs_code(segment: Segment) -> bool:
    """Tell whether the program can run a text that it reads."""
    return "C" in program_named(segment.program or "").options.values()


def arguments_of_segment(segment: Segment) -> tuple[list[Argument], set[str]]:
    """Return what the program does with its words, and the options that it was given.

    Raises:
        Refusal: a word may be an option or not.
    """
    name = segment.program or ""
    special = SPECIAL.get(name)
    if special is not None:
        return list(special(segment.words)), set()
    program = program_named(name)
    split = split_arguments(program, segment.words)
    arguments = arguments_of(program, split)
    given = split.given
    if name in {"ln", "cp"} and not given.isdisjoint({"s", "symbolic", "symbolic-link"}):
        return _changed(arguments, "hr", "s"), given
    if name in {"install", "ginstall"} and not given.isdisjoint({"d", "directory"}):
        return _changed(arguments, "r", "w"), given
    if name == "rsync" and "remove-source-files" in given:
        return _changed(arguments, "r", "d"), given
    if name in _COMPRESSORS and not given.isdisjoint(_TO_OUTPUT):
        return _changed(arguments, "w", "r"), given
    return arguments, given


def _changed(arguments: list[Argument], old: str, new: str) -> list[Argument]:
    return [Argument(new if kind in old else kind, word) for kind, word in arguments]
