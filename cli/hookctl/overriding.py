"""Changes of a command line for one dry run: plugins switched on, and their settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookcore.config import read_tables
from hookcore.discovery import discover

from .failure import UsageError
from .rows import is_enabled
from .targets import find_plugin, find_plugins, is_usable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .settings.edits import Edit

__all__ = ["HELP_SET", "overrides"]

HELP_SET = "Change a setting for this run, as 'hookctl set' would; repeatable."


def overrides(plugins: Sequence[str], assignments: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Work out the tables of plugins that beat what is configured.

    Args:
        plugins: plugins or distributions to switch on.
        assignments: ``NAME.key=value``, or with ``+=`` and ``-=``.

    Returns:
        A table for each plugin that the command line speaks of.

    Raises:
        UsageError: a plugin or setting is unknown, a value does not fit, or it would have no
            effect since the plugin is off.
    """
    catalog = discover()
    named = find_plugins(plugins, catalog, ())
    for name in named:
        is_usable(catalog[name])
    tables: dict[str, dict[str, Any]] = {name: {"enabled": True} for name in named}
    if assignments:
        from .settings.edits import edited
        from .settings.target import Target
        from .settings.writing import worked_out

        merged, _ = read_tables(overrides={"plugins": tables})
        for name, edits in _by_plugin(assignments).items():
            if not is_enabled(name, merged):
                raise UsageError(
                    f"--set {name}... has no effect, since {name} is not enabled: add --plugin "
                    f"{name}, or run 'hookctl enable {name}'"
                )
            target = Target(name, user=False)
            try:
                places = [(target.place(edit.path), edit) for edit in edits]
                changes = worked_out(target.of(merged), places, target.base)
            except UsageError as error:
                raise UsageError(f"--set: {name}: {error.message}") from error
            tables[name] = edited(tables.get(name, {}), changes)
    return tables


def _by_plugin(assignments: Iterable[str]) -> dict[str, list[Edit]]:
    from .settings.edits import edit_of

    catalog, configured = discover(), read_tables()[0].plugins()
    known = {*catalog, *configured, *(source.distribution for source in catalog.values())}
    found: dict[str, list[Edit]] = {}
    for text in assignments:
        # A plugin's name may hold dots itself: the longest one that fits is meant.
        fitting = [name for name in known if text.startswith(f"{name}.")]
        written = max(fitting, key=len, default=text.partition("=")[0].partition(".")[0])
        if not text.startswith(f"{written}."):
            raise UsageError(f"--set {written} names no setting: write NAME.KEY=VALUE")
        name = find_plugin(written, catalog, configured)
        found.setdefault(name, []).append(edit_of(text[len(written) + 1 :]))
    return found
