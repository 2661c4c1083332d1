"""The plugins that an author means: those of a project's folder, or installed ones."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hookcore.config import read_config
from hookcore.config.files import parse
from hookcore.discovery import GROUP, PluginSource, discover, editable_project

from ..failure import UsageError
from ..schemas import package_folder
from ..targets import find_plugins, is_usable
from ..vouching import check_vouched

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CASES", "Subject", "installed", "subjects"]

CASES = "cases.toml"
_NAME = "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Subject:
    """One plugin, and where its code lies."""

    source: PluginSource
    project: Path | None
    """The folder of its project; None for what is installed from a wheel."""
    is_installed: bool = True

    @property
    def name(self) -> str:
        """The plugin's name."""
        return self.source.name

    def cases(self) -> Path | None:
        """Return the file of the cases that it ships, if it does.

        In a project they are in ``tests``, and in a wheel in the package.
        """
        places = [self.project / "tests"] if self.project is not None else []
        folder = package_folder(self.source)
        places += [folder] if folder is not None else []
        return next((file for place in places if (file := place / CASES).is_file()), None)

    def check_vouched(self) -> None:
        """Check that an installed plugin may be imported.

        Raises:
            BrokenError: ``hooks.verify`` is ``"enforce"``, and its code is not what is locked.
        """
        if self.is_installed:
            check_vouched(read_config(), self.source)

    def watched(self) -> list[Path]:
        """Return the folders in which a change matters."""
        folder = package_folder(self.source)
        found = [self.project] if self.project is not None else []
        return found + ([folder] if folder is not None else [])


def subjects(target: str | None) -> list[Subject]:
    """Find the plugins that somebody names.

    Args:
        target: a project's folder, or the name of an installed plugin or distribution; None for
            the project of the working folder.

    Returns:
        The plugins. Those of a folder are found where its source is, installed or not.

    Raises:
        UsageError: there is no such plugin, or the folder is no project with plugins.
        ConfigError: its ``pyproject.toml`` cannot be read.
    """
    folder = Path(target) if target is not None else Path.cwd()
    catalog = discover()
    if target is not None and target not in catalog and not folder.is_dir():
        if any(mark in target for mark in ("/", "\\")):
            raise UsageError(f"there is no folder {target}")
        return [installed(catalog[name]) for name in find_plugins([target], catalog, ())]
    if target in catalog:
        return [installed(catalog[str(target)])]
    return list(_of_project(folder.resolve()))


def installed(source: PluginSource) -> Subject:
    """Return an installed plugin, which may be an editable install of a project.

    Args:
        source: the plugin.

    Raises:
        BrokenError: something else offers it too.
    """
    is_usable(source)
    project = editable_project(source.location)
    return Subject(source, None if project is None else Path(project))


def _of_project(folder: Path) -> Iterator[Subject]:
    file = folder / _NAME
    if not file.is_file():
        raise UsageError(
            f"{folder} is no project: it has no {_NAME}. Name a folder that has one, or an "
            "installed plugin"
        )
    table = parse(file, file.read_bytes())
    project = table.get("project", {})
    entries = _entries(table)
    if not entries:
        raise UsageError(
            f"{file} offers no plugin: add a table [project.entry-points.{GROUP!r}] with NAME = "
            "'package:Class'".replace("'hookcore.plugins'", '"hookcore.plugins"')
        )
    # Not both: what lies beside src, such as a types.py, would stand before Python's own.
    place = folder / "src" if (folder / "src").is_dir() else folder
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))
    for name, value in entries.items():
        version = project.get("version", "unreleased")
        source = PluginSource(name, str(value), project.get("name", name), version, str(folder))
        yield Subject(source, folder, is_installed=False)


def _entries(table: dict[str, Any]) -> dict[str, Any]:
    groups = (
        table.get("project", {}).get("entry-points", {}),
        table.get("tool", {}).get("poetry", {}).get("plugins", {}),
    )
    found: dict[str, Any] = {}
    for group in groups:
        found.update(group.get(GROUP, {}) if isinstance(group, dict) else {})
    return found
