"""CrewAI's package ``crewai.hooks`` out of ``sys.modules``, the drop-in in; and back.

Much of CrewAI imports its hooks when they are needed and gets what ``sys.modules`` has. What was
imported earlier stands in other modules' globals, and is exchanged there, object for object; the
package itself, where somebody imported that, serves the drop-in.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from . import hooks as drop_in
from ._originals import is_original, serve
from .hooks._lists import LISTS

__all__ = ["swap"]

_PACKAGE = "crewai.hooks"
_SUBMODULES = (
    "contexts",
    "decorators",
    "dispatch",
    "llm_hooks",
    "tool_hooks",
    "types",
    "wrappers",
)
_VALUES = frozenset(
    {
        "EXECUTION_BOUNDARY_POINTS",
        "_after_llm_call_hooks",
        "_after_tool_call_hooks",
        "_before_llm_call_hooks",
        "_before_tool_call_hooks",
    }
)

Pair = tuple[Any, Any]


def swap() -> Callable[[], None]:
    """Exchange the package and return what exchanges it back.

    Raises:
        ImportError: CrewAI is not installed or has no ``crewai.hooks`` as we know it.
    """
    crewai = importlib.import_module("crewai")
    theirs = {name: importlib.import_module(name) for name in _names()}
    ours = {name: _ours(name) for name in theirs}
    for name, module in theirs.items():
        _check_names(module, ours[name])
    pairs = [pair for name in theirs for pair in _pairs(theirs[name], ours[name])]
    moved = _take_hooks(theirs)
    put_back = serve([(module, ours[name]) for name, module in theirs.items()])
    sys.modules.update(ours)
    crewai.__dict__["hooks"] = drop_in
    _exchange(pairs, theirs)

    def swap_back() -> None:
        put_back()
        sys.modules.update(theirs)
        crewai.__dict__["hooks"] = theirs[_PACKAGE]
        _exchange([(new, old) for old, new in pairs], ours)
        _give_hooks(theirs, moved)

    return swap_back


def _names() -> list[str]:
    return [_PACKAGE, *(f"{_PACKAGE}.{name}" for name in _SUBMODULES)]


def _ours(name: str) -> ModuleType:
    return importlib.import_module(name.replace(_PACKAGE, drop_in.__name__))


def _is_theirs(value: Any) -> bool:
    return callable(value) and str(getattr(value, "__module__", "")).startswith(_PACKAGE)


def _check_names(old: ModuleType, new: ModuleType) -> None:
    """Raise :exc:`ImportError` when the drop-in lacks a public name, at once and not in a run."""
    missing = [
        name
        for name, value in vars(old).items()
        if not name.startswith("_")
        and callable(value)
        and getattr(value, "__module__", None) == old.__name__
        and not hasattr(new, name)
    ]
    if missing:
        raise ImportError(
            f"this CrewAI's {old.__name__} has {', '.join(missing)}, which the drop-in lacks: use "
            "CrewAI 1.15.30, or a newer hookcore"
        )


def _pairs(old: ModuleType, new: ModuleType) -> Iterator[Pair]:
    """Yield the objects of a module of theirs with the object of ours that takes their place."""
    for name, value in vars(old).items():
        if name.startswith("__") or not hasattr(new, name):
            continue
        instead = getattr(new, name)
        if _is_theirs(value) or name in _VALUES:
            yield value, instead
        if isinstance(instead, (FunctionType, type)) and not is_original(value):
            # Somebody has patched it here; other modules have what it was before.
            yield from ((found, instead) for found in _elsewhere(name))


def _elsewhere(name: str) -> list[Any]:
    """Return the functions and classes of CrewAI's hooks that other modules have under a name."""
    values = [
        vars(module).get(name)
        for module in list(sys.modules.values())
        if isinstance(module, ModuleType)
    ]
    return list({id(value): value for value in values if is_original(value)}.values())


def _exchange(pairs: list[Pair], spared: dict[str, ModuleType]) -> None:
    """Exchange objects in the globals of all modules but the two packages' own."""
    by_identity = {id(old): new for old, new in pairs}
    own = {id(module) for module in spared.values()}
    own |= {id(module) for name, module in sys.modules.items() if _is_ours(name)}
    for module in list(sys.modules.values()):
        if not isinstance(module, ModuleType) or id(module) in own:
            continue
        for name, value in list(vars(module).items()):
            new = _exchanged(value, by_identity)
            if new is not value:
                vars(module)[name] = new


def _exchanged(value: Any, by_identity: dict[int, Any]) -> Any:
    if type(value) is tuple:  # of exception classes, mostly
        items = tuple(by_identity.get(id(item), item) for item in value)
        changed = any(new is not old for new, old in zip(items, value, strict=True))
        return items if changed else value
    return by_identity.get(id(value), value)


def _is_ours(name: str) -> bool:
    return name == "hookcore" or name.startswith(("hookcore.", "hookcore_specs"))


def _take_hooks(theirs: dict[str, ModuleType]) -> dict[str, list[Any]]:
    """Move the registered hooks to the drop-in; return what the drop-in had before."""
    had = {point: list(hooks) for point, hooks in LISTS.items()}
    their_lists = theirs[f"{_PACKAGE}.dispatch"].__dict__["_global_hooks"]
    try:
        for point, hooks in their_lists.items():
            LISTS[point].extend(hooks)
    except BaseException:  # a hook was refused: CrewAI keeps them all
        for point, hooks in had.items():
            LISTS[point][:] = hooks
        raise
    for hooks in their_lists.values():
        hooks.clear()
    return had


def _give_hooks(theirs: dict[str, ModuleType], had: dict[str, list[Any]]) -> None:
    """Move all hooks back but those that the drop-in had before."""
    their_lists = theirs[f"{_PACKAGE}.dispatch"].__dict__["_global_hooks"]
    for point, hooks in their_lists.items():
        mine = list(LISTS[point])
        kept = [hook for hook in had[point] if any(hook is item for item in mine)]
        hooks[:] = [hook for hook in mine if not any(hook is item for item in kept)]
        LISTS[point][:] = kept
