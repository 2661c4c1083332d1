"""Reading all layers, strictly for a manager and lightly for `hookctl list`."""

from __future__ import annotations

import copy
import os
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from .checks import check_shape
from .environment import read_environment
from .files import config_files, read_table
from .layer import Layer
from .merge import Merged, merge
from .model import Config, PluginConfig

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from .model import ConfigFile

__all__ = ["read_config", "read_tables"]


def read_config(
    start: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
) -> Config:
    """Read the effective configuration, and accept nothing that is not quite right.

    Args:
        start: The folder at and above which the project's file is looked for; None for the
            working folder.
        overrides: The strongest layer, shaped like the TOML; a None in it says nothing.
        environ: The environment; None for the process's.

    Returns:
        The configuration, with the origin of each value.

    Raises:
        ConfigError: A file cannot be read, a key is unknown, a value is wrong, or a layer touches
            what an earlier one has locked.
    """
    from .schema import validate  # pydantic, which nobody else should wait for

    files = config_files(start)
    layers = _layers(files, overrides, environ)
    for layer in layers:
        validate(layer)
    return _config(merge(layers), files)


def read_tables(
    start: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    instead: Mapping[Path, dict[str, Any]] | None = None,
) -> tuple[Merged, tuple[ConfigFile, ...]]:
    """Read the effective tables with light checks only, which starts several times faster.

    Args:
        start: As for :func:`read_config`.
        overrides: As for :func:`read_config`.
        environ: As for :func:`read_config`.
        instead: Tables to use in place of what some files hold, to try a change out.

    Returns:
        The merged tables, and the file of each layer.

    Raises:
        ConfigError: A file cannot be read, a table has the wrong shape, or a lock is broken.
    """
    files = config_files(start)
    layers = _layers(files, overrides, environ, instead or {})
    return merge(layers), files


def _layers(
    files: Iterable[ConfigFile],
    overrides: Mapping[str, Any] | None,
    environ: Mapping[str, str] | None,
    instead: Mapping[Path, dict[str, Any]] = MappingProxyType({}),
) -> list[Layer]:
    layers = []
    for file in files:
        table = instead.get(file.path)
        if table is None and file.exists:
            table = read_table(file.path)
        if table is not None:
            layers.append(Layer(file.layer, table, file.path))
    arguments = Layer("arguments", _arguments(overrides))
    known = [layer.table for layer in (*layers, arguments)]
    environment = os.environ if environ is None else environ
    layers += [read_environment(environment, known, _installed), arguments]
    for layer in layers:
        check_shape(layer)
    return layers


def _installed() -> Iterable[str]:
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


def _config(merged: Merged, files: tuple[ConfigFile, ...]) -> Config:
    hooks = merged.table.get("hooks", {})
    plugins = {name: _plugin(table) for name, table in sorted(merged.plugins().items())}
    return Config(
        enabled=hooks.get("enabled", True),
        verify=hooks.get("verify", "warn"),
        plugins=MappingProxyType(plugins),
        telemetry_track_mutations=merged.table.get("telemetry", {}).get("track_mutations", False),
        files=files,
        origins=MappingProxyType(dict(merged.origins)),
    )


def _plugin(table: Mapping[str, Any]) -> PluginConfig:
    values = dict(table)
    for key in ("points", "tools", "agents"):
        if key in values:
            values[key] = tuple(values[key])
    if "timeout" in values:
        values["timeout"] = float(values["timeout"])
    return PluginConfig(**values)
