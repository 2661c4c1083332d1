"""The state of the shell at one place of a command: variables, folder, functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from .commands import Segment, Word

MAX_VALUES: Final = 64
"""The most texts that one word is taken to stand for."""


@dataclass(slots=True)
class State:
    """The state that the shell would have at a place, as far as the text tells.

    Args:
        variables: what each assigned variable holds; a name with an empty word is unknown.
        folder: the current folder, from the folder of the call; None when it is not known.
        previous: the folders before it, for ``cd -`` and ``popd``.
        functions: the functions that are certainly defined, each with the folder
            that it was defined in and what it runs.
        blind: tells that variables may change in ways that the text does not show.
        loaded: the variables that were given the text of a substitution, for all states of one
            text: arithmetic and prompts would run it.
    """

    variables: dict[str, Word] = field(default_factory=dict)
    folder: str | None = "."
    previous: tuple[str | None, ...] = ()
    functions: dict[str, tuple[str | None, tuple[Segment, ...]]] = field(default_factory=dict)
    blind: bool = False
    loaded: set[str] = field(default_factory=set)

    def copy(self) -> State:
        """Return a state that a subshell or a branch may change as it likes."""
        return State(
            dict(self.variables),
            self.folder,
            self.previous,
            dict(self.functions),
            self.blind,
            self.loaded,
        )

    def merge(self, other: State) -> None:
        """Keep what holds in both states: the other one may be where the command got to."""
        for name in {*self.variables, *other.variables}:
            mine, theirs = self.variables.get(name), other.variables.get(name)
            if mine != theirs:
                self.variables[name] = _either(mine, theirs)
        if self.folder != other.folder:
            self.folder = None
        self.functions = {
            name: body for name, body in self.functions.items() if other.functions.get(name) is body
        }
        self.blind = self.blind or other.blind

    def get(self, name: str) -> Word | None:
        """Return what a variable holds, or None when it is not known."""
        if self.blind:
            return None
        known = self.variables.get(name)
        if known is None and name == "HOME":
            return Word("$HOME", ("~",), home=True)
        if known is None and name == "PWD" and self.folder is not None:
            return Word("$PWD", (".",))
        return known if known is not None and known.values else None

    def set(self, name: str, value: Word) -> None:
        """Assign to a variable; an unknown value makes it unknown."""
        # After a "cd" the name would stand for another folder.
        self.variables[name] = value if "PWD" not in value.raw else Word(value.raw, ())
        if any("$(" in text or "`" in text for text in value.values):
            self.loaded.add(name)
        if name == "IFS":
            self.blind = True

    def forget(self, name: str) -> None:
        """Make a variable unknown."""
        self.variables[name] = Word(name, ())


def _either(mine: Word | None, theirs: Word | None) -> Word:
    if mine is None or theirs is None or not mine.values or not theirs.values:
        return Word("", ())
    values = tuple(dict.fromkeys((*mine.values, *theirs.values)))
    # Only one of the two may begin with a tilde that the shell replaces.
    if mine.home != theirs.home or len(values) > MAX_VALUES:
        return Word("", ())
    return Word("", values, mine.glob or theirs.glob, mine.home)
