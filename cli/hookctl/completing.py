"""The words that a shell offers behind ``hookctl``, found without importing a plugin."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import click

    Find = Callable[[click.Context, str], Iterable[str]]
    Complete = Callable[[click.Context, click.Parameter, str], list[str]]

__all__ = [
    "enabled_plugins",
    "keys_to_set",
    "keys_to_unset",
    "names_to_set",
    "plugins",
    "points",
    "settings_of_plugins",
]


def _offered(find: Find) -> Complete:
    """Make what click asks: the words that begin like the one that is being written."""

    @functools.wraps(find)
    def complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
        try:
            return [word for word in find(ctx, incomplete) if word.startswith(incomplete)]
        except Exception:  # noqa: BLE001 - a shell has no place for what is wrong
            return []

    return complete


def _known() -> tuple[Any, Any]:
    from hookcore.config import read_tables
    from hookcore.discovery import discover

    return discover(), read_tables()[0]


@_offered
def plugins(_ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Offer the plugins that are installed or configured."""
    catalog, merged = _known()
    return sorted({*catalog, *merged.plugins()})


@_offered
def enabled_plugins(_ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Offer the plugins that are on."""
    from .rows import is_enabled

    _, merged = _known()
    return sorted(name for name in merged.plugins() if is_enabled(name, merged))


@_offered
def points(_ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Offer the standard points."""
    from hookcore import InterceptionPoint

    return [str(point.value) for point in InterceptionPoint]


@_offered
def keys_to_set(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Offer the keys of the plugin that is named before, or a key's only values."""
    if ctx.params.get("rule"):
        return _own("", {"mode", "rollout", "expires"}, incomplete)
    return _assignments(ctx.params.get("name"), "", incomplete)


@_offered
def names_to_set(_ctx: click.Context, incomplete: str) -> Iterator[str]:
    """Offer the plugins, and the keys of hookcore's own tables with their whole path."""
    from .settings.target import TABLES

    catalog, merged = _known()
    yield from sorted({*catalog, *merged.plugins()})
    for table in TABLES:
        if incomplete and incomplete.startswith(table[: len(incomplete)]):
            yield from _own(f"{table}.", _OWN[table], incomplete)


@_offered
def settings_of_plugins(_ctx: click.Context, incomplete: str) -> Iterator[str]:
    """Offer ``NAME.key=`` for every plugin."""
    for name in _known()[0]:
        yield from _assignments(name, f"{name}.", incomplete)


_OWN = {
    "hooks": ("enabled", "verify"),
    "log": ("enabled", "max_megabytes", "max_days"),
    "record": ("enabled", "file", "raw", "max_megabytes", "max_files"),
    "telemetry": ("track_mutations",),
    "trust": ("project",),
}
_SWITCHES = {"enabled", "raw", "required", "track_mutations"}
_VALUES = {
    **dict.fromkeys(_SWITCHES, ("true", "false")),
    "mode": ("enforce", "monitor"),
    "on_error": ("allow", "deny", "raise"),
    "project": ("always", "trusted", "never"),
    "verify": ("off", "warn", "enforce"),
}


def _own(prefix: str, keys: Iterable[str], incomplete: str) -> Iterator[str]:
    """Offer hookcore's own keys, or the only values of the one that is written."""
    for key in sorted(keys):
        start = f"{prefix}{key}="
        if incomplete.startswith(start):
            yield from (f"{start}{value}" for value in _VALUES.get(key, ()))
        else:
            yield start


def _assignments(name: str | None, prefix: str, incomplete: str) -> Iterator[str]:
    from .schemas import shipped_schema
    from .settings.described import settings_of
    from .settings.target import OPTIONS

    schema = shipped_schema(_known()[0].get(name or ""))
    own = {setting.key for setting in settings_of(schema or {})}
    yield from _own(prefix, set(OPTIONS) - own, incomplete)
    for setting in settings_of(schema or {}):
        if "[]" not in setting.key and ".*." not in setting.key:
            start = f"{prefix}{setting.key}"
            signs = ("=", "+=", "-=") if setting.type.startswith("list") else ("=",)
            values = ["true", "false"] if setting.type == "true or false" else setting.choices
            written = [start + sign for sign in signs if incomplete.startswith(start + sign)]
            yield from (f"{one}{value}" for one in written for value in values)
            if not written:
                yield f"{start}{signs[1 if len(signs) > 1 else 0]}"


@_offered
def keys_to_unset(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Offer the keys that are configured of the plugin that is named before."""
    table = _known()[1].plugins().get(str(ctx.params.get("name")), {})
    rule = ctx.params.get("rule")
    if rule:
        return sorted(table.get("rules", {}).get(rule, {}))
    return sorted({*table.get("settings", {}), *(table.keys() - {"rules", "settings"})})
