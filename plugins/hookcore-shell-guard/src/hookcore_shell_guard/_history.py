"""The preset ``no-history-rewriting``: no commit, branch or tag gets lost."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Callable
from typing import Final

from ._code import INTERPRETERS, inline_code
from ._findings import Finding, Place
from ._git import Git, as_git, forced_push, git_of, hidden_options
from ._names import names
from ._options import Arguments, texts
from ._skim import writes_store
from ._writes import found_words, written_paths
from .commands import Segment, Word

_ADVICE: Final = (
    "History stays as it is here: add a commit (git commit, git revert) or a branch instead, and "
    "leave rewriting to a person."
)
_STORE_ADVICE: Final = "Use git itself for changes to the repository; leave its folder alone."
_PATH_LIKE: Final = re.compile(r"(?:\.{1,2}(?:/.*)?|.*/|.*\.[A-Za-z][A-Za-z0-9]{0,7})", re.DOTALL)
_GIT_SETTINGS: Final = re.compile(r"GIT_CONFIG_(?:PARAMETERS|KEY_\d+|VALUE_\d+)")


def forbids(segment: Segment, _: Place) -> Finding | None:
    """Return why the preset forbids a segment; None when it keeps the history.

    Args:
        segment: a segment that is not opaque, or one whose program alone is not known.
        _: the surroundings of the call, which do not matter here.
    """
    program = segment.program
    if program is None:
        return _unknown_program(segment)
    found = _rewrites_by(program, segment)
    if found is not None:
        return found
    stored = any(_in_store(text, word, segment) for text, word in written_paths(segment))
    if stored or _removes_found(segment):
        return Finding("changes the folder .git", _STORE_ADVICE)
    return None


def _rewrites_by(program: str, segment: Segment) -> Finding | None:
    git = git_of(segment)
    if git is not None:
        hides = any(_GIT_SETTINGS.fullmatch(name) for name in segment.environment)
        if hides or rewrites(git, segment):
            return Finding("rewrites or drops history, or may", _ADVICE)
    elif program in ("bfg", "java") and _runs_bfg(program, segment):
        return Finding("rewrites or drops history, or may", _ADVICE)
    elif program == "gh" and _deletes_on_github(segment):
        return Finding("deletes a repository or a ref", _ADVICE)
    elif INTERPRETERS.fullmatch(program) and any(
        writes_store(code) for code in texts(inline_code(segment) or [])
    ):
        return Finding("changes the folder .git", _STORE_ADVICE)
    return None


def forbids_around(segment: Segment, _: Place) -> Finding | None:
    """Return why the preset forbids a segment's redirections; None when it does not.

    Args:
        segment: any segment.
        _: the surroundings of the call, which do not matter here.
    """
    for redirection in segment.redirections:
        if not redirection.writes:
            continue
        word = redirection.target
        if any(_in_store(text, word, segment) for text in word.values or (word.head, word.tail)):
            return Finding("writes into the folder .git", _STORE_ADVICE)
    return None


def _unknown_program(segment: Segment) -> Finding | None:
    """Judge an unknown program: it passes unless the text names git or it would rewrite as git."""
    words = [segment.word, *segment.words]
    named = any("git" in word.raw.lower() for word in words if word is not None)
    if named or rewrites(as_git(segment), segment):
        return Finding("runs a program that is only known when it runs", "Name the program.")
    return None


def rewrites(git: Git, segment: Segment) -> bool:
    """Return True when a git command rewrites or drops history.

    Args:
        git: the command.
        segment: the segment that it stands in.
    """
    if git.name is None:
        return True
    rule = _RULES.get(git.name)
    if rule is None:
        return False
    if git.name in _HIDING and (hidden_options(git) or (segment.more and not git.words)):
        return True
    return rule(git, git.arguments())


def _reset(_: Git, found: Arguments) -> bool:
    if found.has("p", "--patch"):
        return False
    operands = found.before_end
    moving = found.has("", "--hard", "--soft", "--mixed", "--keep", "--merge")
    if not operands or (
        (len(operands) > 1 or (found.ended and len(found.operands) > 1)) and not moving
    ):
        return False
    first = operands[0]
    if first.text in ("HEAD", "@"):
        return False
    if moving:
        return True
    return first.text is None or not _PATH_LIKE.fullmatch(first.text)


def _pull(_: Git, found: Arguments) -> bool:
    for option in found.find("r", "--rebase"):
        if option.value.text not in ("false", "no"):
            return True
    return _overwrites(_, found)


def _overwrites(_: Git, found: Arguments) -> bool:
    """Tell that a fetch writes over local branches: ``+src:dst``."""
    return any(
        text[:1] == "+" and ":" in text and ":refs/remotes/" not in text
        for text in texts(found.operands)
    )


def _rebase(_: Git, found: Arguments) -> bool:
    return not found.has("", "--abort", "--quit", "--show-current-patch") and not found.has("h")


def _stash(git: Git, _: Arguments) -> bool:
    return git.first() in ("drop", "clear") or (bool(git.words) and not git.words[0].values)


def _reflog(git: Git, _: Arguments) -> bool:
    return git.first() in ("expire", "delete", "drop") or (
        bool(git.words) and not git.words[0].values
    )


def _branch(_: Git, found: Arguments) -> bool:
    return found.has("DfMC", "--force")


def _lfs(git: Git, _: Arguments) -> bool:
    names = [word.text for word in git.words[:2]]
    return names[:1] == ["migrate"] and names[1:] != ["info"]


def _gc(_: Git, found: Arguments) -> bool:
    return any(option.value.text != "never" for option in found.find("", "--prune"))


def _always(_: Git, found: Arguments) -> bool:
    return not found.has("h", "--help")


def _replace(_: Git, found: Arguments) -> bool:
    return bool(found.operands) and not found.has("l", "--list")


_RULES: Final[dict[str, Callable[[Git, Arguments], bool]]] = {
    "push": lambda git, _: forced_push(git),
    "send-pack": lambda git, _: forced_push(git),
    "http-push": lambda git, _: forced_push(git),
    "commit": lambda _, found: found.has("", "--amend"),
    "rebase": _rebase,
    "pull": _pull,
    "fetch": _overwrites,
    "reset": _reset,
    "filter-branch": _always,
    "filter-repo": _always,
    "replace": _replace,
    "update-ref": _always,
    "fast-import": _always,
    "prune": lambda _, found: not found.has("n", "--dry-run"),
    "lfs": _lfs,
    "branch": _branch,
    "checkout": lambda _, found: found.has("B"),
    "switch": lambda _, found: found.has("C", "--force-create"),
    "tag": lambda _, found: found.has("df", "--delete", "--force"),
    "stash": _stash,
    "reflog": _reflog,
    "gc": _gc,
}
_HIDING: Final = names("push commit reset branch stash reflog")


def _removes_found(segment: Segment) -> bool:
    """Tell that what a find finds in ``.git`` is removed or written."""
    if segment.program not in (
        "rm",
        "rmdir",
        "mv",
        "cp",
        "shred",
        "truncate",
        "sed",
        "tee",
        "chmod",
    ):
        return False
    return any(
        _in_store(text, word, source)
        for source in segment.inputs
        if source.program == "find"
        and (segment.more or segment.via[-1:] in (("find",), ("xargs",)))
        for word in found_words(source)
        for text in word.values or (word.head,)
    )


def _runs_bfg(program: str, segment: Segment) -> bool:
    return program == "bfg" or any("bfg" in text for text in texts(segment.words))


def _deletes_on_github(segment: Segment) -> bool:
    found = Arguments(segment.words, "XHfFqtR", ("--method", "--header", "--field", "--raw-field"))
    names = [word.text for word in found.operands[:2]]
    if names == ["repo", "delete"]:
        return True
    methods = [(word.text or "DELETE").upper() for word in found.values("X", "--method")]
    return names[:1] == ["api"] and ("DELETE" in methods or _forces_ref(found, methods))


def _forces_ref(found: Arguments, methods: list[str]) -> bool:
    fields = texts(found.values("fF", "--field", "--raw-field"))
    return "PATCH" in methods and any(text.startswith("force=true") for text in fields)


def _in_store(text: str, word: Word, segment: Segment) -> bool:
    """Tell that a path leads into a folder named ``.git``, as far as its text says."""
    if "git" not in text.lower() and not word.glob and ".git" not in (segment.folder or ""):
        return False
    path = text
    if segment.folder and text[:1] not in ("/", "~"):
        path = posixpath.join(segment.folder, text)
    for part in posixpath.normpath(path).split("/"):
        folded = part.casefold().rstrip(". ")
        if folded == ".git":
            return True
        # "." does not match a wildcard at the beginning, so ".*" and ".g*" do and "*" does not.
        if word.glob and folded[:1] in (".", "[") and fnmatch.fnmatchcase(".git", folded):
            return True
    return False
