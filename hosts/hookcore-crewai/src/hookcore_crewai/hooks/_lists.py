"""The lists of registered hooks: live objects that anybody may edit, kept in step with a manager.

CrewAI hands out its lists and its users append to them, so a list here is the truth and the
manager follows: after each edit, what is new is registered and what is gone is unregistered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any, SupportsIndex
from weakref import WeakValueDictionary

from hookcore import HookManager, InterceptionPoint
from hookcore.hosting import OnMark, Registration
from hookcore_specs import HookOptions

from ._binding import binding
from ._bus import connect_if_serving
from ._dialect import CREWAI
from ._filters import FilteredHook, original_of, registered
from ._points import InterceptionPoint as CrewPoint

__all__ = ["LISTS", "HookList", "OwnedHook", "registered_once", "registration"]

HookFn = Callable[..., Any]

OWNER: ContextVar[Callable[[str, HookFn], HookFn] | None] = ContextVar(
    "hookcore_owner", default=None
)
"""The owner of hooks that are being added, who is asked about them.

He returns the :class:`OwnedHook` that is listed in the hook's place.
"""

_TOOL_POINTS = frozenset({"pre_tool_call", "post_tool_call"})
_NO_OPTIONS = HookOptions()


def registration(point: str, hook: HookFn, removed: Callable[[], object] | None) -> Registration:
    """Return what a manager registers for a hook of the drop-in."""
    name = str(InterceptionPoint(point))
    options = _NO_OPTIONS
    if isinstance(hook, FilteredHook):
        options = hook.options(has_tool=name in _TOOL_POINTS)
    mark = OnMark(name, options)
    return Registration(registered(hook), mark, CREWAI, original_of(hook), removed)


class OwnedHook:
    """A hook that is listed for somebody who sees to it himself that it runs, in his scope only."""

    #: How often it stands in a list; it must run only as long as it stands in one.
    listed = 0


class _Entry:
    """One item of a list, and the name under which the manager has it."""

    __slots__ = ("hook", "name", "registered")

    def __init__(self, hook: HookFn) -> None:
        self.hook = hook
        #: None for a hook that somebody owns, which the manager does not have for itself.
        self.name: str | None = None
        #: The registration that counts; what becomes of an earlier one does not.
        self.registered: object = None


class HookList(list[HookFn]):
    """The hooks of one point, in order.

    Args:
        point: the point.
    """

    def __init__(self, point: str) -> None:
        super().__init__()
        self.point = point
        self._entries: list[_Entry] = []

    def _follow(self) -> None:
        """Register and unregister, so that the manager has what the list has, in its order."""
        kept, gone, new = _compare(self._entries, list(self))
        self._entries = kept
        for entry in gone:
            self._leave(binding.manager, entry)
            if isinstance(entry.hook, OwnedHook):
                entry.hook.listed -= 1
        owner = OWNER.get()
        for hook in new:
            entry = _Entry(hook if owner is None else owner(self.point, hook))
            if isinstance(entry.hook, OwnedHook):
                entry.hook.listed += 1
            else:
                self._enter(binding.manager, entry)
            remember(entry.hook)
            super().__setitem__(len(self._entries), entry.hook)
            self._entries.append(entry)

    def _enter(self, manager: HookManager, entry: _Entry) -> None:
        connect_if_serving(manager)
        mark = object()
        given = registration(self.point, entry.hook, lambda: self._lost(entry, mark))
        entry.name, entry.registered = manager.register_hook(given), mark

    def _leave(self, manager: HookManager, entry: _Entry) -> None:
        name, entry.name, entry.registered = entry.name, None, None
        if name is not None:
            manager.unregister(name)

    def _lost(self, entry: _Entry, mark: object) -> None:
        """Drop an entry that somebody unregistered at the manager."""
        if entry.registered is mark:
            entry.name = entry.registered = None
            index = self._entries.index(entry)
            del self._entries[index]
            super().__delitem__(index)

    def __imul__(self, times: SupportsIndex) -> HookList:  # noqa: PYI034 - the same
        self._edit(lambda: list.__imul__(self, times))
        return self

    def enter(self, manager: HookManager) -> list[str]:
        """Register the hooks with another manager; return their names with the one before."""
        entries = [entry for entry in self._entries if entry.name is not None]
        before = [str(entry.name) for entry in entries]
        for entry in entries:
            self._enter(manager, entry)
        return before

    def _edit(self, edit: Callable[[], Any]) -> Any:
        # The manager's lock too, since it tells us of removals while it holds it.
        with binding.changing():
            before = list(self)
            try:
                result = edit()
                self._follow()
            except BaseException:
                # A refused hook must not stay listed as if it ran.
                super().__setitem__(slice(None), before)
                self._follow()
                raise
            return result

    def append(self, hook: HookFn) -> None:
        """Register a hook as the last one."""
        self._edit(lambda: list.append(self, hook))

    def extend(self, hooks: Iterable[HookFn]) -> None:
        """Register hooks, one after the other."""
        self._edit(lambda: list.extend(self, hooks))

    def insert(self, index: SupportsIndex, hook: HookFn) -> None:
        """Register a hook before another."""
        self._edit(lambda: list.insert(self, index, hook))

    def remove(self, hook: HookFn) -> None:
        """Unregister a hook."""
        self._edit(lambda: list.remove(self, hook))

    def pop(self, index: SupportsIndex = -1) -> HookFn:
        """Unregister and return a hook."""
        found: HookFn = self._edit(lambda: list.pop(self, index))
        return found

    def clear(self) -> None:
        """Unregister all hooks."""
        self._edit(lambda: list.clear(self))

    def reverse(self) -> None:
        """Turn the order round."""
        self._edit(lambda: list.reverse(self))

    def sort(self, **options: Any) -> None:
        """Bring the hooks into another order."""
        self._edit(lambda: list.sort(self, **options))

    def __setitem__(self, index: Any, value: Any) -> None:
        self._edit(lambda: list.__setitem__(self, index, value))

    def __delitem__(self, index: Any) -> None:
        self._edit(lambda: list.__delitem__(self, index))

    def __iadd__(self, hooks: Iterable[HookFn]) -> HookList:  # type: ignore[override,misc]  # noqa: PYI034 - no Self on 3.10
        self.extend(hooks)
        return self

    def discard(self, hook: HookFn) -> bool:
        """Unregister one registration of a hook, with filters or without; say if there was one."""
        with binding.changing():
            originals = [original_of(item) for item in self]
            index = _index(self, hook)
            if index is None:
                index = _index(originals[::-1], hook)
                index = None if index is None else len(originals) - 1 - index
            if index is None:
                return False
            del self[index]
            return True

    def empty(self) -> int:
        """Unregister all hooks and return how many there were."""
        with binding.changing():
            count = len(self)
            self.clear()
            return count


def _index(hooks: list[HookFn], hook: HookFn) -> int | None:
    return next((index for index, item in enumerate(hooks) if item == hook), None)


def _compare(
    entries: list[_Entry], hooks: list[HookFn]
) -> tuple[list[_Entry], list[_Entry], list[HookFn]]:
    """Return which entries stay, which have to go, and which hooks come after those that stay."""
    kept: list[_Entry] = []
    gone: list[_Entry] = []
    rest = iter(entries)
    for position, hook in enumerate(hooks):
        for entry in rest:
            if entry.hook is hook:
                kept.append(entry)
                break
            gone.append(entry)
        else:
            return kept, gone, hooks[position:]
    return kept, [*gone, *rest], []


_seen: WeakValueDictionary[int, Any] = WeakValueDictionary()
_kept: dict[int, Any] = {}


def remember(hook: HookFn) -> None:
    """Take note that a hook is, or was, in a list."""
    try:
        _seen[id(hook)] = hook
    except TypeError:
        # Only what is kept can be told from what comes to stand at its address later.
        _kept[id(hook)] = hook


def registered_once(hook: HookFn) -> bool:
    """Tell whether a hook is, or was, in a list."""
    return hook is _seen.get(id(hook), _kept.get(id(hook)))


LISTS: dict[str, HookList] = {point: HookList(point) for point in CrewPoint}


def _enter_all(manager: HookManager) -> list[str]:
    with manager.changing():
        return [name for hooks in LISTS.values() for name in hooks.enter(manager)]


binding.enter_all = _enter_all
binding.has_hooks = lambda: any(LISTS.values())
