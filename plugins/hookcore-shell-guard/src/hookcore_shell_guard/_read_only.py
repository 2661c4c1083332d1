"""The preset ``read-only``: nothing but programs that are known to read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ._findings import Finding, Place
from ._git import Git, git_of
from ._names import names
from ._options import Arguments, texts
from ._readers import CHECKED, PLAIN, WRAPPERS, is_null
from ._versions import asks_version
from .commands import Redirection, Segment, Word

_ADVICE: Final = (
    "This workspace is read-only: use cat, rg, find, git diff and their like, and put what you "
    "would write into your answer."
)
_FOLDERS: Final = names(
    "/bin /usr/bin /usr/local/bin /sbin /usr/sbin /usr/local/sbin /opt/homebrew/bin"
)
_NAMES_CODE: Final = re.compile(
    r"LD_\w+|DYLD_\w+|BASH_ENV|ENV|PATH|PAGER|MANPAGER|GIT_(?:PAGER|EXTERNAL_DIFF|SSH|SSH_\w+|PROXY\w*"
    r"|CONFIG\w*|EDITOR|SEQUENCE_EDITOR|ASKPASS|EXEC_PATH|DIR|TEMPLATE_DIR|WORK_TREE|TRACE\w*"
    r"|REDIRECT_\w+|ALTERNATE_OBJECT_DIRECTORIES|OBJECT_DIRECTORY|ATTR_SOURCE|INDEX_FILE)|EDITOR"
    r"|VISUAL|PYTHON\w+|NODE_OPTIONS|NODE_PATH|PERL5\w*|RUBYOPT|RUBYLIB|RIPGREP_CONFIG_PATH"
    r"|LESSOPEN|LESSCLOSE|LESSKEY\w*|LESS|PROMPT_COMMAND|PS[0-4]|IFS|SHELLOPTS|BASHOPTS|BASH_FUNC_\w*"
    r"|GREP_OPTIONS|MANOPT|BAT_PAGER|TAR_OPTIONS|JAVA_TOOL_OPTIONS|SSH_ASKPASS|BROWSER|SHELL"
    r"|GCONV_PATH|TERMINFO\w*|INPUTRC|ZDOTDIR|TZDIR|FPATH|CDPATH"
)
_HARMLESS_SETTINGS: Final = re.compile(
    r"(?i)(?:color\.(?!pager)[\w.]+|core\.quotepath|advice\.\w+|log\.\w+)(?:=.*)?", re.DOTALL
)
_GIT_READERS: Final = names("""
    status diff log show blame annotate shortlog describe rev-parse rev-list ls-files ls-tree
    cat-file grep diff-tree diff-index diff-files cherry merge-base name-rev for-each-ref show-ref
    show-branch count-objects verify-commit verify-tag whatchanged range-diff check-ignore
    check-attr check-mailmap check-ref-format var help version stripspace column get-tar-commit-id
    """)
_GIT_RUNS: Final = ("--output", "--ext-diff", "--textconv", "--filters", "--open-files-in-pager")
_GIT_LISTS: Final[dict[str, tuple[str, ...]]] = {
    "stash": ("list", "show"),
    "worktree": ("list",),
    "notes": ("", "list", "show"),
    "bisect": ("log", "view", "terms"),
    "submodule": ("", "status", "summary"),
    "sparse-checkout": ("list",),
    "lfs": ("", "ls-files", "status", "env", "version"),
    "bundle": ("verify", "list-heads"),
    "maintenance": (),
}


def forbids(segment: Segment, _: Place) -> Finding | None:
    """Return why the preset forbids a segment; None when it only reads.

    Args:
        segment: a segment that is not opaque.
        _: the surroundings of the call, which do not matter here.
    """
    program = segment.program or ""
    if segment.function or _reads(program, segment):
        return None
    return Finding("is not known to do nothing but read", _ADVICE)


def forbids_around(segment: Segment, _: Place) -> Finding | None:
    """Return why the preset forbids a segment's redirections or variables; None when it does not.

    Args:
        segment: any segment.
        _: the surroundings of the call, which do not matter here.
    """
    for redirection in segment.redirections:
        if writes_file(redirection):
            return Finding("writes to a file by redirection", _ADVICE)
    for name, value in segment.environment.items():
        if _NAMES_CODE.fullmatch(name) and not _harmless_value(name, value):
            return Finding(
                f"sets {name[:40]}, which can name programs or libraries to run",
                "Run it without that variable.",
            )
    return None


def writes_file(redirection: Redirection) -> bool:
    """Return True when a redirection writes to more than the null device or a stream."""
    if not redirection.writes:
        return False
    values = redirection.target.values
    return not values or not all(is_null(text) for text in values)


def _harmless_value(name: str, value: Word) -> bool:
    if name in ("PAGER", "GIT_PAGER", "MANPAGER", "BAT_PAGER"):
        return value.text in ("cat", "")
    return name in ("IFS", "LESS", "PS4") and value.text is not None and "!" not in value.text


def _reads(program: str, segment: Segment) -> bool:
    written = segment.word.text if segment.word is not None else None
    if segment.word is not None and "/" in (segment.word.raw if written is None else written):
        folder = (written or "").rpartition("/")[0]
        if folder not in _FOLDERS:
            return False
    if asks_version(segment):
        return True
    if program in PLAIN:
        return not _sets_code(program, segment)
    if program in CHECKED:
        return CHECKED[program](segment)
    if program in WRAPPERS:
        return _wrapper_reads(program, segment)
    git = git_of(segment)
    return git is not None and _git_reads(git)


def _sets_code(program: str, segment: Segment) -> bool:
    """Tell that a command of the shell sets a variable that names code, or may."""
    if program in ("read", "mapfile", "readarray", "getopts", "printf"):
        return any(_NAMES_CODE.fullmatch(text) for text in texts(segment.words))
    if program in ("export", "declare", "typeset", "readonly", "local"):
        return any(not word.values and not word.head for word in segment.words)
    return program == "bc" and segment.more


def _wrapper_reads(program: str, segment: Segment) -> bool:
    if program in ("time", "gtime"):
        return not Arguments(segment.words, "fo", permute=False).has("o", "--output")
    if program in ("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash"):
        return _shell_reads(segment)
    if program in ("exec", "eval", "trap", "alias", "env", "xargs"):
        return True
    if program == "parallel" and Arguments(segment.words).has("", "--results", "--joblog"):
        return False
    return bool(segment.words) or segment.more


def _shell_reads(segment: Segment) -> bool:
    """Tell that a shell is given its commands in the call; a script of the project is not read."""
    found = Arguments(segment.words, "oO", ("--rcfile", "--init-file"), permute=False)
    if found.has("il", "--login", "--rcfile", "--init-file") and not found.has("c"):
        return False
    if found.has("c"):
        return not found.has("i", "--rcfile", "--init-file")
    return segment.stdin is not None and not found.operands


def _git_reads(git: Git) -> bool:
    if git.name is None or not _harmless_globals(git):
        return False
    found = git.arguments()
    if found.has("", *_GIT_RUNS):
        return False
    if git.name == "" or [word.text for word in git.words] == ["--help"]:
        return True
    rule = _GIT_RULES.get(git.name)
    if rule is not None:
        return rule(git, found)
    if git.name in _GIT_LISTS:
        first = found.operands[0].text if found.operands else ""
        return first in _GIT_LISTS[git.name]
    return git.name in _GIT_READERS


def _grep(_: Git, found: Arguments) -> bool:
    return not found.has("O")


def _remote(git: Git, found: Arguments) -> bool:
    first = git.first()
    return first in ("", "-v", "--verbose", "get-url") or (first == "show" and found.has("n"))


def _symbolic_ref(_: Git, found: Arguments) -> bool:
    return len(found.operands) == 1 and not found.has("dm", "--delete")


def _reflog(_: Git, found: Arguments) -> bool:
    return not found.operands or found.operands[0].text not in ("expire", "delete", "drop", None)


def _harmless_globals(git: Git) -> bool:
    index = 0
    words = git.before
    while index < len(words):
        text = words[index].text
        if text is None:
            return False
        if text == "-c":
            setting = words[index + 1] if index + 1 < len(words) else None
            text = (setting.text if setting.text is not None else "") if setting else ""
            if not _HARMLESS_SETTINGS.fullmatch(text or ""):
                return False
            index += 2
        elif text == "-C":
            index += 2
        elif text in (
            "--no-pager",
            "-P",
            "--no-optional-locks",
            "--literal-pathspecs",
            "--bare",
            "--no-replace-objects",
            "--icase-pathspecs",
            "--glob-pathspecs",
            "--noglob-pathspecs",
            "--version",
            "--help",
            "-v",
            "-h",
            "--html-path",
            "--man-path",
            "--info-path",
            "--exec-path",
        ):
            index += 1
        else:
            return False
    return True


def _lists_refs(git: Git, found: Arguments) -> bool:
    """Tell that ``git branch`` or ``git tag`` lists: with operands they create."""
    changes = "dDmMcCfu" if git.name == "branch" else "adfFmsu"
    if found.has(changes):
        return False
    written = (
        "--delete",
        "--move",
        "--copy",
        "--force",
        "--edit-description",
        "--unset-upstream",
        "--set-upstream-to",
        "--track",
        "--no-track",
        "--create-reflog",
        "--annotate",
        "--sign",
        "--local-user",
        "--message",
        "--file",
        "--edit",
        "--recurse-submodules",
    )
    longs = [option.name for option in found.options if option.name[2:]]
    if any(long.startswith(option) for option in longs for long in written):
        return False
    if not found.operands:
        return True
    listing = found.has(
        "lnv" if git.name == "tag" else "lr",
        "--list",
        "--contains",
        "--no-contains",
        "--merged",
        "--no-merged",
        "--points-at",
        "--sort",
        "--format",
        "--verify",
    )
    filtering = found.has("", "--sort", "--format") and not found.has(
        "l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"
    )
    return listing and not filtering


def _reads_setting(git: Git, found: Arguments) -> bool:
    if git.first() in ("list", "get"):
        return True
    if found.has("l", "--list", "--get", "--get-all", "--get-regexp", "--get-urlmatch"):
        return not found.has("e", "--add", "--unset", "--unset-all", "--replace-all", "--edit")
    if found.has(
        "e",
        "--add",
        "--unset",
        "--unset-all",
        "--replace-all",
        "--edit",
        "--rename-section",
        "--remove-section",
    ):
        return False
    written = ("set", "unset", "edit", "rename-section", "remove-section")
    return len(found.operands) == 1 and git.first() not in written


_GIT_RULES: Final[dict[str, Callable[[Git, Arguments], bool]]] = {
    "grep": _grep,
    "branch": _lists_refs,
    "tag": _lists_refs,
    "config": _reads_setting,
    "remote": _remote,
    "symbolic-ref": _symbolic_ref,
    "reflog": _reflog,
}
