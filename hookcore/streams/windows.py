"""Windows over one text of a stream: each hook holds back the end of what it has seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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
        self.enough = hook.window

    def cut(self, text: str) -> str:
        """Return what of the text that the hook has seen may leave; hold the rest."""
        # What no window can hold is held to the end. Asking again at each piece of a text that
        # only grows would take the square of its length.
        buffers = self.hold > MOST_HELD
        self.enough = 2 * len(text) if buffers else self.hold
        leaves = 0 if buffers else max(0, len(text) - self.hold)
        self.held = text[leaves:]
        return text[:leaves]


class Windows:
    """The windows of all hooks over one text.

    Args:
        hooks: the hooks, in order.
        show: calls one of them with a text; returns its context.
    """

    __slots__ = ("_show", "_windows")

    def __init__(self, hooks: Sequence[Hook], show: Callable[[Hook, Any, type], Steps]) -> None:
        self._windows = [_Window(hook) for hook in hooks]
        self._show = show

    @property
    def held(self) -> int:
        """How many characters are held back."""
        return sum(len(window.held) for window in self._windows)

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
            view = yield from self._show(hook, text, str)
            window.hold = hook.window if view.hold is None else max(0, view.hold)
            text = view.payload
            if not last:
                text = window.cut(text)
        return text
