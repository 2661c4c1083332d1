"""Wrappers with rules of their own: finders, remote and container programs, git."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from ._operands import command_at, option_value, takes_next
from ._wrappers import CONTAINER_LONG, CONTAINER_SHORT, CONTAINERS
from .commands import Segment, Word

if TYPE_CHECKING:
    from ._state import State
    from ._unwrap import Unwrapper

_COMPUTED: Final = Word("", ())
_EXEC_OPTIONS: Final = frozenset(
    "-exec -execdir -ok -okdir -x -X --exec --exec-batch".split()
)
_SSH_SHORT: Final = "BbcDEeFIiJLlmOopQRSWw"
_GIT_SHORT: Final = "Cc"
_GIT_LONG: Final = frozenset(
    "--git-dir --work-tree --namespace --super-prefix --config-env --exec-path".split()
)


def known(text: str) -> Word:
    """Return a word for a text that is known."""
    return Word(text, (text,))


def joined_words(words: Sequence[Word]) -> Word:
    """Return the words as one text, with blanks between; unknown when one of them is."""
    texts = [word.text for word in words]
    return known(" ".join(text or "" for text in texts)) if None not in texts else _COMPUTED


def tail_of(word: Word, start: int) -> Word:
    """Return a word without its first characters."""
    return word._replace(
        raw=word.raw[start:],
        values=tuple(text[start:] for text in word.values),
        head=word.head[start:],
    )


def _xargs(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
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
    more = replaced is None
    unwrapper.command(replace(segment, more=more), inner or [known("echo")], state, depth)


def _unknown_if(mark: str, word: Word) -> Word:
    """Return the word, unknown where the mark in it stands for a text from elsewhere."""
    if word.text is None or mark not in word.text:
        return word
    head, *_, tail = word.text.split(mark)
    return Word(word.raw, (), head=head, tail=tail)


def _parallel(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
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
        unwrapper.text(argument, segment, state.copy(), depth)
        return
    if len(inner) == 1 and inner[0].text is not None and " " in inner[0].text:
        code = inner[0].text
        if argument.values:
            put = [
                code.replace("{}", text) if "{}" in code else f"{code} {text}"
                for text in argument.values[:16]
            ]
            unwrapper.text(Word("", tuple(put)), segment, state.copy(), depth)
        else:
            unwrapper.text(known(code), segment, state.copy(), depth)
        return
    inner = [argument if word.text == "{}" else word for word in inner]
    if argument not in inner:
        inner.append(argument)
    unwrapper.command(segment, inner, state, depth)


def _repeated(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    """Unwrap ``watch`` and ``entr``, which give one operand to a shell and start several."""
    long = ("--interval",)
    inner = segment.words[command_at(segment.words, "n", long) :]
    if segment.program == "entr" and not any("s" in (w.text or "")[:6] for w in segment.words[:1]):
        unwrapper.command(segment, inner, state, depth)
    elif inner:
        unwrapper.text(joined_words(inner), segment, state.copy(), depth)


def _find(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    words = segment.words
    for index, word in enumerate(words):
        if word.text not in _EXEC_OPTIONS:
            if segment.program != "find" and re.fullmatch(r"-[a-zA-Z]*[xX]", word.text or ""):
                pass
            else:
                continue
        end = index + 1
        while end < len(words) and words[end].text not in (";", "+"):
            end += 1
        if end < len(words) and words[end].text == "+" and words[end - 1].raw != "{}":
            # A "+" that does not follow "{}" is an argument.
            while end < len(words) and words[end].text != ";":
                end += 1
        inner = [_unknown_if("{}", found) for found in words[index + 1 : end]]
        found_by = replace(segment, inputs=(segment,))
        unwrapper.command(found_by, inner, state, depth)


def _ssh(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    words = segment.words
    for index, word in enumerate(words):
        text = word.text or word.head
        value = words[index + 1] if text == "-o" and index + 1 < len(words) else tail_of(word, 2)
        setting = re.match(r"(?i)\s*(ProxyCommand|LocalCommand|KnownHostsCommand)[ =]", value.text or "")
        if text.startswith("-o") and setting:
            unwrapper.text(tail_of(value, setting.end()), segment, state.copy(), depth)
    start = command_at(words, _SSH_SHORT, ())
    rest = words[start + 1 :]
    if rest and segment.program == "ssh":
        rest = rest[command_at(rest, _SSH_SHORT, ()) :]
        if rest:
            unwrapper.text(joined_words(rest), segment, state.copy(), depth)
            return
    if segment.program == "ssh" and (segment.stdin or segment.inputs):
        # Without a command the far shell reads its commands from here.
        unwrapper.text(segment.stdin or _COMPUTED, segment, state.copy(), depth)


def _container(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    """Unwrap ``docker run``, ``docker exec``, ``docker compose run`` and ``kubectl exec``."""
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
        unwrapper.command(segment, rest, state, depth)


def git_command(words: Sequence[Word]) -> int:
    """Return where git's subcommand stands among its words; past their end when there is none."""
    return command_at(words, _GIT_SHORT, _GIT_LONG - {"--exec-path"})


def _git(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    words = segment.words
    at = git_command(words)
    rest = words[at + 1 :]
    name = words[at].text if at < len(words) else None
    for index, word in enumerate(words[:at]):
        if word.text == "-c" and index + 1 < len(words):
            _git_setting(unwrapper, segment, words[index + 1], (name, rest), state, depth)
    if name == "rebase":
        for index, word in enumerate(rest):
            text = word.text or word.head
            if takes_next(text, "x") or text == "--exec":
                following = rest[index + 1] if index + 1 < len(rest) else _COMPUTED
                unwrapper.text(following, segment, state.copy(), depth)
            elif text.startswith("--exec=") or re.match("-x.", text):
                start = len("--exec=") if text[1] == "-" else 2
                unwrapper.text(tail_of(word, start), segment, state.copy(), depth)
    elif name == "bisect" and rest and rest[0].text == "run":
        unwrapper.command(segment, rest[1:], state, depth)
    elif name == "submodule":
        places = [i for i, word in enumerate(rest) if word.text == "foreach"]
        if places:
            inner = [word for word in rest[places[0] + 1 :] if word.text not in ("--recursive", "--quiet", "-q")]
            if inner:
                unwrapper.text(joined_words(inner), segment, state.copy(), depth)
    elif name == "config":
        _stored_alias(unwrapper, segment, rest, state, depth)
    elif name == "filter-branch":
        for index, word in enumerate(rest[:-1]):
            if (word.text or "").endswith("-filter"):
                unwrapper.text(rest[index + 1], segment, state.copy(), depth)


def _git_setting(
    unwrapper: Unwrapper,
    segment: Segment,
    setting: Word,
    used: tuple[str | None, Sequence[Word]],
    state: State,
    depth: int,
) -> None:
    """Judge an alias that is passed with ``-c``, with what is given to it."""
    text = setting.text if setting.text is not None else setting.head
    if setting.text is None and "=" not in text:
        segment.opaque = "it passes git a setting that is only known when it runs"
        return
    key, _, value = text.partition("=")
    if not key.lower().startswith("alias."):
        return
    if setting.text is None:
        segment.opaque = "it passes git a setting that is only known when it runs"
        return
    name, rest = used
    given = list(rest) if name == key.split(".", 1)[1] else []
    _alias(unwrapper, segment, (value, given), state, depth)


def _alias(
    unwrapper: Unwrapper,
    segment: Segment,
    alias: tuple[str, Sequence[Word]],
    state: State,
    depth: int,
) -> None:
    value, given = alias
    if value.startswith("!"):
        texts = [word.text for word in given]
        code = value[1:] + "".join(" " + shlex.quote(text) for text in texts if text is not None)
        unwrapper.text(_COMPUTED if None in texts else known(code), segment, state.copy(), depth)
        return
    try:
        pieces = shlex.split(value)
    except ValueError:
        segment.opaque = "an alias is not understood"
        return
    words = [known(text) for text in ("git", *pieces)]
    unwrapper.command(segment, [*words, *given], state, depth)


def _stored_alias(
    unwrapper: Unwrapper, segment: Segment, rest: Sequence[Word], state: State, depth: int
) -> None:
    operands = [word for word in rest if not (word.text or word.head).startswith("-")]
    if operands and operands[0].text in ("set", "add"):
        operands = operands[1:]
    for index, word in enumerate(operands[:-1]):
        if (word.text or word.head).lower().startswith("alias."):
            value = operands[index + 1]
            if value.text is None:
                segment.opaque = "it stores an alias that is only known when it runs"
            else:
                _alias(unwrapper, segment, (value.text, []), state, depth)
            return


HANDLERS: Final[dict[str, Any]] = {
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
    "git": _git,
    **dict.fromkeys(CONTAINERS, _container),
}
