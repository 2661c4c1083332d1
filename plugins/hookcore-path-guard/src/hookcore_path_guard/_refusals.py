"""The refusal of a path: the rule for operators, and for the model a way that works."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Denial", "Refusal", "presentable"]

_SHOWN: Final = 120
_UNSHOWABLE: Final = re.compile(
    r"[^\x20-\x7e\u00a0-\U0010ffff]|[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)

_RULES: Final[dict[str, tuple[str, str]]] = {
    "text": ("the path is no text", "the path is not text. Give it as one string."),
    "empty": ("the path is empty", "no path was given. Name a file or folder of the project."),
    "control": (
        "the path holds a control character",
        "the path holds a control character. Write the path plainly.",
    ),
    "long": ("the path is too long", "the path is longer than a path may be. Use a shorter one."),
    "scheme": (
        "the path is a URL that is no plain file URL",
        "{path} is a URL. Give the path of a file in the project.",
    ),
    "windows": (
        "the path is in the Windows form",
        "{path} is written in the Windows form. Write it with / and relative to the project.",
    ),
    "variable": (
        "the path begins with a variable",
        "{path} begins with a variable, which not every tool expands. Write the path out.",
    ),
    "user": (
        "the path begins with ~ and a name",
        "{path} names another home folder. Write the path relative to the project.",
    ),
    "lost": (
        ".. follows a folder that does not exist",
        "{path} goes up from a folder that does not exist. Write the path without that part.",
    ),
    "links": (
        "the path leads through too many links",
        "{path} leads through links without end. Use the path of the file itself.",
    ),
    "unreadable": (
        "a folder on the path cannot be looked into",
        "{path} leads through a folder that cannot be looked into. Use another path.",
    ),
    "device": (
        "the path leads to /proc or /dev",
        "{path} is a device or belongs to a process. Use a file of the project.",
    ),
    "read": (
        "read: the place is below no read or write root",
        "reading outside the project: {path}. Read below the project folder.",
    ),
    "write": (
        "write: the place is below no write root",
        "writing outside the project: {path}. Write below the project folder.",
    ),
    "readonly": (
        "write: the place is below a read root only",
        "{path} may be read but not changed. Write a copy below the project folder.",
    ),
    "protected": (
        "protected: the place is, holds or lies below a protected name",
        "{path} is protected and may not be changed. Leave it as it is, or ask a person.",
    ),
    "target": (
        "write: the target of a new link is below no write root",
        "a link to {path} would lead out of the project. Copy the file instead.",
    ),
    "pattern": (
        "a pattern can match ..",
        "the pattern {path} can lead to the parent folder. Name the folder instead.",
    ),
    "many": (
        "a pattern matches too much to check",
        "the pattern {path} matches too much to check. Name a narrower folder.",
    ),
    "folder": (
        "the working folder is below no root",
        "the working folder {path} is outside the project. Work in the project folder.",
    ),
    "missing": (
        "the tool needs a path and got none",
        "no path was given. Name a file or folder of the project.",
    ),
    "deep": (
        "the arguments cannot be read, or are nested too deeply",
        "the arguments could not be read. Pass the path as a plain argument.",
    ),
    "name": ("the call names no tool", "a call without a tool name is not allowed."),
    "unknown": (
        "unknown: a path is only known when the command runs",
        "{path} is only known when the command runs. Write the path out.",
    ),
    "piped": (
        "unknown: file names come from a pipe or a file",
        "{path} gets its file names from elsewhere. Name the files in the command.",
    ),
    "opaque": (
        "unknown: the command cannot be read",
        "the command could not be read. Write it simpler, or use the file tools.",
    ),
}


def presentable(text: object) -> str:
    """Return a path as a message may show it: one line, of bounded length."""
    if not isinstance(text, str):
        return "the path"
    shown = _UNSHOWABLE.sub("\N{REPLACEMENT CHARACTER}", text[: _SHOWN + 1])
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "..."


class Refusal(Exception):  # noqa: N818 - it is an answer, not a fault
    """A path that may not be used.

    Args:
        rule: the key of the rule.
        path: the path as the model wrote it.
    """

    def __init__(self, rule: str, path: object = None) -> None:
        super().__init__(rule)
        self.rule = rule
        self.path = path

    def denial(self, where: str) -> Denial:
        """Return the denial of a call.

        Args:
            where: the part of the call that the path stands in; holds nothing that a model wrote.
        """
        reason, message = _RULES[self.rule]
        shown = presentable(self.path)
        return Denial(f"{reason} ({where})", message.format(path=shown), self.rule)


@dataclass(frozen=True, slots=True)
class Denial:
    """The reason why a call is not let through.

    Args:
        reason: for operators; names the rule and the argument, and nothing that a model wrote.
        message: for the model; names what was refused and a way that works.
        rule: the rule by its name alone, by which denials are counted.
    """

    reason: str
    message: str
    rule: str
