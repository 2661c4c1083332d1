"""The paths that a shell command uses, as far as its text tells."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from hookcore_shell_guard import Segment, Word, segments
from hookcore_shell_guard.tools import UnreadableCommandError, commands_of

from ._arguments import Argument, lead
from ._calls import Call
from ._commands import arguments_of_segment, is_plain, runs_code
from ._folders import Folders
from ._judge import CHANGE, LOOK, READ, REMOVE, Access, PathJudge
from ._links import Links
from ._made import Made
from ._names import names
from ._refusals import Refusal
from ._scripts import awk_files, code_files, sed_files
from ._trees import check_tree, follows_links
from ._walk import STREAMS, walk
from ._words import LEADS_AWAY, WordJudge

__all__ = ["ShellCall", "check_commands"]

_STREAMED: Final = replace(READ, streams=STREAMS)
_ACCESS: Final[dict[str, Access]] = {
    "r": _STREAMED,
    "h": _STREAMED,
    "w": CHANGE,
    "d": REMOVE,
    "k": LOOK,
    "F": _STREAMED,
    "G": CHANGE,
}
_HERE: Final = Word(".", (".",))
_SCRIPTS: Final = {"S": sed_files, "A": awk_files, "C": code_files}
_SYSTEM: Final = names(
    "/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /opt/homebrew/bin"
)
_REMOTE: Final = re.compile(r"[\w.@\[\]-]+:|[\w+.-]+://")
_PATCHERS: Final = frozenset({"patch", "apply_patch", "applypatch", "git"})
_MOUNT: Final = re.compile(r"(?:^|,)(?:source|src)=([^,]*)")


def check_commands(
    judge: PathJudge,
    call: Call,
    start: str,
    tool_name: str,
    arguments: object,
    *,
    more: Mapping[str, Sequence[str]],
    unknown: bool,
) -> None:
    """Check every path in the commands of a call.

    Args:
        judge: what judges each path.
        call: what judges patches and links, and says for operators where it is.
        start: the place of the folder that the commands begin in.
        tool_name: the tool's name as the model wrote it.
        arguments: the call's arguments.
        more: the operator's own tools that run commands, with the arguments that hold them.
        unknown: whether a path that is only known when the command runs is let through.

    Raises:
        Refusal: a path may not be used so, or is not known.
    """
    call.where = "the command"
    try:
        commands = commands_of(tool_name, arguments, more)
    except UnreadableCommandError as error:
        raise Refusal("opaque") from error
    for command in commands:
        if not command.foreign:
            ShellCall(judge, call, start, unknown=unknown).check(command.text)
        elif not unknown:
            raise Refusal("opaque")


class ShellCall:
    """Judges the paths of one shell command.

    Args:
        judge: what judges each path.
        call: what judges patches and links.
        start: the place of the folder that the command begins in.
        unknown: whether a path that is only known when the command runs is let through.
    """

    __slots__ = ("_call", "_checked", "_judge", "_made", "_start", "_unknown", "_words")

    def __init__(self, judge: PathJudge, call: Call, start: str, *, unknown: bool) -> None:
        self._judge = judge
        self._call = call
        self._start = start
        self._unknown = unknown
        self._checked: set[str] = set()
        self._made = Made()
        self._words = WordJudge(judge, "", self._made, unknown=unknown)

    def check(self, command: str) -> None:
        """Check every path that the command uses.

        Raises:
            Refusal: one of them may not be used so, or is not known.
        """
        self._words = WordJudge(self._judge, command, self._made, unknown=self._unknown)
        found = segments(command)
        folders = Folders(self._start, command, found, self._made)
        for number, segment in enumerate(found, 1):
            self._call.where = f"segment {number} of {len(found)} of the command"
            if segment.unreadable or segment.program is None or _is_opaque(segment):
                self._words.cannot_know("opaque")
            for folder in folders.of(segment):
                self._segment(segment, folder)
                folders.note(segment, folder)

    def _segment(self, segment: Segment, folder: str | None) -> None:
        for redirection in segment.redirections:
            access = CHANGE if redirection.writes else _STREAMED
            self._words.check(redirection.target, access, folder)
        if segment.function or segment.program is None or segment.program == ":":
            return
        arguments, given = arguments_of_segment(segment)
        if not is_plain(segment):
            self._check_folder(segment, folder)
            if segment.more:
                self._words.cannot_know("piped", segment.program)
        self._check_program(segment.word, folder)
        base = self._base(arguments, folder)
        if follows_links(segment, given):
            named = [word for kind, word in arguments if kind in {"r", "d"}]
            for word in named or [_HERE]:
                self._tree(word, base)
        for argument in arguments:
            self._argument(argument, segment, base)
        links = Links(self._words, self._made)
        links.check(arguments, given, base)
        links.note(segment.program, arguments, base)
        self._check_input(segment, arguments, base)

    def _base(self, arguments: list[Argument], folder: str | None) -> str | None:
        """Return the place that operands begin in, after the program's own folder options."""
        base = folder
        for kind, word in arguments:
            if kind in {"F", "G"}:
                self._words.check(word, _ACCESS[kind], base)
                base = self._inner(word, base)
        return base

    def _check_folder(self, segment: Segment, folder: str | None) -> None:
        if folder is None:
            self._words.cannot_know("unknown", "the working folder")
        elif folder not in self._checked:
            try:
                self._judge.settle(folder, _STREAMED, "/", segment.folder)
            except Refusal as refusal:
                shown = "" if segment.folder == "." else segment.folder
                raise Refusal("folder", shown) from refusal
            self._checked.add(folder)

    def _check_program(self, word: Word | None, folder: str | None) -> None:
        """Check a program that is named by its path; running it reads it."""
        text = word.text if word else None
        if word and text and "/" in text and posixpath.dirname(text) not in _SYSTEM:
            self._words.check(word, _STREAMED, folder)

    def _inner(self, word: Word, folder: str | None) -> str | None:
        """Return the place of a folder that an option names."""
        paths = self._words.paths(word, folder)
        if len(paths) != 1 or (folder is None and paths[0][0][0] != "/"):
            return None
        return walk(paths[0][0], folder or "/")

    def _argument(self, argument: Argument, segment: Segment, folder: str | None) -> None:
        kind, word = argument
        if _is_found_name(word, segment) or word.text == "-":
            return
        if kind in _ACCESS:
            if kind not in {"F", "G"} and not _is_remote(segment, word):
                self._words.check(word, _ACCESS[kind], folder)
        elif kind in {"u", "v"}:
            self._unknown_argument(word, CHANGE if kind == "u" else _STREAMED, folder)
        elif kind == "N":
            self._words.cannot_know("piped", segment.program)
        else:
            for text in word.values:
                self._named_in(kind, text, folder)

    def _unknown_argument(self, word: Word, access: Access, folder: str | None) -> None:
        """Check an argument of a program that nothing is known of, if it names a place."""
        if not word.values:
            if (not word.head and not word.raw.startswith(("<(", ">("))) or (
                LEADS_AWAY.match(word.head)
            ):
                self._words.check(word, access, folder)
        elif any(LEADS_AWAY.match(value) and "://" not in value for value in word.values):
            self._words.check(word, access, folder)
        elif word.glob:
            self._words.check(word, _STREAMED, folder)

    def _file_in_text(self, path: str | None, *, write: bool, folder: str | None) -> None:
        if path is None:
            self._words.cannot_know("unknown", "a file name in the script")
        elif path and path != "-":
            self._words.check_text(path, CHANGE if write else _STREAMED, folder)

    def _named_in(self, kind: str, text: str, folder: str | None) -> None:
        """Check the files that are named in a larger text."""
        if kind in _SCRIPTS:
            for path, write in _SCRIPTS[kind](text):
                self._file_in_text(path, write=write, folder=folder)
        elif kind == "U" and text.lower().startswith("file:"):
            self._judge.check(text, READ, folder or "/")
        elif kind == "V":
            found = _MOUNT.search(text)
            source = found[1] if found else text.partition(":")[0]
            if "/" in source or source in {".", "..", "~"}:
                read_only = text.endswith(":ro") or ",ro" in text or "readonly" in text
                self._words.check_text(source, READ if read_only else CHANGE, folder)
        elif kind == "@":
            _, mark, path = text.partition("@")
            if mark and path and (text[0] == "@" or "=@" in text or "/" in path):
                self._words.check_text(path.partition(";")[0], _STREAMED, folder)

    def _tree(self, word: Word, folder: str | None) -> None:
        """Check the links below what a word names, for a program that follows them."""
        for path, _ in self._words.paths(word, folder) if folder else ():
            place = walk(path, folder or "/")
            check_tree(
                place,
                lambda link: self._judge.settle(link, _STREAMED, "/", word.raw),
                word.raw,
            )

    def _check_input(self, segment: Segment, arguments: list[Argument], folder: str | None) -> None:
        """Check a text that the program reads, where it names files."""
        if segment.program in _PATCHERS:
            texts = [word for word in segment.words if "*** " in lead(word)]
            for word in [segment.stdin, *texts] if segment.stdin else texts:
                if not word.values:
                    self._words.cannot_know("unknown", "the patch")
                for text in word.values:
                    self._call.check_patch(text, folder or "/")
        elif segment.stdin and runs_code(segment) and not _has_script(arguments):
            for text in segment.stdin.values:
                for path, write in code_files(text):
                    self._file_in_text(path, write=write, folder=folder)


def _is_opaque(segment: Segment) -> bool:
    """Tell whether nobody can know what a segment does before it runs."""
    if not segment.opaque:
        return False
    # A script on the standard input is project code, as one that is run by its name.
    reads = any(not redirection.writes for redirection in segment.redirections)
    plain = all(word.text in {"-", "-s"} for word in segment.words)
    return segment.via != () or not (reads and plain and not segment.inputs)


def _has_script(arguments: list[Argument]) -> bool:
    """Tell whether a program was given its code otherwise than on its standard input."""
    return any(kind == "C" or (kind == "r" and word.text != "-") for kind, word in arguments)


def _is_found_name(word: Word, segment: Segment) -> bool:
    """Tell whether a word is what find puts in: a name below a folder that was checked."""
    return not word.values and word.raw == "{}" and segment.via[-1:] in {("find",), ("fd",)}


def _is_remote(segment: Segment, word: Word) -> bool:
    """Tell whether an argument names a file on another machine."""
    return segment.program in {"rsync", "scp", "sftp"} and _REMOTE.match(lead(word)) is not None
