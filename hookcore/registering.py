"""``@on``: a function as a hook, registered where it stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from hookcore_specs import HookOptions, HookOptionsDict

from .hooks.dialect import Registration
from .hooks.marks import OnMark, add_mark
from .process import get_manager

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["on"]

_F = TypeVar("_F", bound=Callable[..., Any])


def on(point: str, **options: Unpack[HookOptionsDict]) -> Callable[[_F], _F]:
    """Make a function a hook of the process-wide manager; return it unchanged.

    On a method in a class body it only leaves a mark; ``register(obj)`` or ``scope(obj)`` binds it.

    Args:
        point: the point, as an enum member or a string.
        **options: those of ``hookimpl`` but for pluggy's own; see :class:`HookOptionsDict`.

    Raises:
        TypeError, ValueError: an option is unknown, or has a wrong type or value.
        RegistrationError: the function cannot be a hook of the point.
    """
    mark = OnMark(str(point), HookOptions.checked(**options))

    def decorate(function: _F) -> _F:
        if not stands_in_a_class(function):
            _register(function, mark)
        add_mark(function, mark)
        return function

    return decorate


# What the functions of a module were registered as, by the module's name; and the spec that the
# module was imported by, which is another one at each import.
_by_module: dict[str, tuple[Any, list[str]]] = {}


def _register(function: Callable[..., Any], mark: OnMark) -> None:
    """Register a function; those that an earlier import of its module registered are gone."""
    manager = get_manager()
    name = getattr(function, "__module__", None)
    spec = getattr(function, "__globals__", {}).get("__spec__")
    if not isinstance(name, str) or spec is None or "<locals>" in function.__qualname__:
        manager.register_hook(Registration(function, mark))
        return
    imported_by, names = _by_module.get(name, (spec, []))
    if imported_by is not spec:
        if getattr(imported_by, "origin", None) == getattr(spec, "origin", None):
            registered = {plugin.name for plugin in manager.plugins()}
            for stale in registered.intersection(names):
                manager.unregister(stale)
        names = []
    names.append(manager.register_hook(Registration(function, mark)))
    _by_module[name] = (spec, names)


def stands_in_a_class(function: Any) -> bool:
    """Return whether a function is being defined in the body of a class."""
    if isinstance(function, (staticmethod, classmethod)):
        return True
    if hasattr(function, "__self__"):
        return False
    holder, _, _ = str(getattr(function, "__qualname__", "")).rpartition(".")
    return bool(holder) and not holder.endswith("<locals>")
