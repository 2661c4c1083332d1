"""Find the functions of a plugin that want to be hooks, and how each is called."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from types import FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    import pluggy

import hookcore_specs
from hookcore_specs import PROJECT_NAME, HookOptions, hook_options
from hookcore_specs.markers import has_hook_options

from ..errors import RegistrationError
from ..naming.suggest import did_you_mean
from .hook import PluginDefaults
from .marks import OnMark, marks_of
from .options import OperatorOptions
from .points import PointSpec
from .signatures import parameters_of
from .traces import is_unchanged, traces_of
from .validation import Candidate

_IMPL_MARK = f"{PROJECT_NAME}_impl"
_HIDING = (property, functools.cached_property, functools.singledispatchmethod)

__all__ = [
    "candidates_of",
    "chosen",
    "defaults_of",
    "on_candidate",
]


def candidates_of(
    pm: pluggy.PluginManager, plugin: Any, where: str, points: Collection[str] = ()
) -> Iterator[Candidate]:
    """Yield what a plugin marks with ``@hookimpl`` or ``@on``, in the order of the names.

    Args:
        pm: pluggy's manager, which reads its marks.
        plugin: the plugin.
        where: the plugin in words, for messages.
        points: the names of the points, which an unmarked method may have by mistake.

    Raises:
        RegistrationError: something is marked and can be no hook, or looks like one and is not
            marked: it would never run.
    """
    if inspect.isroutine(plugin) or isinstance(plugin, functools.partial):
        for mark in marks_of(plugin):
            yield on_candidate(plugin, mark, where)
        return
    unmarked: list[str] = []
    for name, static in _worth_a_look(plugin, points):
        marked = False
        flags = _flags_of(pm, plugin, name, static, where)
        if flags is not None:
            function = getattr(plugin, name)
            marked = True
            yield Candidate(
                where=f"{where}: hook {name}",
                point=flags.get("specname") or name,
                function=function,
                options=_options_of(function, static),
                flags=flags,
            )
        for mark in marks_of(static):
            marked = True
            yield on_candidate(getattr(plugin, name), mark, f"{where}: hook {name}")
        if not marked and _hides_a_mark(static):
            raise _uncallable(plugin, name, static, where)
        if not marked and name != "__call__" and _looks_like_a_hook(plugin, name, static, points):
            unmarked.append(name)
    if unmarked:
        raise _unmarked(plugin, unmarked[0], where)


# Nothing here may hold on to a class: programs make classes, and plugins of them, in a loop.
_names_of_class: WeakKeyDictionary[type, tuple[list[Any], tuple[str, ...], tuple[str, ...]]] = (
    WeakKeyDictionary()
)


def _worth_a_look(plugin: Any, points: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Yield the attributes that may be hooks, or may look like one, by name.

    What a class has is remembered as long as nobody changes it.
    """
    if inspect.ismodule(plugin) or inspect.isclass(plugin):
        for name in dir(plugin):
            yield name, inspect.getattr_static(plugin, name, None)
        return
    kind = type(plugin)
    content = [value for base in kind.__mro__[:-1] for value in base.__dict__.values()]
    known = _names_of_class.get(kind)
    if known is None or known[1] != tuple(points) or not is_unchanged(known[0], content):
        # A class takes a method away by saying that it is None, as in Python's own protocols.
        names = tuple(
            name
            for name, static in _statics(kind).items()
            if static is not None
            and (
                _is_marked(static)
                or _hides_a_mark(static)
                or _looks_like_a_hook(plugin, name, static, points)
            )
        )
        known = _names_of_class[kind] = (traces_of(content), tuple(points), names)
    found = {name: inspect.getattr_static(kind, name, None) for name in known[2]}
    own = {**_slots_of(plugin, content), **getattr(plugin, "__dict__", {})}
    found |= {name: value for name, value in own.items() if isinstance(name, str)}
    yield from sorted(found.items(), key=operator.itemgetter(0))


def _slots_of(plugin: Any, content: list[Any]) -> dict[str, Any]:
    slots = [value.__name__ for value in content if type(value) is MemberDescriptorType]
    return {name: getattr(plugin, name) for name in slots if hasattr(plugin, name)}


def _statics(kind: type) -> dict[str, Any]:
    """Return the attributes of a class and its bases as they stand there, but for object's."""
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__[:-1]):
        found.update(base.__dict__)
    return found


def _flags_of(
    pm: pluggy.PluginManager, plugin: Any, name: str, static: Any, where: str
) -> Mapping[str, Any] | None:
    """Return pluggy's options of what ``@hookimpl`` marked, None for what it did not mark."""
    flags = pm.parse_hookimpl_opts(plugin, name)
    if flags is not None:
        return flags
    # What pluggy passes over is marked all the same: a callable object, a cached or partial one.
    given = _impl_mark(static)
    if given is None:
        return None
    # What a property gives is no hook, and asking for it would run its code.
    values = isinstance(static, (property, functools.cached_property))
    function = None if values else getattr(plugin, name, None)
    if not callable(function) or inspect.isclass(function):
        raise _uncallable(plugin, name, static, where)
    return given


def _hides_a_mark(static: Any) -> bool:
    """Return whether ``@on`` marked what a property or the like stands around."""
    if not isinstance(static, _HIDING):
        return False
    inner = static.fget if isinstance(static, property) else static.func
    return bool(marks_of(static) or marks_of(inner))


def _uncallable(plugin: Any, name: str, static: Any, where: str) -> RegistrationError:
    return RegistrationError(
        f"{where}: {name} is marked as a hook and is {type(static).__name__}, which cannot be "
        "called as one: mark a function or a callable object",
        plugin,
    )


def _impl_mark(static: Any) -> Mapping[str, Any] | None:
    """Return the options that ``@hookimpl`` left on something, or on what it wraps."""
    if type(static) is FunctionType:
        mark = static.__dict__.get(_IMPL_MARK)
        return mark if isinstance(mark, Mapping) else None
    for item in (
        static,
        getattr(static, "__func__", None),
        getattr(static, "func", None),
        getattr(static, "fget", None),
    ):
        mark = None if item is None else inspect.getattr_static(item, _IMPL_MARK, None)
        if isinstance(mark, Mapping):
            return mark
    return None


def _options_of(function: Any, static: Any) -> HookOptions:
    """Return hookcore's options of a marked callable, which may stand on what it wraps."""
    for item in (function, static, getattr(static, "func", None)):
        if item is not None and has_hook_options(item):
            return hook_options(item)
    return hook_options(function)


def _looks_like_a_hook(plugin: Any, name: str, static: Any, points: Collection[str]) -> bool:
    """Return whether an unmarked attribute overrides a marked one, or is one by name and form."""
    if not inspect.ismodule(plugin):
        kind = plugin if inspect.isclass(plugin) else type(plugin)
        for base in kind.__mro__:
            other = base.__dict__.get(name)
            if other is not None and other is not static and _is_marked(other):
                return True
    if isinstance(static, functools.partialmethod):
        static = getattr(plugin, name)
    target = getattr(static, "__func__", static)
    if name not in points or not callable(target) or inspect.isclass(target):
        return False
    try:
        takes_ctx = any(map(_is_context, parameters_of(target)))
    except (TypeError, ValueError):
        return False
    return takes_ctx or _has_lost_its_mark(target)


def _is_context(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter is a context, by its name or by what it is annotated with."""
    if parameter.name.strip("_") in ("ctx", "context"):
        return True
    kind = parameter.annotation
    if isinstance(kind, str):
        kind = kind.strip("'\"").rpartition(".")[2]
        return kind.endswith("Context") and hasattr(hookcore_specs, kind)
    return isinstance(kind, type) and issubclass(kind, hookcore_specs.HookContext)


def _has_lost_its_mark(function: Any) -> bool:
    """Return whether a decorator put a function in the place of a marked one."""
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):  # an empty cell
            if _is_marked(cell.cell_contents):
                return True
    return False


def _is_marked(static: Any) -> bool:
    return _impl_mark(static) is not None or bool(marks_of(static))


def _unmarked(plugin: Any, name: str, where: str) -> RegistrationError:
    kind = plugin if inspect.isclass(plugin) or inspect.ismodule(plugin) else type(plugin)
    holder = getattr(kind, "__qualname__", getattr(kind, "__name__", kind))
    return RegistrationError(
        f"{where}: {holder}.{name} looks like a hook and is not marked, so it would never run: "
        f"mark it with @hookimpl, or give it another name",
        plugin,
    )


def on_candidate(function: Callable[..., Any], mark: OnMark, where: str) -> Candidate:
    """Return the candidate that one ``@on`` mark makes of a function."""
    wrapper = inspect.isgeneratorfunction(function)
    return Candidate(where, mark.point, function, mark.options, {"wrapper": wrapper}, True)


def defaults_of(plugin: Any, where: str) -> PluginDefaults:
    """Return the author's defaults, which stand as attributes on the plugin.

    Raises:
        RegistrationError: one of them has a wrong type or value.
    """
    if inspect.isroutine(plugin):
        return PluginDefaults()
    values = {name: getattr(plugin, name, None) for name in ("on_error", "priority", "timeout")}
    # ``def priority(self)`` is some other framework's word, not a default of ours.
    given: dict[str, Any] = {name: None if callable(v) else v for name, v in values.items()}
    try:
        options = HookOptions.checked(**given)
    except (TypeError, ValueError) as error:
        raise RegistrationError(f"{where}: {error} (an attribute of the plugin)", plugin) from None
    return PluginDefaults(options.on_error, options.priority, options.timeout)


def chosen(
    found: list[tuple[Candidate, PointSpec]], operator: OperatorOptions, where: str
) -> list[tuple[Candidate, PointSpec]]:
    """Return the candidates at the points that the operator chose; all when he chose none.

    Raises:
        RegistrationError: he names a point where the plugin has no hook.
    """
    if operator.points is None:
        return found
    have = {spec.name for _, spec in found}
    for point in operator.points:
        if point not in have:
            raise RegistrationError(
                f"{where}: the configuration's points = [...] names {point!r}, where it has no "
                f"hook{did_you_mean(point, have)} (it has hooks at {', '.join(sorted(have))})"
            )
    return [(candidate, spec) for candidate, spec in found if spec.name in operator.points]
