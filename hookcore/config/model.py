"""The configuration once it has been read: values, and where each came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from . import days

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ..trust.lockfile import LockEntry

__all__ = [
    "ConfigFile",
    "KeyPath",
    "LayerName",
    "LogConfig",
    "Mode",
    "OnErrorName",
    "Origin",
    "PluginConfig",
    "RecordConfig",
    "RuleConfig",
    "Settled",
    "Trust",
    "Verify",
    "dotted",
]

LayerName = Literal["default", "system", "bundle", "user", "project", "environment", "arguments"]
Mode = Literal["enforce", "monitor"]
OnErrorName = Literal["allow", "deny", "raise"]
Verify = Literal["off", "warn", "enforce"]
Trust = Literal["always", "trusted", "never"]
KeyPath = tuple[str, ...]


def dotted(path: Sequence[str]) -> str:
    """Write a key path as TOML would.

    Args:
        path: the keys, outermost first.

    Returns:
        The keys joined by dots, those that TOML could not write bare in quotes.
    """
    return ".".join(key if _is_bare(key) else f'"{key}"' for key in path)


def _is_bare(key: str) -> bool:
    return key.isascii() and key.replace("-", "a").replace("_", "a").isalnum()


@dataclass(frozen=True, slots=True)
class Origin:
    """The place where one value was said: a layer, and its file or environment variable."""

    layer: LayerName
    file: Path | None = None
    variable: str | None = None

    def __str__(self) -> str:
        if self.file is not None:
            return str(self.file)
        if self.variable is not None:
            return f"environment variable {self.variable}"
        return {"default": "the default", "arguments": "the arguments"}.get(self.layer, self.layer)


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file that a layer is read from, and whether it is there."""

    layer: LayerName
    path: Path
    exists: bool
    ignored: str | None = None
    """The reason why it does not count although it is there, and what changes that."""


@dataclass(frozen=True, slots=True)
class RuleConfig:
    """The operator's table about one rule of a plugin."""

    mode: Mode = "enforce"
    rollout: float | None = None
    """The percentage of runs in which it is enforced; it is monitored in the others."""
    expires: date | None = None
    """The last day on which it is in force, in UTC."""


@dataclass(frozen=True, slots=True)
class PluginConfig:
    """The operator's table about one plugin; None leaves the choice to the plugin's author.

    ``timeout`` is in seconds; ``points``, ``tools`` and ``agents`` narrow where the plugin acts.
    """

    enabled: bool = False
    required: bool = False
    mode: Mode = "enforce"
    rollout: float | None = None
    """The percentage of runs in which it is enforced; it is monitored in the others."""
    expires: date | None = None
    """The last day on which it is enabled, in UTC."""
    on_error: OnErrorName | None = None
    priority: int | None = None
    timeout: float | None = None
    points: tuple[str, ...] | None = None
    tools: tuple[str, ...] | None = None
    agents: tuple[str, ...] | None = None
    rules: dict[str, RuleConfig] = field(default_factory=dict)
    """The tables of single rules, by the names that its denials have."""
    settings: dict[str, Any] = field(default_factory=dict)

    def has_expired(self) -> bool:
        """Return whether the last day on which it is enabled is over."""
        return self.expires is not None and self.expires < days.today()


@dataclass(frozen=True, slots=True)
class LogConfig:
    """The operator's table about the log of decisions, and the bounds that it keeps."""

    enabled: bool = False
    max_megabytes: int = 100
    max_days: int = 30


@dataclass(frozen=True, slots=True)
class RecordConfig:
    """The operator's table about the recording of traffic."""

    enabled: bool = False
    file: str | None = None
    """The file; one in the user's state folder when None."""
    raw: bool = False
    max_megabytes: int = 100
    """The size of each file."""
    max_files: int = 5


@dataclass(frozen=True, slots=True)
class Settled:
    """The effective values of a configuration, and where each was said."""

    enabled: bool = True
    verify: Verify = "warn"
    plugins: Mapping[str, PluginConfig] = field(default_factory=lambda: MappingProxyType({}))
    telemetry_track_mutations: bool = False
    trust_project: Trust = "always"
    log: LogConfig = LogConfig()
    record: RecordConfig = RecordConfig()
    files: tuple[ConfigFile, ...] = ()
    origins: Mapping[KeyPath, Origin] = field(default_factory=lambda: MappingProxyType({}))
    enablers: Mapping[str, Origin] = field(default_factory=lambda: MappingProxyType({}))
    """The first place that switched each plugin on; later layers may only have repeated it."""
    lock: Mapping[str, LockEntry] | None = None
    """The entries that vouch for plugins' code, by plugin, instead of any lock file."""

    @property
    def required(self) -> tuple[str, ...]:
        """The plugins without which the manager must not start, sorted."""
        return tuple(sorted(name for name, plugin in self.plugins.items() if plugin.required))

    def origin(self, key_path: str | Sequence[str]) -> Origin:
        """Tell where a value was said.

        Args:
            key_path: ``"hooks.enabled"``, or the keys one by one where a key holds a dot.

        Returns:
            The origin of that key; for a table, that of its last change; the default layer's when
            no layer says anything.
        """
        path = tuple(key_path.split(".")) if isinstance(key_path, str) else tuple(key_path)
        found = self.origins.get(path)
        if found is None:
            inside = [at for key, at in self.origins.items() if key[: len(path)] == path]
            found = max(inside, key=_rank, default=Origin("default"))
        return found


_ORDER: tuple[LayerName, ...] = (
    "default",
    "system",
    "bundle",
    "user",
    "project",
    "environment",
    "arguments",
)


def _rank(origin: Origin) -> int:
    return _ORDER.index(origin.layer)
