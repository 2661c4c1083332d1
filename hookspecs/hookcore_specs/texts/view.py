"""The view itself: texts that can be read and assigned, and the value that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .labels import Place
from .state import UnreadableError
from .walking import Changes, Found, Step, find, rebuilt

__all__ = ["Text", "Texts", "covers"]


class Text:
    """One text: read it, assign another, and see where it stands."""

    __slots__ = ("_place", "_text", "_texts", "_way")

    def __init__(self, texts: Texts, found: Found) -> None:
        self._texts = texts
        self._way, self._text, self._place = found

    @property
    def text(self) -> str:
        """The text; assigning another one replaces the payload, and edits nothing of the host's."""
        return self._text

    @text.setter
    def text(self, new: str) -> None:
        if new != self._text:
            self._texts.apply({self._way: new})
            self._text = new

    @property
    def role(self) -> str | None:
        """The speaker: system, user, assistant or tool; None where nothing tells."""
        return self._place.role

    @property
    def kind(self) -> str:
        """Of which kind it is: text, thinking or arguments."""
        return self._place.kind

    @property
    def tool(self) -> str | None:
        """The name of the tool whose arguments or result it is."""
        return self._place.tool

    def __repr__(self) -> str:
        return f"<Text role={self.role!r} kind={self.kind!r} of {len(self._text)} characters>"


class Texts:
    """Every text in a value: iterate, assign, or replace them all at once.

    Ids, names and other marks of a message are no texts, nor are keys and binary data. Arguments
    that are a JSON text are read as what they stand for.

    Args:
        value: messages, a response, a tool's arguments or result, or a text.
        changed: told of the value that a replacement makes.
        role: whose the texts are where the value does not tell.
        kind: of which kind they are where it does not tell.
        tool: the tool whose arguments or result the value is.
    """

    def __init__(
        self,
        value: Any,
        *,
        changed: Callable[[Any], object] | None = None,
        role: str | None = None,
        kind: str = "text",
        tool: str | None = None,
    ) -> None:
        self._value = value
        self._changed = changed
        is_data = kind == "arguments" or role == "tool"
        self._place = Place(role, kind, tool, is_data=is_data)

    @property
    def value(self) -> Any:
        """The value: what was given, or one like it with the texts that were put in since."""
        return self._value

    def __iter__(self) -> Iterator[Text]:
        """Yield the texts in the order in which they stand.

        Raises:
            UnreadableError: somewhere nothing can be read; an adapter has to bring a codec.
        """
        # All at once: what is assigned meanwhile must not change what comes next.
        return iter([Text(self, found) for found in find(self._value, self._place)])

    def replace(self, function: Callable[[str], str | None]) -> bool:
        """Put another text in the place of each, and return whether any is another.

        Args:
            function: returns the new text; None, or the text itself, keeps it.

        Raises:
            UnreadableError: somewhere nothing can be read; nothing was replaced.
            TypeError: the function returned something else than a text.
        """
        new: dict[tuple[Step, ...], str] = {}
        for way, text, _ in find(self._value, self._place):
            answer = function(text)
            if answer is not None and answer != text:
                new[way] = answer
        if new:
            self.apply(new)
        return bool(new)

    def apply(self, new: dict[tuple[Step, ...], str]) -> None:
        """Make the value one with other texts; for :class:`Text` and :meth:`replace`."""
        for text in new.values():
            if not isinstance(text, str):
                raise TypeError(f"a text is replaced by a text, not by {type(text).__name__}")
        whole = new.get(())
        self._value = rebuilt(self._value, _nested(new)) if whole is None else whole
        if self._changed is not None:
            self._changed(self._value)

    def __str__(self) -> str:
        """Return all texts, a line break between two."""
        return "\n".join(text for _, text, _ in find(self._value, self._place))


def _nested(new: dict[tuple[Step, ...], str]) -> Changes:
    tree: Changes = {}
    for way, text in new.items():
        branch = tree
        for step in way[:-1]:
            branch = branch.setdefault(step, {})
        branch[way[-1]] = text
    return tree


def covers(judged: Any, asked: Any) -> bool:
    """Return whether a value holds every text of another one, in whatever shape.

    Args:
        judged: the one that was judged.
        asked: the other; one without any text, or that cannot be read, is not covered.
    """
    try:
        texts = [text for _, text, _ in find(asked, Place())]
        known = {text for _, text, _ in find(judged, Place())} if texts else set()
    except UnreadableError:
        return False
    rest = [text for text in texts if text not in known]
    whole = "\n".join(known) if rest else ""
    # Parts that one runtime keeps apart another joins, with a line break between them.
    lines = (line.strip() for text in rest for line in text.splitlines())
    return bool(texts) and all(line in whole for line in lines)
