"""Windows over one text of a stream: each hook holds back the end of what it has seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ..hooks.hook import MOST_HELD, Hook
from ..waiting.requests import Steps

__all__ = ["Windows"]


class _Window:
    """One hook, the text that it holds, and how much it wants to hold."""

    __slots__ = ("enough", "held", "hold", "hook")

    def __init__(self, hook: Hook) -> None:
        self.hook = hook
        self.held = ""
        self.hold = hook.window
        #: How much text it takes to ask the hook again.
        self.enough = _enough(hook.window)

    def cut(self, text: str) -> str:
        """Return what of the text that the hook has seen may leave; hold the rest."""
        # What no window can hold is held to the end. Asking again at each piece of a text that
        # only grows would take the square of its length.
        buffers = self.hold > MOST_HELD
        self.enough = 2 * len(text) if buffers else _enough(self.hold)
        leaves = 0 if buffers else max(0, len(text) - self.hold)
        self.held = text[leaves:]
        return text[:leaves]


def _enough(hold: int) -> int:
    # Asked at each chunk, a hook would look at the same held text again for each few characters.
    return hold + hold // 8


class Asker(Protocol):
    """Calls the hooks with pieces of a response."""

    def ask(self, hook: Hook, text: str) -> Any:
        """Return the context of a hook that has taken a text; None where it takes steps."""

    def show(self, hook: Hook, payload: Any, wanted: type) -> Steps:
        """Call a hook with a piece of the response; return its context."""


class Windows:
    """The windows of all hooks over one text.

    Args:
        hooks: the hooks, in order.
        asker: calls them.
    """

    __slots__ = ("_asker", "_windows")

    def __init__(self, hooks: Sequence[Hook], asker: Asker) -> None:
        self._windows = [_Window(hook) for hook in hooks]
        self._asker = asker

    @property
    def held(self) -> int:
        """The number of characters that are held back."""
        held = 0
        for window in self._windows:
            held += len(window.held)
        return held

    def holds(self, text: str) -> bool:
        """Take more text if it is too little to be shown to a hook; return whether it was."""
        window = self._windows[0]
        if len(window.held) + len(text) > window.enough:
            return False
        window.held += text
        return True

    def feed(self, text: str, *, last: bool = False) -> Steps:
        """Take more text; return what all hooks have let through.

        Args:
            text: what has come.
            last: whether nothing more comes, so that all that is held has to pass.
        """
        for window in self._windows:
            text = window.held + text
            window.held = ""
            if not text:
                continue
            if not last and len(text) <= window.enough:
                window.held = text
                return ""
            hook = window.hook
            view = self._asker.ask(hook, text)
            if view is None:
                view = yield from self._asker.show(hook, text, str)
            window.hold = hook.window if view.hold is None else max(0, view.hold)
            text = view.payload
            if not last:
                text = window.cut(text)
        return text
