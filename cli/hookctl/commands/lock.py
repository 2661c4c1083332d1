"""``hookctl lock``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hookcore.config import read_config
from hookcore.discovery import discover

from ..examples import examples
from ..failure import GATE, UsageError
from ..output import note, print_json, printable
from ..targets import find_plugins, is_usable
from ..vouching import is_known, matters, one_at_a_time, remember

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hookcore.config import Config
    from hookcore.discovery import Catalog, PluginSource
    from hookcore.trust.lockfile import LockEntry


@click.command(
    "lock",
    epilog=examples("hookctl lock", "hookctl lock tool-policy", "hookctl lock --check"),
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if something differs.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def command(names: tuple[str, ...], check: bool, as_json: bool) -> None:
    """Accept the installed code of enabled plugins, all of them or those that are named.

    Distribution, version and a digest of each installed file go into hookcore.lock, beside the
    configuration of the first layer that switches the plugin on. No plugin's code is imported.
    """
    config, catalog = read_config(), discover()
    plugins = _plugins(names, config, catalog)
    if check:
        _check(plugins, config, catalog, as_json=as_json)
        return
    with one_at_a_time():
        rows = _lock(plugins, config, catalog, everything=not names)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        word = "Locked" if row["changed"] else "Unchanged:"
        what = f"{row['distribution']} {row['version']}, {row['files']} files, in {row['lock']}"
        click.echo(printable(f"{word} {row['name']}: {what}"))
    if not rows:
        click.echo("No installed plugin is enabled.")


def _plugins(names: Sequence[str], config: Config, catalog: Catalog) -> list[str]:
    enabled = [name for name, plugin in config.plugins.items() if plugin.enabled]
    if not names:
        return [name for name in enabled if name in catalog]
    found = find_plugins(names, catalog, config.plugins)
    for name in found:
        if name not in enabled:
            raise UsageError(f"{name} is not enabled: run 'hookctl enable {name}', which locks it")
        if name not in catalog:
            raise UsageError(f"{name} is not installed, so there is no code to lock")
        is_usable(catalog[name])
    return found


def _check(plugins: Sequence[str], config: Config, catalog: Catalog, *, as_json: bool) -> None:
    from hookcore.trust.verify import differences

    found = [
        difference
        for name in plugins
        for difference in differences(config, catalog[name])
        if difference.kind != "editable"
    ]
    if as_json:
        print_json([{"name": d.plugin, "kind": d.kind, "difference": d.text} for d in found])
    for difference in () if as_json else found:
        click.echo(printable(f"{difference.plugin}: {difference}"))
    if found:
        raise click.exceptions.Exit(GATE)
    if not as_json:
        click.echo(f"{len(plugins)} enabled plugins are what is locked.")


def _lock(
    plugins: Sequence[str], config: Config, catalog: Catalog, *, everything: bool
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    by_file: dict[Path, dict[str, LockEntry]] = {}
    for name in plugins:
        target = _target(catalog[name], config)
        if target is not None:
            entry = by_file.setdefault(target, {})[name] = _entry(catalog[name])
            rows.append(_row(name, entry, target))
    changed: set[str] = set()
    for file, new in by_file.items():
        changed |= _write(file, config, new, everything)
    return [{**row, "changed": row["name"] in changed} for row in rows]


def _target(source: PluginSource, config: Config) -> Path | None:
    from hookcore.trust.verify import is_bundled, voucher

    if source.conflict is not None:
        note(f"{source.name} is left out: {source.conflict}")
        return None
    target = voucher(config, source.name).file
    if is_bundled(config, source.name):
        note(
            f"{source.name} is left out: the bundle that enables it says what is locked "
            f"({target}): lock it where the bundle is built"
        )
        return None
    if target is None:
        note(f"{source.name} is left out: there is no configuration file to keep a lock beside")
    return target


def _entry(source: PluginSource) -> LockEntry:
    from hookcore.trust.installed import installed_files
    from hookcore.trust.lockfile import LockEntry

    found = installed_files(source)
    if found.tampered:
        note(
            f"{source.name}: {', '.join(found.tampered)} changed since it was installed, and is "
            "locked as it is now: if you did not do that, run 'pip install --force-reinstall "
            f"{source.distribution}' and lock again"
        )
    return LockEntry(source.distribution, source.version, found.files)


def _row(name: str, entry: LockEntry, target: Path) -> dict[str, Any]:
    return {
        "name": name,
        "distribution": entry.distribution,
        "version": entry.version,
        "files": len(entry.files),
        "digest": entry.digest,
        "lock": str(target),
    }


def _write(file: Path, config: Config, new: dict[str, LockEntry], everything: bool) -> set[str]:
    """Write one lock file, and return the plugins whose entries are new."""
    from hookcore.trust.lockfile import change_lock

    beside = _config_beside(file, config)
    known = beside is not None and is_known(beside)
    changed: set[str] = set()

    def edit(entries: dict[str, LockEntry]) -> dict[str, LockEntry]:
        changed.update(name for name, entry in new.items() if entries.get(name) != entry)
        return new if everything else {**entries, **new}

    change_lock(file, edit)
    if known and beside is not None:
        remember(beside)
    elif beside is not None and matters(config):
        note(f"{file} does not count until you have trusted it: run 'hookctl trust'")
    return changed


def _config_beside(file: Path, config: Config) -> Path | None:
    """Return the project's configuration, if the lock file is the project's."""
    for candidate in config.files:
        if candidate.layer == "project" and candidate.path.parent == file.parent:
            return candidate.path
    return None
