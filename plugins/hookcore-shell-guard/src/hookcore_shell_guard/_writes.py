"""The files that common programs write or remove, as far as their words tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ._names import names
from ._options import Arguments, texts
from .commands import Segment, Word

_COPY_SHORT: Final = "tSgmoZ"
_COPY_LONG: Final = names("--target-directory --suffix --group --mode --owner")


def written_words(segment: Segment) -> list[Word]:
    """Return the words that name what a segment's program writes, replaces or removes.

    Args:
        segment: a segment whose program is known.
    """
    rule = _RULES.get(segment.program or "")
    return rule(segment) if rule is not None else []


def written_paths(segment: Segment) -> Iterator[tuple[str, Word]]:
    """Return every text that those words can stand for, with its word.

    Args:
        segment: a segment whose program is known.
    """
    for word in written_words(segment):
        for text in word.values or (word.head, word.tail):
            yield text, word


def _all(short: str = "", skip: int = 0) -> Callable[[Segment], list[Word]]:
    def rule(segment: Segment) -> list[Word]:
        return Arguments(segment.words, short).operands[skip:]

    return rule


def _last(segment: Segment) -> list[Word]:
    """Take the destination of a copy, or all operands when there is no other."""
    found = Arguments(segment.words, _COPY_SHORT, _COPY_LONG)
    folders = found.values("t", "--target-directory")
    return folders or found.operands[-1:]


def _move(segment: Segment) -> list[Word]:
    found = Arguments(segment.words, _COPY_SHORT, _COPY_LONG)
    return [*found.operands, *found.values("t", "--target-directory")]


def _options(letters: str, *longs: str) -> Callable[[Segment], list[Word]]:
    def rule(segment: Segment) -> list[Word]:
        found = Arguments(segment.words, letters + "XdHuAT", longs)
        return found.values(letters, *longs)

    return rule


def _dd(segment: Segment) -> list[Word]:
    return [
        word._replace(values=tuple(text[3:] for text in word.values), head=word.head[3:])
        for word in segment.words
        if (word.text or word.head).startswith("of=")
    ]


def in_place(segment: Segment) -> bool:
    """Return True when sed or perl edits files in place."""
    if segment.program == "perl":
        return Arguments(segment.words, "eEMmIlF").has("i")
    found = Arguments(segment.words, "elf", ("--expression", "--file", "--line-length"))
    return found.has("i", "--in-place")


def _edited(segment: Segment) -> list[Word]:
    if not in_place(segment):
        return []
    found = Arguments(segment.words, "elfEMmI", ("--expression", "--file", "--line-length"))
    given = found.has("efE", "--expression", "--file")
    return found.operands if given else found.operands[1:]


def _find(segment: Segment) -> list[Word]:
    if not {"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"}.intersection(
        texts(segment.words)
    ):
        return []
    return found_words(segment)


def found_words(find: Segment) -> list[Word]:
    """Return a find's start points and the names that it looks for.

    Args:
        find: the segment of a find.
    """
    words = find.words
    found: list[Word] = []
    for word in words:
        if (word.text or word.head)[:1] in ("-", "(", "!"):
            break
        found.append(word)
    named = {"-name", "-iname", "-path", "-wholename", "-ipath", "-fprint", "-fls", "-fprintf"}
    for before, option, word in zip([None, *words], words, words[1:], strict=False):
        negated = before is not None and before.text in ("-not", "!")
        if option.text in named and not negated:
            found.append(word)
    return found


def _extract(segment: Segment) -> list[Word]:
    return Arguments(segment.words, "fCbTXI", ("--directory",)).values("C", "--directory")


_RULES: Final[dict[str, Callable[[Segment], list[Word]]]] = {
    "rm": _all(),
    "rmdir": _all(),
    "unlink": _all(),
    "shred": _all("nsu"),
    "trash": _all(),
    "srm": _all(),
    "mv": _move,
    "cp": _last,
    "install": _last,
    "ln": _last,
    "rsync": _last,
    "scp": _last,
    "tee": _all(),
    "touch": _all("dtr"),
    "truncate": _all("sr"),
    "mkdir": _all("m"),
    "chmod": _all("", 1),
    "chown": _all("", 1),
    "chgrp": _all("", 1),
    "sponge": _all(),
    "sed": _edited,
    "gsed": _edited,
    "perl": _edited,
    "dd": _dd,
    "find": _find,
    "tar": _extract,
    "curl": _options("o", "--output", "--output-dir"),
    "wget": _options("OP", "--output-document", "--directory-prefix"),
    "sort": _options("o", "--output"),
    "patch": _options("o", "--output"),
    "unzip": _options("d"),
    "ed": _all("p"),
    "ex": _all("c"),
    "vim": _all("c"),
}
