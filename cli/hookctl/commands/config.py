"""``hookctl config``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from hookcore.config import Config, PluginConfig, layer_files, read_config
from hookcore.config.model import dotted
from hookcore.discovery import discover

from ..examples import examples
from ..masking import masked
from ..output import note, print_json, print_table
from ..schemas import shipped_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLUGIN_DEFAULTS = PluginConfig()


@click.group(
    "config",
    epilog=examples(
        "hookctl config show",
        "hookctl config path --json",
        "hookctl config schema > hookcore.schema.json",
    ),
)
def command() -> None:
    """Show the effective configuration, the files that it comes from, and its schema."""


@command.command("show", epilog=examples("hookctl config show", "hookctl config show --json"))
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def show(as_json: bool) -> None:
    """Show the effective value of every key, with the layer and the file that it comes from.

    Secrets in the settings of plugins are masked.
    """
    rows = list(_rows(read_config()))
    if as_json:
        print_json(rows)
        return
    cells = [(r["key"], _toml(r["value"]), r["layer"], r["file"] or r["variable"]) for r in rows]
    print_table(("key", "value", "layer", "from"), cells)


def _rows(config: Config) -> Iterator[dict[str, Any]]:
    yield _row(config, ("hooks", "enabled"), config.enabled)
    yield _row(config, ("hooks", "verify"), config.verify)
    yield _row(config, ("telemetry", "track_mutations"), config.telemetry_track_mutations)
    yield _row(config, ("log", "enabled"), config.log.enabled)
    yield _row(config, ("log", "max_megabytes"), config.log.max_megabytes)
    yield _row(config, ("log", "max_days"), config.log.max_days)
    yield _row(config, ("trust", "project"), config.trust_project)
    for name, plugin in config.plugins.items():
        for key in PluginConfig.__dataclass_fields__:
            if key != "settings":
                yield _row(config, ("plugins", name, key), getattr(plugin, key))
        if plugin.settings:
            schema = shipped_schema(discover().get(name))
            yield from _settings(config, ("plugins", name, "settings"), plugin.settings, schema)


def _settings(
    config: Config, path: tuple[str, ...], table: dict[str, Any], schema: dict[str, Any] | None
) -> Iterator[dict[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from _settings(config, (*path, key), value, schema)
        else:
            yield _row(config, (*path, key), masked((*path[2:], key), value, schema, table))


def _row(config: Config, path: tuple[str, ...], value: Any) -> dict[str, Any]:
    origin = config.origin(path)
    return {
        "key": dotted(path),
        "value": list(value) if isinstance(value, tuple) else value,
        "layer": origin.layer,
        "file": str(origin.file) if origin.file is not None else None,
        "variable": origin.variable,
    }


def _toml(value: Any) -> str | None:
    if value is None:
        return None  # the author decides
    return json.dumps(value, default=str, ensure_ascii=False)


@command.command("path", epilog=examples("hookctl config path"))
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def path(as_json: bool) -> None:
    """Show the file of each layer, the weakest first, and whether it counts."""
    rows = [
        {
            "layer": file.layer,
            "file": str(file.path),
            "exists": file.exists,
            "ignored": file.ignored,
        }
        for file in layer_files()
    ]
    if as_json:
        print_json(rows)
        return
    print_table(("layer", "file", "state"), [(r["layer"], r["file"], _state(r)) for r in rows])


def _state(row: dict[str, Any]) -> str:
    if not row["exists"]:
        return "not there"
    return f"ignored: {row['ignored']}" if row["ignored"] else "read"


@command.command(
    "schema",
    epilog=examples(
        "hookctl config schema > hookcore.schema.json", "hookctl config schema --write"
    ),
)
@click.option(
    "--write", is_flag=True, help="Write it beside hookcore.toml, and name it there for editors."
)
def schema(write: bool) -> None:
    """Print the JSON Schema of hookcore.toml, with the settings of all installed plugins.

    Editors check and complete by it. With --write, the first line of hookcore.toml names it, as
    Taplo and Even Better TOML read it: write it anew when plugins come and go.
    """
    from ..settings.composing import composed, written

    whole = composed(discover())
    if not write:
        print_json(whole)
        return
    file, config = written(whole)
    note(f"Wrote {file}, which the first line of {config} names")
