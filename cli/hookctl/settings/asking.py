"""Asking a person for the settings that a plugin cannot do without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..failure import UsageError
from ..output import printable
from .described import missing_settings
from .edits import Edit, changed, node_at, path_of
from .nodes import items_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookcore.config.model import KeyPath

    from .described import Setting

__all__ = ["asked"]


def asked(
    name: str, schema: Mapping[str, Any] | None, settings: Mapping[str, Any]
) -> dict[str | KeyPath, Any]:
    """Ask for each setting that is missing, until the answer fits.

    Args:
        name: the plugin.
        schema: the JSON Schema that its package ships, if it does.
        settings: what is configured.

    Returns:
        The values, by their path in the plugin's table. A secret is not shown while it is written.

    Raises:
        click.Abort: the person does not answer.
    """
    missing = missing_settings(schema or {}, settings)
    if missing:
        click.echo(printable(f"{name} cannot do without {', '.join(one.key for one in missing)}."))
    found: dict[str | KeyPath, Any] = {}
    for one in missing:
        found |= _one(one, schema or {})
    return found


def _one(setting: Setting, schema: Mapping[str, Any]) -> dict[str | KeyPath, Any]:
    path = path_of(setting.key)
    if setting.description:
        click.echo(printable(setting.description))
    is_list = items_of(node_at(schema, path), schema) is not None
    choices = f", one of {', '.join(map(str, setting.choices))}" if setting.choices else ""
    while True:
        text = click.prompt(
            printable(f"{setting.key} ({setting.type}{choices})"), hide_input=setting.secret
        )
        try:
            values = changed({}, [Edit(path, "+=" if is_list else "=", text)], schema)
        except UsageError as error:
            click.echo(printable(error.message))
        else:
            return {("settings", *key): value for key, value in values.items()}
