"""ZeroClaw's ``[hooks.builtin]``, read as the tables of the plugins that do the same here.

| key there | key here |
|---|---|
| command_logger | plugins.command-logger.enabled |
| webhook_audit.enabled | plugins.webhook-audit.enabled |
| webhook_audit.url, tool_patterns, | plugins.webhook-audit.settings.* |
| webhook_audit.include_args, max_args_bytes | plugins.webhook-audit.settings.* |
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from .layer import Layer
from .model import Config, KeyPath, Origin, PluginConfig, dotted
from .suggest import did_you_mean

if TYPE_CHECKING:
    from .merge import Merged

__all__ = ["builtin_config", "explain", "mapped", "settle_builtin"]

_SECTION: KeyPath = ("hooks", "builtin")
_PLUGINS = {"command_logger": "command-logger", "webhook_audit": "webhook-audit"}
_RETIRED = ("boot_script", "session_memory")


def _is_switch(value: object) -> bool:
    return isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_Check = tuple[Callable[[object], bool], str]
_SWITCH: _Check = (_is_switch, "true or false")
_KEYS: dict[str, dict[str, _Check]] = {
    "command_logger": {"enabled": _SWITCH},
    "webhook_audit": {
        "enabled": _SWITCH,
        "url": (_is_text, "a string"),
        "tool_patterns": (_is_names, "a list of names or globs"),
        "include_args": _SWITCH,
        "max_args_bytes": (_is_count, "a number of bytes, 0 for no limit"),
    },
}


def mapped(layer: Layer) -> Layer:
    """Return a layer with its ``[hooks.builtin]`` turned into tables of plugins.

    What the layer says about these plugins itself goes above that.

    Args:
        layer: A layer as it was read.

    Raises:
        ConfigError: A key in the section is unknown, or a value wrong.
    """
    hooks = layer.table.get("hooks")
    if not isinstance(hooks, dict) or "builtin" not in hooks:
        return layer
    plugins = layer.table.get("plugins", {})
    known = list(plugins.values()) if isinstance(plugins, dict) else [plugins]
    if not all(isinstance(table, dict) for table in known):
        return layer  # the checks that follow say what is wrong with it
    plugins = dict(plugins)
    written = {
        here: path
        for path, here, value in _entries(layer, hooks["builtin"])
        if _put(plugins, here[1:], value)
    }
    rest = {key: value for key, value in hooks.items() if key != "builtin"}
    table = {**layer.table, "hooks": rest, "plugins": plugins}
    return replace(layer, table=table, written=written)


def _put(plugins: dict[str, Any], path: KeyPath, value: object) -> bool:
    """Set a value where none is, in copies of the tables on the way to it."""
    table = plugins
    for key in path[:-1]:
        inside = table.get(key, {})
        if not isinstance(inside, dict):
            return False
        table[key] = table = dict(inside)
    if path[-1] in table:
        return False
    table[path[-1]] = value
    return True


def _entries(layer: Layer, section: object) -> list[tuple[KeyPath, KeyPath, object]]:
    """Return where each value was written, where it belongs, and the value."""
    found: list[tuple[KeyPath, KeyPath, object]] = []
    for name, given in _table(layer, section, _SECTION).items():
        path = (*_SECTION, name)
        if name not in _KEYS:
            raise _unknown(layer, path, _KEYS)
        plugin: KeyPath = ("plugins", _PLUGINS[name])
        if name == "command_logger" and not isinstance(given, dict):
            _check(layer, path, given, _SWITCH)
            found.append((path, (*plugin, "enabled"), given))
            continue
        for key, value in _table(layer, given, path).items():
            if key not in _KEYS[name]:
                raise _unknown(layer, (*path, key), _KEYS[name])
            _check(layer, (*path, key), value, _KEYS[name][key])
            inside = (key,) if key == "enabled" else ("settings", key)
            found.append(((*path, key), (*plugin, *inside), value))
    return found


def _table(layer: Layer, value: object, path: KeyPath) -> dict[str, Any]:
    _check(layer, path, value, (lambda it: isinstance(it, dict), "a table"))
    table: dict[str, Any] = value  # type: ignore[assignment]  # checked in the line above
    return table


def _check(layer: Layer, path: KeyPath, value: object, check: _Check) -> None:
    is_right, words = check
    if not is_right(value):
        # Many a webhook's URL is a secret, in whatever shape it stands there.
        shown = type(value).__name__ if path[-1] == "url" else repr(value)
        raise _error(layer, path, f"must be {words}, not {shown}")


def _unknown(layer: Layer, path: KeyPath, known: Collection[str]) -> ConfigError:
    if path[-1] in _RETIRED and path[:-1] == _SECTION:
        return _error(layer, path, "is a hook that ZeroClaw has given up: remove it")
    words = did_you_mean(path[-1], known) or f"; known here: {', '.join(known)}"
    return _error(layer, path, f"is not a key that hookcore knows{words}")


def _error(layer: Layer, path: KeyPath, what: str) -> ConfigError:
    key = layer.key(path)
    return ConfigError(f"{layer.origin(path)}: {key} {what}", file=layer.file, key=key)


def explain(layer: Layer) -> str | None:
    """Say how a layer's section was read, and what to write instead; None where it has none.

    Args:
        layer: A layer that :func:`mapped` gave.
    """
    if not layer.written:
        return None
    pairs = "; ".join(
        f"{layer.key(path)} is read as {dotted(here)}" for here, path in layer.written.items()
    )
    where = layer.origin(next(iter(layer.written)))
    return f"{where}: {dotted(_SECTION)} is ZeroClaw's shape: write the plugins' tables: {pairs}"


def settle_builtin(
    merged: Merged, layers: Collection[Layer], installed: Callable[[], Collection[str]]
) -> None:
    """Check that what the sections switch on is there, and let its failures stop nothing.

    Args:
        merged: The effective tables, which are completed.
        layers: The layers that they were merged from.
        installed: Gives the names of the installed plugins; asked only when they matter.

    Raises:
        ConfigError: A plugin is not installed; the message names its distribution.
    """
    if merged.table.get("hooks", {}).get("enabled") is False:
        return
    by = {here[1]: (layer, path) for layer in layers for here, path in layer.written.items()}
    for name, (layer, path) in sorted(by.items()):
        table = merged.plugins()[name]
        if table.get("enabled") is not True:
            continue
        if name not in installed():
            raise _missing(layer, path, name)
        # As in the source, an audit that cannot be set up costs only the audit.
        if name not in merged.locks and "on_error" not in table:
            table["on_error"] = "allow"
            merged.origins["plugins", name, "on_error"] = Origin("default")


def _missing(layer: Layer, path: KeyPath, name: str) -> ConfigError:
    section = path[:3]
    distribution = f"hookcore-{name}"
    return _error(
        layer,
        section,
        f"switches on the plugin {name}, which is not installed: run 'pip install {distribution}', "
        f"or remove {layer.key(section)}",
    )


def builtin_config(hooks: Mapping[str, Any]) -> Config:
    """Return a configuration of the built-in hooks alone; no file counts.

    Args:
        hooks: A ``[hooks]`` table in ZeroClaw's shape; its ``enabled`` is not looked at.

    Raises:
        ConfigError: A key is unknown, a value is wrong, or a plugin is not installed.
    """
    from ..discovery import discover
    from .merge import merge

    layer = Layer("arguments", {"hooks": dict(hooks)})
    for key, value in layer.table["hooks"].items():
        if key not in {"enabled", "builtin"}:
            raise _unknown(layer, ("hooks", key), ("enabled", "builtin"))
        if key == "enabled":
            _check(layer, ("hooks", key), value, _SWITCH)
    layer.table["hooks"].pop("enabled", None)
    layer = mapped(layer)
    merged = merge([layer])
    settle_builtin(merged, [layer], discover)
    plugins = {name: PluginConfig(**table) for name, table in merged.plugins().items()}
    return Config(plugins=plugins, origins=merged.origins)
