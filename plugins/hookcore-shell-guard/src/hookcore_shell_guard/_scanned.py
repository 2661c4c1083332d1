"""The text that the prescan hands to the grammar, and its bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

MAX_LENGTH: Final = 20_000
MAX_DEPTH: Final = 12


class RefusedError(ValueError):
    """The command is not read: it holds something that no honest command needs."""


@dataclass(slots=True)
class Heredoc:
    """A heredoc that was cut out.

    Args:
        body: its text.
        expands: tells that its end word was not quoted, so the shell expands the body.
    """

    body: str
    expands: bool


@dataclass(slots=True)
class Scanned:
    """A command after the pass.

    Args:
        text: what the grammar is to parse.
        heredocs: the heredocs, by the number in their mark.
        claims: pairs of an offset in ``text`` and the node types that the grammar must find there.
    """

    text: str
    heredocs: list[Heredoc] = field(default_factory=list)
    claims: list[tuple[int, str]] = field(default_factory=list)
