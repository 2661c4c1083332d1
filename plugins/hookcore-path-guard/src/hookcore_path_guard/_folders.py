"""The folders that the segments of a shell command run in."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Sequence
from typing import Final

from hookcore_shell_guard import Segment

from ._arguments import lead
from ._made import Made
from ._refusals import Refusal
from ._walk import walk

__all__ = ["Folders"]

_CHANGES_FOLDER: Final = frozenset({"env", "sudo", "unshare", "chroot", "run0", "systemd-run"})
_MOVERS: Final = frozenset({"cd", "pushd"})
# Between a cd and this, what comes next runs also when the cd failed.
_GOES_ON: Final = re.compile(r"[;\n|]|(?<!&)&(?!&)|\b(?:if|while|until)\b|!")
_STREAM_COPIES: Final = re.compile(r"\d?[<>]&\d?-?|&>")


class Folders:
    """Knows where a command's segments run.

    Args:
        start: the place of the folder that the command begins in.
        command: the command.
        found: its segments.
        origins: the names that the command makes out of others.
    """

    __slots__ = (
        "_made",
        "_origins",
        "_physical",
        "_places",
        "_start",
        "_surely",
    )

    def __init__(self, start: str, command: str, found: Sequence[Segment], origins: Made) -> None:
        self._start = start
        self._origins = origins
        self._places: dict[str, tuple[str | None, ...]] = {}
        self._made: set[str] = set()
        self._physical = any(_follows_links(segment) for segment in found)
        first = re.search(r"\b(?:cd|pushd)\b", command)
        after = _STREAM_COPIES.sub("", command[first.start() :]) if first else ""
        self._surely = _GOES_ON.search(after) is None and "!" not in command

    def of(self, segment: Segment) -> tuple[str | None, ...]:
        """Return the places where a segment may run; one that is not known is None."""
        text = segment.folder
        if text is None:
            return (None,)
        if text == ".":
            return (self._start,)
        if self._origins:
            return self._resolved(text)
        if text not in self._places:
            self._places[text] = self._resolved(text)
        return self._places[text]

    def note(self, segment: Segment, folder: str | None) -> None:
        """Take note of the folders that a segment makes, before others go there."""
        words = [word.text for word in segment.words]
        if folder is None or None in words:
            return
        texts = [word for word in words if word]
        if segment.program == "mkdir" and not any(word.startswith(("-m", "--m")) for word in texts):
            with_parents = any(re.match(r"-\w*p|--pa", word) for word in texts)
            for path in (_joined(folder, word) for word in texts if word[0] != "-"):
                self._note_folder(path, with_parents=with_parents)
        elif segment.program == "git" and {"clone", "worktree"} & set(texts[:1]):
            name = posixpath.basename(texts[-1].rstrip("/"))
            self._made.update(
                (_joined(folder, texts[-1]), _joined(folder, name.removesuffix(".git")))
            )

    def _note_folder(self, path: str, *, with_parents: bool) -> None:
        """Take note of a folder, if making it will work."""
        above = posixpath.dirname(path)
        if os.path.lexists(path):
            return
        if with_parents:
            while not os.path.lexists(path):
                self._made.add(path)
                path = posixpath.dirname(path)
        elif above in self._made or os.path.isdir(above):  # noqa: PTH112 - a string
            self._made.add(path)

    def _resolved(self, text: str) -> tuple[str | None, ...]:
        if text[0] == "~" and text[1:2] not in {"", "/"}:
            # Another home, or a folder that the shell was in before.
            return (None,)
        path = posixpath.join(self._start, os.path.expanduser(text))  # noqa: PTH111 - a string
        # The shell itself goes back by the name that it came by.
        logical = posixpath.normpath(path)
        place = walk(path if self._physical else logical)
        later = self._later(path) if self._origins else []
        goes = self._surely or logical in self._made
        goes = goes or os.path.isdir(place)  # noqa: PTH112 - a string
        if goes and (self._surely or _can_be_walked(path)):
            return (place, *later)
        # There is no such folder: the rest runs where it was.
        return (place, *later, self._start)

    def _later(self, path: str) -> list[str]:
        """Return where a path leads when the command itself has made the way."""
        try:
            return [walk(path, look=self._origins.look)]
        except Refusal:
            return []


def _can_be_walked(path: str) -> bool:
    """Tell whether every folder is there that a path goes up from; the shell looks for them."""
    try:
        walk(path)
    except Refusal:
        return False
    return True


def _joined(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path))


def _follows_links(segment: Segment) -> bool:
    """Tell whether a segment changes the folder as the kernel does, not by the folder's name."""
    if segment.program in _CHANGES_FOLDER:
        return True
    options = segment.words[:2] if segment.program in {*_MOVERS, "set"} else []
    return any(lead(word)[:1] == "-" and "P" in lead(word) for word in options)
