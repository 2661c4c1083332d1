"""Programs whose arguments a table cannot describe: dd, find, git, tar, test."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from hookcore_shell_guard import Word

from ._arguments import Argument, arguments_of, cut, lead, split_arguments
from ._names import names
from ._programs import Program, program_named

__all__ = ["SPECIAL"]

_HERE: Final = Word(".", (".",))


def _dd(words: Sequence[Word]) -> Iterator[Argument]:
    for word in words:
        name, equals, _ = lead(word).partition("=")
        if equals and name in {"if", "of"}:
            yield Argument("w" if name == "of" else "r", cut(word, 3))
        elif not word.values and not equals:
            yield Argument("u", word)


_FILE_TESTS: Final = frozenset(f"-{letter}" for letter in "abcdefghkprstuwxGLNOS")
_COMPARISONS: Final = frozenset({"-nt", "-ot", "-ef"})


def _test(words: Sequence[Word]) -> Iterator[Argument]:
    for before, word in pairwise(words):
        if before.text in _FILE_TESTS or before.text in _COMPARISONS:
            yield Argument("r", word)
        elif word.text in _COMPARISONS:
            yield Argument("r", before)


_FIND_TEXT: Final = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type "
    "-xtype -size -mtime -atime -ctime -mmin -amin -cmin -perm -user -group -uid -gid "
    "-maxdepth -mindepth -fstype -inum -links -printf -regextype -used -context -newermt "
    "-newerat -newerct"
)
_FIND_FILES: Final[Mapping[str, str]] = {
    "-fprint": "w", "-fprint0": "w", "-fls": "w", "-fprintf": "w",
    "-newer": "r", "-anewer": "r", "-cnewer": "r", "-samefile": "r", "-files0-from": "N",
}  # fmt: skip
_FIND_RUNS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


def _find(words: Sequence[Word]) -> Iterator[Argument]:
    starts: list[Word] = []
    rest = list(words)
    while rest and lead(rest[0]) in {"-H", "-L", "-P", "-D", "-O", "-O1", "-O2", "-O3"}:
        rest = rest[2 if lead(rest[0]) == "-D" else 1 :]
    while rest and not (rest[0].values and lead(rest[0])[:1] in {"-", "(", "!"}):
        starts.append(rest.pop(0))
    changes = False
    at = 0
    while at < len(rest):
        text = lead(rest[at])
        following = rest[at + 1] if at + 1 < len(rest) else None
        if following is not None and text in _FIND_FILES:
            yield Argument(_FIND_FILES[text], following)
            at += 1
        elif text in _FIND_TEXT:
            at += 1
        elif text == "-delete":
            changes = True
        elif text in _FIND_RUNS:
            changes = changes or not (following and _only_reads(following))
            while at < len(rest) and rest[at].text not in {";", "+"}:
                at += 1
        at += 1
    for start in starts or [_HERE]:
        yield Argument("w" if changes else "r", start)


def _only_reads(word: Word) -> bool:
    program = program_named((word.text or "").rpartition("/")[2])
    kinds = {kind for kind, _ in program.first} | {program.rest, program.last}
    return kinds <= {"r", "t", "k", "S", "A", ""}


_GIT_READS: Final = names(
    "diff log show blame grep ls-files ls-tree status rev-list rev-parse shortlog describe "
    "cat-file name-rev merge-base for-each-ref show-ref fetch pull ls-remote remote branch "
    "tag whatchanged range-diff count-objects check-ignore check-attr var version help"
)
_GIT: Final = program_named("git-options")
_GIT_PATHS: Final = names(
    "clone init worktree apply am bundle archive hash-object format-patch config submodule"
)
_GIT_GLOBAL: Final[Mapping[str, str]] = {
    "-C": "F", "--git-dir": "F", "--work-tree": "F", "--super-prefix": "-", "--namespace": "-",
    "-c": "-", "--exec-path": "-", "--config-env": "-", "--attr-source": "-",
}  # fmt: skip


def _git(words: Sequence[Word]) -> Iterator[Argument]:
    rest = list(words)
    folders: list[Word] = []
    while rest and lead(rest[0])[:1] == "-":
        word = rest.pop(0)
        name, equals, _ = lead(word).partition("=")
        kind = _GIT_GLOBAL.get(name)
        if kind == "F" and (equals or rest):
            folder = cut(word, len(name) + 1) if equals else rest.pop(0)
            folders.append(_above_store(folder) if name == "--git-dir" else folder)
        elif kind and not equals and rest:
            rest.pop(0)
    sub = lead(rest[0]) if rest else ""
    reads = sub in _GIT_READS
    # In the order given: each -C begins where the one before it led.
    for folder in folders:
        yield Argument("F" if reads else "G", folder)
    split = split_arguments(_GIT, rest[1:])
    operands = split.operands
    yield from split.values
    if sub == "grep" and split.given.isdisjoint({"e", "f"}):
        operands = operands[1:]
    if sub == "config":
        operands = []
    if sub == "clone" and operands:
        yield Argument("v", operands[0])
        yield from (Argument("w", word) for word in operands[1:])
        return
    for word in operands:
        if word.values or sub in _GIT_PATHS:
            yield Argument("v" if reads else "u", word)


def _above_store(word: Word) -> Word:
    """Return the folder that a store lies in: git itself may change what is in the store."""
    values = tuple(re.sub(r"(?:^|(?<=/))\.git/*$", ".", value) for value in word.values)
    return word._replace(values=values)


_TAR_VALUES: Final[Mapping[str, str]] = {
    "b": "-", "C": "F", "f": "f", "F": "-", "g": "w", "H": "-", "I": "-", "K": "-", "L": "-",
    "N": "-", "T": "N", "V": "-", "X": "r",
    "file": "f", "directory": "F", "files-from": "N", "exclude": "-", "exclude-from": "r",
    "transform": "-", "xform": "-", "strip-components": "-", "use-compress-program": "-",
    "listed-incremental": "w", "owner": "-", "group": "-", "mode": "-", "mtime": "-",
    "newer": "-", "format": "-", "one-top-level": "w", "add-file": "r", "index-file": "w",
    "checkpoint-action": "-", "to-command": "-", "sort": "-", "pax-option": "-", "label": "-",
}  # fmt: skip
_TAR: Final = Program(rest="r", options=_TAR_VALUES)
_TAR_LONG: Final[Mapping[str, str]] = {
    "extract": "x", "get": "x", "create": "c", "append": "r", "update": "u", "list": "t",
    "diff": "t", "compare": "t", "delete": "u", "concatenate": "A", "catenate": "A",
}  # fmt: skip


def _tar(words: Sequence[Word]) -> Iterator[Argument]:
    rest = list(words)
    if rest and lead(rest[0])[:1] not in {"-", ""}:
        rest = _dashed(rest)
    split = split_arguments(_TAR, rest)
    modes = {_TAR_LONG.get(name, name[:1] if len(name) == 1 else "") for name in split.given}
    creates = not modes.isdisjoint("cruA")
    extracts = "x" in modes
    for kind, word in split.values:
        if kind == "F":
            yield Argument("G" if extracts else "F", word)
        elif kind == "f":
            yield Argument("w" if creates else "r", word)
        else:
            yield Argument(kind, word)
    if extracts:
        yield Argument("w", _HERE)
    if creates:
        kind = "d" if "remove-files" in split.given else "r"
        yield from (Argument(kind, word) for word in split.operands)


def _dashed(words: list[Word]) -> list[Word]:
    """Return tar's old form, ``xfC a.tar folder``, with one option for each letter."""
    found: list[Word] = []
    rest = words[1:]
    for letter in lead(words[0]):
        found.append(Word("-" + letter, ("-" + letter,)))
        if letter in _TAR_VALUES and rest:
            found.append(rest.pop(0))
    return found + rest


def _unzip(words: Sequence[Word]) -> Iterator[Argument]:
    program = program_named("unzip")
    split = split_arguments(program, words)
    yield from arguments_of(program, split)
    if split.given.isdisjoint({"d", "l", "t", "p", "v", "Z", "z"}):
        yield Argument("w", _HERE)


SPECIAL: Final[Mapping[str, Callable[[Sequence[Word]], Iterator[Argument]]]] = {
    "dd": _dd,
    "test": _test,
    "[": _test,
    "[[": _test,
    "find": _find,
    "gfind": _find,
    "git": _git,
    "tar": _tar,
    "gtar": _tar,
    "bsdtar": _tar,
    "unzip": _unzip,
}
"""For each of these programs, what it does with its words."""
