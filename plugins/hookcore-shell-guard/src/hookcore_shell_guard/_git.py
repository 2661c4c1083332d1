"""Reading a git command: global options, subcommand, its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ._names import names
from ._operands import git_command
from ._options import Arguments, texts
from .commands import Segment, Word

_SHORT: Final = {
    "commit": "mFcCtu",
    "push": "o",
    "merge": "mFsX",
    "tag": "mFun",
    "log": "nSGL",
    "clone": "bcjou",
    "fetch": "jo",
    "pull": "josX",
    "grep": "efABCm",
    "reset": "",
    "branch": "u",
    "checkout": "",
    "switch": "",
    "stash": "m",
    "clean": "e",
    "rebase": "xsXC",
    "notes": "mFCc",
    "worktree": "bB",
    "submodule": "b",
    "remote": "tm",
    "archive": "o",
    "config": "f",
}
_LONG: Final = names(
    "--message --file --author --date --template --reuse-message --reedit-message --trailer "
    "--squash --fixup --cleanup --pathspec-from-file --branch --depth --origin --upload-pack "
    "--receive-pack --repo --push-option --strategy --strategy-option --set-upstream-to "
    "--local-user --onto --exclude --format --pretty --since --until --before --after --grep "
    "--max-count --skip --output --max-depth --jobs --reference --separate-git-dir --config "
    "--server-option --shallow-since --remote --prefix --sort --contains --merged --points-at "
    "--default --blob --type --get --orphan --conflict --source"
) - names("--contains --merged --get")


class Git(NamedTuple):
    """A git command.

    Args:
        name: the subcommand; None when it is not known, empty when there is none.
        words: the words after it.
        before: the words before it: git's own options.
    """

    name: str | None
    words: Sequence[Word]
    before: Sequence[Word]

    def arguments(self) -> Arguments:
        """Return the subcommand's words, told apart."""
        return Arguments(self.words, _SHORT.get(self.name or "", ""), _LONG)

    def first(self) -> str:
        """Return the text of the first word, for subcommands that have subcommands."""
        return (self.words[0].text or "") if self.words else ""


def git_of(segment: Segment) -> Git | None:
    """Return the git command that a segment runs; None when it runs another program."""
    program = segment.program
    if program in ("git", "hub", "yadm"):
        words = segment.words
        at = git_command(words)
        if at >= len(words):
            return Git(None if segment.more else "", (), words)
        return Git(words[at].text, words[at + 1 :], words[:at])
    if program is not None and program.startswith("git-") and len(program) > len("git-"):
        return Git(program[len("git-") :], segment.words, ())
    return None


def forced_push(git: Git) -> bool:
    """Return True when a push overwrites or deletes what the far end has."""
    found = git.arguments()
    if found.has("fd", "--force", "--delete", "--mirror", "--prune", "--force-with-lease"):
        return True
    return any(text[:1] in ("+", ":") for text in texts(found.operands))


def hidden_options(git: Git) -> bool:
    """Return True when the first word is one that the shell may turn into options."""
    first = git.words[0] if git.words else None
    return first is not None and not first.values and not first.head and first.raw[:1] != '"'


def as_git(segment: Segment) -> Git:
    """Return what a segment of an unknown program would be if it were git."""
    words = segment.words
    at = git_command(words)
    if at >= len(words):
        return Git("", (), words)
    return Git(words[at].text, words[at + 1 :], words[:at])
