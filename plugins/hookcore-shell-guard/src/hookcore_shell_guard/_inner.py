"""Wrappers with rules of their own: finders, remote and container programs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from ._call import Call, Handler
from ._names import names
from ._operands import COMPUTED, command_at, joined_words, known, option_value, tail_of
from ._wrappers import CONTAINER_LONG, CONTAINER_SHORT, CONTAINERS
from .commands import Word

_EXEC_OPTIONS: Final = names("-exec -execdir -ok -okdir -x -X --exec --exec-batch")
_FIND_OPERANDS: Final = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -anewer"
    " -cnewer -samefile -type -xtype -size -perm -user -group -uid -gid -mtime -atime -ctime -mmin"
    " -amin -cmin -maxdepth -mindepth -fstype -inum -links -used -printf -fprint -fprint0 -fprintf"
    " -fls -regextype -context -files0-from -D"
)
"""The words of find(1) that take the next one, whatever it looks like; ``-fprintf`` takes two."""
_NO_PROGRAM: Final = ("-", "(", ")", "!", ",")
_SSH_SHORT: Final = "BbcDEeFIiJLlmOopQRSWw"


def _xargs(call: Call) -> None:
    segment = call.segment
    words = segment.words
    start = command_at(
        words,
        "adEILnPs",
        ("--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars"),
    )
    replaced = option_value(words[:start], "I", "--replace", "adELnPs")
    inner = list(words[start:])
    if any((word.text or "") in ("-i", "--replace") for word in words[:start]):
        replaced = known("{}")
    if replaced is not None and replaced.text:
        inner = [_unknown_if(replaced.text, word) for word in inner]
    call.command(inner or [known("echo")], segment=replace(segment, more=replaced is None))


def _unknown_if(mark: str, word: Word) -> Word:
    """Return the word, unknown where the mark in it stands for a text from elsewhere."""
    if word.text is None or mark not in word.text:
        return word
    head, *_, tail = word.text.split(mark)
    return Word(word.raw, (), head=head, tail=tail)


def _parallel(call: Call) -> None:
    segment = call.segment
    words = segment.words
    marks = [i for i, word in enumerate(words) if (word.text or "") in (":::", "::::", ":::+")]
    end = marks[0] if marks else len(words)
    start = min(
        command_at(
            words,
            "jIaNLnPsCSd",
            ("--jobs", "--arg-file", "--max-args", "--colsep", "--delimiter", "--joblog",
             "--results", "--tmpdir", "--timeout", "--delay", "--retries", "--sshlogin"),
        ),
        end,
    )  # fmt: skip
    given = words[end + 1 :] if marks and words[end].text == ":::" else []
    texts = tuple(chain.from_iterable(word.values for word in given))
    complete = bool(given) and all(word.values for word in given) and ":::" not in texts
    argument = Word("", texts if complete else ())
    inner = list(words[start:end])
    if not inner:
        call.text(argument)
        return
    if len(inner) == 1 and inner[0].text is not None and " " in inner[0].text:
        code = inner[0].text
        if argument.values:
            put = [
                code.replace("{}", text) if "{}" in code else f"{code} {text}"
                for text in argument.values[:16]
            ]
            call.text(Word("", tuple(put)))
        else:
            call.text(known(code))
        return
    inner = [argument if word.text == "{}" else word for word in inner]
    if argument not in inner:
        inner.append(argument)
    call.command(inner)


def _repeated(call: Call) -> None:
    """Unwrap ``watch`` and ``entr``, which give one operand to a shell and start several."""
    segment = call.segment
    long = ("--interval",)
    inner = segment.words[command_at(segment.words, "n", long) :]
    if segment.program == "entr" and not any("s" in (w.text or "")[:6] for w in segment.words[:1]):
        call.command(inner)
    elif inner:
        call.text(joined_words(inner))


def _find(call: Call) -> None:
    """Unwrap the commands of ``find`` and ``fd``, each up to its end, as they do."""
    segment = call.segment
    words = segment.words
    is_find = segment.program == "find"
    index = 0
    while index < len(words):
        text = words[index].text or ""
        index += 1
        if is_find and (text in _FIND_OPERANDS or text.startswith("-newer")):
            index += 2 if text == "-fprintf" else 1
            continue
        cluster = not is_find and re.fullmatch(r"-[a-zA-Z]*[xX]", text)
        if text not in _EXEC_OPTIONS and not cluster:
            continue
        end = _end_of_exec(words, index)
        inner = [_unknown_if("{}", found) for found in words[index:end]]
        if inner and (inner[0].text or "")[:1] in _NO_PROGRAM:
            # It was the operand of something that is not known here, or of a word that is not.
            segment.opaque = segment.opaque or "its command is not understood"
            return
        call.command(inner, segment=replace(segment, inputs=(segment,)))
        index = end + 1


def _end_of_exec(words: Sequence[Word], start: int) -> int:
    end = start
    while end < len(words) and words[end].text not in (";", "+"):
        end += 1
    if end < len(words) and words[end].text == "+" and words[end - 1].raw != "{}":
        # A "+" that does not follow "{}" is an argument.
        while end < len(words) and words[end].text != ";":
            end += 1
    return end


def _ssh(call: Call) -> None:
    segment = call.segment
    words = segment.words
    for index, word in enumerate(words):
        text = word.text or word.head
        value = words[index + 1] if text == "-o" and index + 1 < len(words) else tail_of(word, 2)
        setting = re.match(
            r"(?i)\s*(ProxyCommand|LocalCommand|KnownHostsCommand)[ =]", value.text or ""
        )
        if text.startswith("-o") and setting:
            call.text(tail_of(value, setting.end()))
    start = command_at(words, _SSH_SHORT, ())
    rest = words[start + 1 :]
    if rest and segment.program == "ssh":
        rest = rest[command_at(rest, _SSH_SHORT, ()) :]
        if rest:
            call.text(joined_words(rest))
            return
    if segment.program == "ssh" and (segment.stdin or segment.inputs):
        # Without a command the far shell reads its commands from here.
        call.text(segment.stdin or COMPUTED)


def _container(call: Call) -> None:
    """Unwrap ``docker run``, ``docker exec``, ``docker compose run`` and ``kubectl exec``."""
    segment = call.segment
    words = segment.words
    at = command_at(words, "cHlfpns", CONTAINER_LONG)
    if at < len(words) and words[at].text in ("compose", "container"):
        at += 1 + command_at(words[at + 1 :], "fp", CONTAINER_LONG)
    if at >= len(words) or words[at].text not in ("run", "exec", "debug"):
        return
    options = words[at + 1 :]
    short = "nc" if segment.program in ("kubectl", "oc") else CONTAINER_SHORT
    first = command_at(options, short, CONTAINER_LONG)
    entry = option_value(options[:first], "", "--entrypoint")
    rest = list(options[first + 1 :])
    if segment.program in ("kubectl", "oc"):
        ends = [i for i, word in enumerate(rest) if word.text == "--"]
        rest = rest[ends[0] + 1 :] if ends else rest[command_at(rest, short, CONTAINER_LONG) :]
    if rest and rest[0].text == "--":
        rest = rest[1:]
    if entry is not None:
        rest = [entry, *rest]
    if rest:
        call.command(rest)


HANDLERS: Final[dict[str, Handler]] = {
    "xargs": _xargs,
    "parallel": _parallel,
    "watch": _repeated,
    "entr": _repeated,
    "find": _find,
    "fd": _find,
    "fdfind": _find,
    "ssh": _ssh,
    "scp": _ssh,
    "sftp": _ssh,
    **dict.fromkeys(CONTAINERS, _container),
}
