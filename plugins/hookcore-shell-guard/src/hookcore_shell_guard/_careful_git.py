"""Git commands that lose work or change a remote in a way that cannot be undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ._git import Git, forced_push, hidden_options
from ._options import Arguments, texts
from .commands import Segment

_EVERYTHING: Final = frozenset(
    {".", "./", ":/", ":/.", ":", "*", ":/*", "..", "../", ":(top)", ":(top)."}
)


def loses_work(git: Git, segment: Segment) -> bool:
    """Return True when a git command loses work or overwrites what a remote has.

    Args:
        git: the command.
        segment: the segment that it stands in.
    """
    if git.name is None:
        return True
    rule = _RULES.get(git.name)
    if rule is None:
        return False
    if git.name in ("push", "reset", "clean", "stash", "reflog") and hidden_options(git):
        return True
    return rule(git, git.arguments(), segment)


def _takes_everything(found: Arguments) -> bool:
    return any(text in _EVERYTHING for text in texts(found.operands))


def _checkout(_: Git, found: Arguments, __: Segment) -> bool:
    if found.has("f", "--force"):
        return True
    creates = found.has("bB", "--orphan")
    return not creates and not found.has("p", "--patch") and _takes_everything(found)


def _restore(_: Git, found: Arguments, __: Segment) -> bool:
    only_index = found.has("S", "--staged") and not found.has("W", "--worktree")
    return not only_index and not found.has("p", "--patch") and _takes_everything(found)


def _clean(_: Git, found: Arguments, __: Segment) -> bool:
    return found.has("f", "--force") and not found.has("n", "--dry-run")


def _branch(_: Git, found: Arguments, __: Segment) -> bool:
    if found.has("D"):
        return True
    return found.has("d", "--delete") and found.has("f", "--force")


def _remote_tag(git: Git, _: Arguments, __: Segment) -> bool:
    return forced_push(git)


def _stash(git: Git, _: Arguments, __: Segment) -> bool:
    return git.first() in ("drop", "clear")


def _reflog(git: Git, found: Arguments, _: Segment) -> bool:
    return git.first() in ("expire", "delete", "drop") and not found.has("n", "--dry-run")


def _gc(_: Git, found: Arguments, __: Segment) -> bool:
    return any(
        (option.value.text or "now").lower() not in ("never", "")
        and ("now" in (option.value.text or "now") or option.value.text in ("all", "0"))
        for option in found.find("", "--prune")
    )


def _worktree(git: Git, found: Arguments, _: Segment) -> bool:
    return git.first() == "remove" and found.has("f", "--force")


def _remove(_: Git, found: Arguments, __: Segment) -> bool:
    return found.has("r") and _takes_everything(found) and not found.has("", "--cached")


def _always(_: Git, __: Arguments, ___: Segment) -> bool:
    return True


Rule = Callable[[Git, Arguments, Segment], bool]
_RULES: Final[dict[str, Rule]] = {
    "push": _remote_tag,
    "send-pack": _remote_tag,
    "reset": lambda _, found, __: found.has("", "--hard"),
    "clean": _clean,
    "checkout": _checkout,
    "restore": _restore,
    "switch": lambda _, found, __: (
        found.has("f", "--discard-changes")
        or any(option.name in ("--force", "--forc", "--for") for option in found.options)
    ),
    "branch": _branch,
    "stash": _stash,
    "filter-branch": _always,
    "filter-repo": _always,
    "reflog": _reflog,
    "gc": _gc,
    "prune": lambda _, found, __: not found.has("n", "--dry-run"),
    "update-ref": lambda _, found, __: found.has("d", "--stdin"),
    "worktree": _worktree,
    "rm": _remove,
    "submodule": lambda git, found, _: (
        git.first() == "deinit" and found.has("f", "--force") and found.has("", "--all")
    ),
    "lfs": lambda git, found, _: git.first() == "prune" and found.has("f", "--force"),
}
