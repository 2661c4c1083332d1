"""Layered configuration: reading it with the origin of each value, and changing it in place."""

from __future__ import annotations

from .model import (
    Config,
    ConfigFile,
    LayerName,
    LogConfig,
    Mode,
    OnErrorName,
    Origin,
    PluginConfig,
    Trust,
    Verify,
)
from .read import layer_files, read_config, read_tables
from .write import set_plugin

__all__ = [
    "Config",
    "ConfigFile",
    "LayerName",
    "LogConfig",
    "Mode",
    "OnErrorName",
    "Origin",
    "PluginConfig",
    "Trust",
    "Verify",
    "layer_files",
    "read_config",
    "read_tables",
    "set_plugin",
]
