"""Layered configuration: reading it with the origin of each value, and changing it in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .model import (
    ConfigFile,
    LayerName,
    LogConfig,
    Mode,
    OnErrorName,
    Origin,
    PluginConfig,
    RecordConfig,
    RuleConfig,
    Trust,
    Verify,
)
from .read import layer_files, read_config, read_tables
from .travel import Config

if TYPE_CHECKING:
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
    "RecordConfig",
    "RuleConfig",
    "Trust",
    "Verify",
    "layer_files",
    "read_config",
    "read_tables",
    "set_plugin",
]


def __getattr__(name: str) -> Any:
    # A host that loads its plugins changes no file, and need not wait for what does.
    if name != "set_plugin":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .write import set_plugin

    return set_plugin
