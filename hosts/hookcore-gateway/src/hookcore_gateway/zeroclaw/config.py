"""ZeroClaw's ``[hooks.builtin]``, turned into the configuration of the plugins that do the same.

| key there | key here |
|---|---|
| command_logger | plugins.command-logger.enabled |
| webhook_audit.enabled | plugins.webhook-audit.enabled |
| webhook_audit.url, tool_patterns, | plugins.webhook-audit.settings.* |
| webhook_audit.include_args, max_args_bytes | plugins.webhook-audit.settings.* |
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from typing import Any, Final

from hookcore import ConfigError

__all__ = ["plugin_tables"]

_Path = tuple[str, ...]
_Check = tuple[Callable[[object], bool], str]

_SECTION: Final = ("hooks", "builtin")
_PLUGINS: Final = {"command_logger": "command-logger", "webhook_audit": "webhook-audit"}
_RETIRED: Final = ("boot_script", "session_memory")


def _is_switch(value: object) -> bool:
    return isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_SWITCH: Final[_Check] = (_is_switch, "true or false")
_TABLE: Final[_Check] = (_is_table, "a table")
_KEYS: Final[dict[str, dict[str, _Check]]] = {
    "command_logger": {"enabled": _SWITCH},
    "webhook_audit": {
        "enabled": _SWITCH,
        "url": (_is_text, "a string"),
        "tool_patterns": (_is_names, "a list of names or globs"),
        "include_args": _SWITCH,
        "max_args_bytes": (_is_count, "a number of bytes, 0 for no limit"),
    },
}


def plugin_tables(hooks: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration that a ``[hooks]`` table of ZeroClaw's stands for.

    ``HookManager.load(config=plugin_tables(hooks))`` takes it as the last layer, above the files.
    As in ZeroClaw, a plugin that is switched on and cannot be set up costs only itself.

    Args:
        hooks: the table; its ``enabled``, the master switch, is for the caller to look at.

    Returns:
        ``{"plugins": {...}}``, in the form of a ``hookcore.toml``.

    Raises:
        ConfigError: a key is unknown, a value is wrong, or a plugin that is switched on is not
            installed.
    """
    for key, value in hooks.items():
        if key not in {"enabled", "builtin"}:
            raise _unknown(("hooks", key), ("enabled", "builtin"))
        if key == "enabled":
            _check(("hooks", key), value, _SWITCH)
    plugins: dict[str, dict[str, Any]] = {}
    for name, given in _table(_SECTION, hooks.get("builtin", {})).items():
        if name not in _KEYS:
            raise _unknown((*_SECTION, name), _KEYS)
        table = _plugin((*_SECTION, name), given, _KEYS[name])
        if table:
            plugins[_PLUGINS[name]] = table
    _check_installed(plugins)
    return {"plugins": plugins}


def _plugin(path: _Path, given: object, keys: Mapping[str, _Check]) -> dict[str, Any]:
    """Return the table of one plugin; a bare switch stands for its ``enabled``."""
    if path[-1] == "command_logger" and not _is_table(given):
        _check(path, given, _SWITCH)
        given = {"enabled": given}
    made: dict[str, Any] = {}
    for key, value in _table(path, given).items():
        if key not in keys:
            raise _unknown((*path, key), keys)
        _check((*path, key), value, keys[key])
        (made if key == "enabled" else made.setdefault("settings", {}))[key] = value
    if made.get("enabled") is True:
        made["on_error"] = "allow"
    return made


def _check_installed(plugins: Mapping[str, Mapping[str, Any]]) -> None:
    wanted = sorted(name for name, table in plugins.items() if table.get("enabled") is True)
    if not wanted:
        return
    from hookcore.discovery import discover

    installed = discover()
    names = {here: there for there, here in _PLUGINS.items()}
    for name in wanted:
        if name not in installed:
            section = (*_SECTION, names[name])
            raise _error(
                section,
                f"switches on the plugin {name}, which is not installed: run 'pip install "
                f"hookcore-{name}', or remove {'.'.join(section)}",
            )


def _table(path: _Path, value: Any) -> Mapping[str, Any]:
    _check(path, value, _TABLE)
    table: Mapping[str, Any] = value
    return table


def _check(path: _Path, value: object, check: _Check) -> None:
    is_right, words = check
    if not is_right(value):
        # Many a webhook's URL is a secret, in whatever shape it stands there.
        shown = type(value).__name__ if path[-1] == "url" else repr(value)
        raise _error(path, f"must be {words}, not {shown}")


def _unknown(path: _Path, known: Collection[str]) -> ConfigError:
    if path[-1] in _RETIRED and path[:-1] == _SECTION:
        return _error(path, "is a hook that ZeroClaw has given up: remove it")
    near = get_close_matches(path[-1], known, 1)
    words = f'did you mean "{near[0]}"?' if near else f"known here: {', '.join(known)}"
    return _error(path, f"is not a key of ZeroClaw's that is known; {words}")


def _error(path: _Path, what: str) -> ConfigError:
    key = ".".join(path)
    return ConfigError(f"{key} {what}", key=key)
