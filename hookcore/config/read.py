"""Reading all layers, strictly for a manager and lightly for `hookctl list`."""

from __future__ import annotations

import copy
import os
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from .bundle import asks_for_bundle, with_plugin
from .checks import check_shape
from .environment import read_environment
from .files import (
    FILE_NAME,
    bundle_file,
    config_files,
    fixed_files,
    read_table,
    working_folder,
)
from .guards import check_place, project_trust
from .layer import Layer
from .merge import Merged, merge
from .model import ConfigFile
from .settling import settled
from .travel import Config
from .warn import warn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path


__all__ = ["layer_files", "read_bundle", "read_config", "read_system_table", "read_tables"]


def read_config(
    start: str | Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
) -> Config:
    """Read the effective configuration, and accept nothing that is not quite right.

    Args:
        start: the folder at and above which the project's file is looked for; None for the
            working folder.
        overrides: the strongest layer, shaped like the TOML; a None in it says nothing.
        environ: the environment; None for the process's.

    Returns:
        The configuration, with the origin of each value.

    Raises:
        ConfigError: a file cannot be read, a key is unknown, a value is wrong, or a layer touches
            what an earlier one has locked.
    """
    layers, files = _layers(start, overrides, environ)
    config = _settled(layers, files)
    for file in files:
        if file.ignored is not None and file.exists:
            warn(f"{file.path} does not count: {file.ignored}")
    return config


def read_bundle(file: Path) -> Config:
    """Read what a bundle would come to: its configuration under the system's, and nothing else.

    Args:
        file: the configuration of the bundle.

    Returns:
        The configuration.

    Raises:
        ConfigError: a file is wrong, or the bundle changes what the system's file says.
    """
    system = fixed_files()[0]
    bundle = ConfigFile("bundle", file, exists=True)
    layers = [layer for each in (system, bundle) if (layer := _layer(each, {})) is not None]
    for layer in layers:
        check_shape(layer)
        check_place(layer)
    layers = [with_plugin(layer) if asks_for_bundle(layer) else layer for layer in layers]
    return _settled(layers, (system, bundle))


def read_system_table() -> dict[str, Any]:
    """Read the system's file alone; an empty table when there is none.

    Raises:
        ConfigError: it cannot be read, or its tables have the wrong shape.
    """
    layer = _layer(fixed_files()[0], {})
    if layer is None:
        return {}
    check_shape(layer)
    return layer.table


def read_tables(
    start: str | Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    instead: Mapping[Path, dict[str, Any]] | None = None,
) -> tuple[Merged, tuple[ConfigFile, ...]]:
    """Read the effective tables with light checks only, which starts several times faster.

    Args:
        start: as for :func:`read_config`.
        overrides: as for :func:`read_config`.
        environ: as for :func:`read_config`.
        instead: tables to use in place of what some files hold, to try a change out.

    Returns:
        The merged tables, and the file of each layer.

    Raises:
        ConfigError: a file cannot be read, a table has the wrong shape, or a lock is broken.
    """
    layers, files = _layers(start, overrides, environ, instead or {})
    return merge(layers), files


def layer_files(start: str | Path | None = None) -> tuple[ConfigFile, ...]:
    """Name the file of each layer, and tell whether the project's counts.

    Args:
        start: as for :func:`read_config`.

    Returns:
        The files, the weakest layer first.

    Raises:
        ConfigError: a file cannot be read, or says something about trust that means nothing.
    """
    return _file_layers(start, MappingProxyType({}))[1]


def _settled(layers: Iterable[Layer], files: tuple[ConfigFile, ...]) -> Config:
    layers = list(layers)
    for layer in layers:
        if layer.table:
            from .schema import validate  # pydantic, which nobody else should wait for

            validate(layer)
    return settled(Config, merge(layers), files)


def _layers(
    start: str | Path | None,
    overrides: Mapping[str, Any] | None,
    environ: Mapping[str, str] | None,
    instead: Mapping[Path, dict[str, Any]] = MappingProxyType({}),
) -> tuple[list[Layer], tuple[ConfigFile, ...]]:
    layers, files = _file_layers(start, instead)
    layers = [*layers, Layer("arguments", _arguments(overrides))]
    known = [layer.table for layer in layers]
    environment = os.environ if environ is None else environ
    layers.insert(-1, read_environment(environment, known, _installed))
    for layer in layers:
        check_shape(layer)
        check_place(layer)
    return layers, files


def _file_layers(
    start: str | Path | None, instead: Mapping[Path, dict[str, Any]]
) -> tuple[list[Layer], tuple[ConfigFile, ...]]:
    """Read the files; what the fixed ones say of trust decides whether the project's is read."""
    layers, fixed = _fixed_layers(instead)
    trust = project_trust(layers)
    if trust == "never":
        return layers, (*fixed, _unread_project(start, layers))
    project = config_files(start)[-1]
    layer = _layer(project, instead)
    if layer is not None and trust == "trusted" and project.path not in instead:
        from ..trust.projects import why_untrusted  # only those who ask for trust wait for it

        why = why_untrusted(project.path, layer.table)
        if why is not None:
            return layers, (*fixed, ConfigFile("project", project.path, True, why))
    return layers if layer is None else [*layers, layer], (*fixed, project)


def _fixed_layers(
    instead: Mapping[Path, dict[str, Any]],
) -> tuple[list[Layer], tuple[ConfigFile, ...]]:
    """Read the system's file, the bundle's if that one asks for a bundle, and the user's."""
    layers: list[Layer] = []
    files: list[ConfigFile] = []
    waiting = list(fixed_files())
    while waiting:
        file = waiting.pop(0)
        files.append(file)
        layer = _layer(file, instead)
        if layer is None:
            continue
        check_shape(layer)
        if asks_for_bundle(layer):
            layer = with_plugin(layer)
            waiting.insert(0, bundle_file())
        layers.append(layer)
    return layers, tuple(files)


def _layer(file: ConfigFile, instead: Mapping[Path, dict[str, Any]]) -> Layer | None:
    table = instead.get(file.path)
    if table is None and file.exists:
        table = read_table(file.path)
    return None if table is None else Layer(file.layer, table, file.path)


def _unread_project(start: str | Path | None, layers: Iterable[Layer]) -> ConfigFile:
    path = working_folder(start) / FILE_NAME
    said = next(layer for layer in layers if layer.table.get("trust", {}).get("project") == "never")
    why = f'{said.file} sets trust.project = "never": configure it in your own file instead'
    return ConfigFile("project", path, path.exists(), why)


def _installed() -> Collection[str]:
    from ..discovery import discover

    return discover()


def _arguments(overrides: Mapping[str, Any] | None) -> dict[str, Any]:
    plain = _plain(overrides or {})
    if not isinstance(plain, dict):
        raise ConfigError(f"the arguments must be a mapping like the TOML file, not {overrides!r}")
    return plain


def _plain(value: Any) -> Any:
    """Copy overrides into what TOML would have given: no tuples, no keys without a value."""
    if hasattr(value, "items"):
        return {key: _plain(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return copy.deepcopy(value)
