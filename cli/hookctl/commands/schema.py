"""``hookctl schema``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hookcore.config import read_config
from hookcore.discovery import discover
from hookcore.disk.atomic import alone, replace_file

from ..completing import plugins
from ..examples import examples
from ..failure import BrokenError, UsageError
from ..output import note, plugins_print_to_stderr
from ..schemas import SCHEMA_FILE, package_folder, plugin_schema, schema_text
from ..targets import find_plugin, is_usable
from ..vouching import check_vouched

if TYPE_CHECKING:
    from hookcore.discovery import PluginSource


@click.command(
    "schema", epilog=examples("hookctl schema tool-policy", "hookctl schema tool-policy --write")
)
@click.argument("name", shell_complete=plugins)
@click.option("--write", is_flag=True, help=f"Write it to {SCHEMA_FILE} in the plugin's package.")
def command(name: str, write: bool) -> None:
    """Print the JSON Schema of a plugin's settings; this imports the plugin.

    Authors ship it as settings.schema.json in their package: it lets editors help, and hookctl
    tell of points and settings, check them and mask the secrets in them, without an import.
    """
    config = read_config()
    catalog = discover()
    plugin = find_plugin(name, catalog, config.plugins)
    source = catalog.get(plugin)
    if source is None:
        raise UsageError(f"{plugin} is configured and not installed: it has no schema to show")
    is_usable(source)
    check_vouched(config, source)
    text = _text(source)
    if write:
        _write(source, text)
    else:
        click.echo(text, nl=False)


def _text(source: PluginSource) -> str:
    try:
        with plugins_print_to_stderr():
            schema = plugin_schema(source.load())
            text = None if schema is None else schema_text(schema)
    except (Exception, SystemExit) as error:
        why = str(error).strip().partition("\n")[0]
        raise BrokenError(
            f"{source.name} ({source.distribution} {source.version}) tells no schema: "
            f"{type(error).__name__}: {why}"
        ) from error
    if text is None:
        raise UsageError(
            f"{source.name} has no settings, and no hooks: nothing on it is a model named Settings"
        )
    return text


def _write(source: PluginSource, text: str) -> None:
    folder = package_folder(source)
    if folder is None:
        module = source.value.partition(":")[0]
        raise UsageError(
            f"{module} is no package, so that no {SCHEMA_FILE} can lie in it: make it a folder "
            "with an __init__.py"
        )
    file = folder / SCHEMA_FILE
    with alone(file):
        replace_file(file, text.encode())
    note(f"Wrote {file}")
