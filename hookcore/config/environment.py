"""The layer that ``HOOKCORE_*`` environment variables make.

``HOOKCORE_PLUGINS__TOOL_POLICY__MODE=monitor`` sets ``plugins.tool-policy.mode``: two underscores
go one table deeper, and a single one also stands for ``-`` where only that matches a known name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from ..naming.suggest import did_you_mean, nearest
from .layer import Layer
from .model import dotted
from .values import parse_value
from .warn import warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .model import KeyPath

__all__ = ["PREFIX", "read_environment"]

PREFIX = "HOOKCORE_"
_NO_PLUGINS = "HOOKCORE_NO_PLUGINS"
_DISABLE = "HOOKCORE_DISABLE"
_AUTO = "HOOKCORE_AUTO"
"""Read by :mod:`hookcore.hosting.auto`; it configures no plugin."""
_SECRET = re.compile(r"HOOKCORE(?:_[A-Z0-9]+)+_(?:KEY|SECRET|TOKEN|URL)")
"""A value that a plugin's settings name, since it must stand in no file; it sets no key."""
_TABLES = ("hooks", "log", "plugins", "record", "telemetry", "trust")
_SWITCH = {"1": True, "true": True, "0": False, "false": False, "": False}


def read_environment(
    environ: Mapping[str, str],
    tables: Sequence[Mapping[str, Any]] = (),
    installed: Callable[[], Iterable[str]] = tuple,
) -> Layer:
    """Turn environment variables into a layer of configuration.

    Args:
        environ: the environment.
        tables: what the other layers say, to find the names that the variables mean.
        installed: names the installed plugins; asked only when a variable speaks of a plugin.

    Returns:
        The layer, empty when no variable is set.

    Raises:
        ConfigError: a variable is unknown, malformed, or at odds with another.
    """
    reader = _Reader(tables, installed)
    for variable in sorted(name for name in environ if name.startswith(PREFIX)):
        value = environ[variable]
        if variable == _AUTO or _SECRET.fullmatch(variable):
            continue
        if variable == _NO_PLUGINS:
            reader.no_plugins(value)
        elif variable == _DISABLE:
            reader.disable(value)
        else:
            reader.put(reader.path(variable), parse_value(value), variable)
    return Layer("environment", reader.table, variables=reader.variables)


class _Reader:
    """Collects the values of the variables into one table."""

    def __init__(
        self, tables: Sequence[Mapping[str, Any]], installed: Callable[[], Iterable[str]]
    ) -> None:
        self.table: dict[str, Any] = {}
        self.variables: dict[KeyPath, str] = {}
        self._known = tables
        self._installed = installed

    def no_plugins(self, value: str) -> None:
        switch = _SWITCH.get(value.strip().lower())
        if switch is None:
            raise ConfigError(
                f"environment variable {_NO_PLUGINS} is {value!r}: set it to 1 so that nothing is "
                "loaded, or to 0",
                key="hooks.enabled",
            )
        if switch:
            self.put(("hooks", "enabled"), False, _NO_PLUGINS)

    def disable(self, value: str) -> None:
        for written in filter(None, (part.strip() for part in value.split(","))):
            known = self._names(("plugins",))
            name = _match(written, known, _DISABLE)
            meant = [name] if name in known else self._of_distribution(written)
            if not meant:
                _warn_of_unknown(written, known)
            for plugin in meant:
                self.put(("plugins", plugin, "enabled"), False, _DISABLE)

    def _of_distribution(self, name: str) -> list[str]:
        from ..discovery import Catalog

        installed = self._installed()
        if not isinstance(installed, Catalog):
            return []
        return [source.name for source in installed.of_distribution(name)]

    def path(self, variable: str) -> KeyPath:
        segments = variable[len(PREFIX) :].split("__")
        first = segments[0].lower()
        if first not in _TABLES or segments == [segments[0]] or not all(segments):
            raise ConfigError(_unknown(variable), key=variable)
        path: KeyPath = (first,)
        for segment in segments[1:]:
            path = (*path, _match(segment, self._names(path), variable))
        return path

    def put(self, path: KeyPath, value: Any, variable: str) -> None:
        for other, rival in self.variables.items():
            if rival != variable and _overlap(other, path) and not self._says(path, value):
                raise ConfigError(
                    f"environment variables {rival} and {variable} both set {dotted(path)}: unset "
                    "one of them",
                    key=dotted(path),
                )
        table = self.table
        for key in path[:-1]:
            table = table.setdefault(key, {})
        table[path[-1]] = value
        self.variables[path] = variable

    def _says(self, path: KeyPath, value: Any) -> bool:
        inside: Any = self.table
        for key in path:
            inside = inside.get(key) if isinstance(inside, dict) else None
        return inside is not None and inside == value

    def _names(self, path: KeyPath) -> set[str]:
        """The keys that the other layers use in the table at *path*."""
        names: set[str] = set()
        for table in self._known:
            inside: Any = table
            for key in path:
                inside = inside.get(key) if isinstance(inside, dict) else None
            names.update(inside if isinstance(inside, dict) else ())
        return names | set(self._installed()) if path == ("plugins",) else names


def _warn_of_unknown(written: str, known: Iterable[str]) -> None:
    warn(
        f"environment variable {_DISABLE} switches off {written!r}, which is neither configured "
        f"nor installed{did_you_mean(written, known)}"
    )


def _overlap(one: KeyPath, other: KeyPath) -> bool:
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def _match(segment: str, known: Iterable[str], variable: str) -> str:
    """Find the name that a segment means; one that nobody knows is taken as it is written."""
    names = set(known)
    written = segment if segment in names else segment.lower()
    if written in names:
        return written
    found = sorted(name for name in names if _fold(name) == _fold(segment))
    if len(found) > 1:
        raise ConfigError(
            f"environment variable {variable}: {segment} may mean any of {', '.join(found)}: say "
            "it in a file instead",
            key=variable,
        )
    return found[0] if found else written


def _fold(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "_", name.lower())


def _unknown(variable: str) -> str:
    from .model import PluginConfig  # only a mistake needs the words

    keys = PluginConfig.__dataclass_fields__
    right = ["NO_PLUGINS", "DISABLE", "HOOKS__ENABLED", "HOOKS__VERIFY"]
    right += ["TELEMETRY__TRACK_MUTATIONS", "LOG__ENABLED", "PLUGINS__NAME__KEY"]
    right += [f"PLUGINS__NAME__{key.upper()}" for key in keys]
    found = nearest(variable.removeprefix(PREFIX), right)
    suggestion = f'; did you mean "{PREFIX}{found}"?' if found is not None else ""
    return (
        f"environment variable {variable} means nothing to hookcore: unset it, or name a key as "
        f"HOOKCORE_<TABLE>__<KEY>{suggestion}"
    )
