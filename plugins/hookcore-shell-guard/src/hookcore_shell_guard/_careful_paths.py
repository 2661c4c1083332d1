"""The reach of a command: how much it removes or changes, as far as its words tell."""

from __future__ import annotations

import re
from typing import Final

from ._findings import Place, below, resolve
from ._names import names
from ._options import Arguments
from .commands import Segment, Word

_TEMPORARY: Final = tuple(f"/{name}" for name in ("tmp", "var/tmp", "private/tmp", "dev/shm"))
_NARROW: Final = names("""
    -name -iname -path -ipath -wholename -iwholename -regex -iregex -empty -newer -newermt
    -newerct -mtime -mmin -atime -amin -ctime -cmin -size -inum -samefile -lname -links
    """)
_NO_TESTS: Final = frozenset({"-a", "-and", "-depth", "-xdev", "-mount", "-print"})
_NO_VALUE: Final = frozenset({"-empty"})
_START_FILES: Final = re.compile(
    r"\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc"
    r"|cshrc|tcshrc|gitconfig|ssh(?:/.*)?|config/(?:git|fish|autostart|systemd)(?:/.*)?|inputrc"
    r"|gnupg(?:/.*)?|netrc|aws(?:/.*)?|kube(?:/.*)?|pam_environment|xprofile|xinitrc|vimrc|npmrc|pypirc|docker/config\.json)"
)
_SYSTEM: Final = re.compile(
    r"/(?:etc|boot|usr|bin|sbin|lib\w*|sys|proc|root|System|Library|Windows|opt|var/(?:lib|spool|log))(?:/.*)?"
)
_HOOKS: Final = re.compile(r"(?:.*/)?\.git/hooks(?:/.*)?")
_PLAIN_PART: Final = re.compile(r"[A-Za-z0-9_]")


def removes_too_much(segment: Segment, place: Place) -> bool:
    """Return True when an ``rm`` may remove more than named things inside the project.

    Args:
        segment: the segment of ``rm`` or of a like program.
        place: the surroundings of the call.
    """
    found = Arguments(segment.words)
    recursive = found.has("rR", "--recursive") or segment.program == "rimraf"
    if found.has("", "--no-preserve-root"):
        return True
    fed = segment.more or any(word.raw == "{}" for word in found.operands)
    if fed and _fed_too_much(segment, place, recursive=recursive):
        return True
    return any(
        _target_is_too_much(word, segment, place, recursive=recursive)
        for word in found.operands
        if word.raw != "{}" or word.values
    )


def _fed_too_much(segment: Segment, place: Place, *, recursive: bool) -> bool:
    """Judge names that come from elsewhere: from a find they are as narrow as its tests."""
    finds = [source for source in segment.inputs if source.program == "find"]
    by_find = bool(segment.via) and segment.via[-1] in ("find", "fd", "fdfind")
    if by_find:
        return bool(finds) and sweeps_too_much(finds[-1], place)
    if recursive:
        return True
    return bool(finds) and sweeps_too_much(finds[-1], place)


def _target_is_too_much(word: Word, segment: Segment, place: Place, *, recursive: bool) -> bool:
    if not word.values:
        return recursive or _outside(word.head, word, segment, place)
    return any(
        _path_is_too_much(text, word, segment, place, recursive=recursive) for text in word.values
    )


def _outside(head: str, word: Word, segment: Segment, place: Place) -> bool:
    """Tell that the known beginning of a path leads outside already."""
    if head[:1] not in ("/", "~") and not head.startswith("../"):
        return False
    path = resolve(head, word, segment, place)
    return path is None or not _allowed(path, place)


def _path_is_too_much(
    text: str, word: Word, segment: Segment, place: Place, *, recursive: bool
) -> bool:
    if not text:
        return False
    if re.match(r"[A-Za-z]:[\\/]|\\\\|[A-Za-z]:$", text):
        return True
    wild = word.glob and bool(re.search(r"[*?\[]", text))
    wide = False
    if wild:
        text, wide = _before_wildcard(text)
    path = resolve(text or ".", word, segment, place)
    if path is None:
        return recursive or word.home
    if wild and not wide:
        # A narrow pattern may stand in the project's own folder.
        return path != place.project and not _allowed(path, place)
    if path in (place.cwd, place.project) and place.project is not None:
        return wide or recursive
    return not _allowed(path, place) or (recursive and "/.git/" in path + "/")


def _before_wildcard(text: str) -> tuple[str, bool]:
    """Return the path before the first wildcard, and whether all that follows is wild."""
    parts = text.split("/")
    first = next(index for index, part in enumerate(parts) if re.search(r"[*?\[]", part))
    rest = parts[first:]
    before = "/".join(parts[:first]) or ("/" if text[:1] == "/" else "")
    if ".." in rest:
        return before + "/..", True
    narrow = any(_PLAIN_PART.search(re.sub(r"\[[^\]]*\]", "", part)) for part in rest)
    return before, not narrow


def _allowed(path: str, place: Place) -> bool:
    """Tell that a path is strictly inside the project or a folder for temporary files."""
    if any(below(path, folder) for folder in _TEMPORARY):
        return not (place.project is not None and below(place.project, path))
    return place.project is not None and below(path, place.project)


def sweeps_too_much(find: Segment, place: Place) -> bool:
    """Return True when a find has no narrow test or starts outside the project.

    Args:
        find: the segment of a find that deletes, or whose names are deleted.
        place: the surroundings of the call.
    """
    starts: list[Word] = []
    words = find.words
    index = 0
    while index < len(words) and (words[index].text or "") in ("-H", "-L", "-P"):
        index += 1
    while index < len(words) and (words[index].text or words[index].head or "?")[:1] not in "-(!":
        starts.append(words[index])
        index += 1
    if not _narrow(words[index:]):
        return True
    for word in starts:
        if not word.values:
            return True
        for text in word.values:
            path = resolve(text, word, find, place)
            inside = path is not None and (
                path == place.project or path in _TEMPORARY or _allowed(path, place)
            )
            if not inside:
                return True
    return False


def _narrow(words: list[Word]) -> bool:
    """Tell that every branch of a find's tests before its action holds a narrow test."""
    branches = [[False]]
    negated = False
    index = 0
    while index < len(words):
        text = words[index].text or ""
        index += 1
        if text in ("-delete", "-exec", "-execdir", "-ok", "-okdir"):
            break
        if text == "(":
            branches.append([False])
        elif text == ")" and len(branches) > 1:
            inner = branches.pop()
            branches[-1][-1] = branches[-1][-1] or (all(inner) and not negated)
            negated = False
        elif text in ("-o", "-or", ","):
            if len(branches) == 1:
                # What comes before belongs to another action.
                branches[-1] = [False]
            else:
                branches[-1].append(False)
        elif text in ("!", "-not"):
            negated = True
        elif text[:1] == "-" and text not in _NO_TESTS:
            value = words[index] if index < len(words) else None
            if not negated and _is_narrow(text, value):
                branches[-1][-1] = True
            index += text not in _NO_VALUE
            negated = False
    return all(branches[0])


def _is_narrow(test: str, value: Word | None) -> bool:
    """Tell that a test picks some of the files: its pattern holds more than wildcards."""
    if test not in _NARROW and not test.startswith("-newer"):
        return False
    return test in _NO_VALUE or (value is not None and bool(_PLAIN_PART.search(value.text or "")))


def spreads_too_far(segment: Segment, place: Place) -> bool:
    """Return True when a recursive chmod or chown takes in the project, home or the system.

    Args:
        segment: the segment of chmod, chown or chgrp.
        place: the surroundings of the call.
    """
    found = Arguments([word for word in segment.words if not _is_mode(word)])
    if not found.has("R", "--recursive"):
        return False
    by_reference = found.has("", "--reference")
    if segment.more:
        return True
    skip = 0 if by_reference or _mode_given(segment) else 1
    return any(
        _target_is_too_much(word, segment, place, recursive=True) for word in found.operands[skip:]
    )


def _is_mode(word: Word) -> bool:
    """Tell modes such as ``-x`` and ``-w`` from options."""
    return bool(re.fullmatch(r"-[rwxXst]+", word.text or "")) and "R" not in (word.text or "")


def _mode_given(segment: Segment) -> bool:
    return segment.program == "chmod" and any(_is_mode(word) for word in segment.words)


def sensitive(text: str, word: Word, segment: Segment, place: Place) -> bool:
    """Return True when a path is one of the shell's, git's or the system's own settings.

    Args:
        text: one of the word's values, or its known beginning.
        word: the word that names the path.
        segment: the segment that writes there.
        place: the surroundings of the call.
    """
    path = resolve(text, word, segment, place)
    if path is None:
        return False
    if _HOOKS.fullmatch(path):
        return True
    if place.project is not None and (path == place.project or below(path, place.project)):
        return False
    if below(path, place.home):
        return bool(_START_FILES.fullmatch(path[len(place.home) + 1 :]))
    if path.startswith(("/home/", "/Users/")):
        inside = path.split("/", 3)[3:]
        return bool(inside) and bool(_START_FILES.fullmatch(inside[0]))
    return bool(_SYSTEM.fullmatch(path))
