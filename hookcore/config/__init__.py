"""Layered configuration: reading it with the origin of each value, and changing it in place."""

from __future__ import annotations

from .model import Config, ConfigFile, LayerName, Mode, OnErrorName, Origin, PluginConfig, Verify
from .read import read_config, read_tables
from .write import set_plugin

__all__ = [
    "Config",
    "ConfigFile",
    "LayerName",
    "Mode",
    "OnErrorName",
    "Origin",
    "PluginConfig",
    "Verify",
    "read_config",
    "read_tables",
    "set_plugin",
]
