"""A configuration as JSON, to be read elsewhere as what it was here."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..errors import ConfigError
from ..later import json
from .layer import Layer
from .merge import Merged
from .model import ConfigFile, LayerName, Origin, Settled
from .settling import settled

if TYPE_CHECKING:
    from ..trust.lockfile import LockEntry
    from .model import LogConfig, PluginConfig, RecordConfig, RuleConfig

__all__ = ["Config"]

_VERSION = 1
_DATES = (dt.datetime, dt.date, dt.time)
_TAG = "$date"
"""The key of an object that stands for a date or time, which JSON has not."""


class Config(Settled):
    """The effective configuration of one process."""

    __slots__ = ()

    def to_json(self) -> str:
        """Write the configuration as JSON, to be read in another process or on another machine.

        Returns:
            The JSON, the same for equal configurations. Settings are in it as they were said,
            secrets too.

        Raises:
            ConfigError: a setting is nothing that TOML could have said.
        """
        document = {
            "version": _VERSION,
            "table": _table(self),
            "files": [[f.layer, str(f.path), f.exists, f.ignored] for f in self.files],
            "origins": [[list(path), _origin(at)] for path, at in sorted(self.origins.items())],
            "enablers": {name: _origin(at) for name, at in self.enablers.items()},
            "lock": _lock(self),
        }
        return json.dumps(document, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Config:
        """Read what :meth:`to_json` wrote; no file and no environment variable is looked at.

        Args:
            text: the JSON.

        Returns:
            An equal configuration, for ``HookManager.load(config=...)``.

        Raises:
            ConfigError: the text is no such JSON, or says something that no configuration says.
        """
        from .schema import validate

        try:
            merged, files, lock = _read(text)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            # Nothing of the text is quoted: it may hold secrets.
            raise ConfigError(
                f"this is not a configuration as JSON ({type(error).__name__}): give what "
                "Config.to_json() returned"
            ) from None
        validate(Layer("arguments", merged.table))
        return settled(cls, merged, files, lock)


def _read(text: str) -> tuple[Merged, tuple[ConfigFile, ...], dict[str, LockEntry] | None]:
    from ..trust.lockfile import LockEntry  # it reads TOML, which most that load have no need of

    document = json.loads(text)
    if document["version"] != _VERSION:
        raise ConfigError(
            f"the configuration's JSON has version {document['version']!r}, not {_VERSION}: "
            "write and read it with the same hookcore"
        )
    merged = Merged()
    merged.table = _without_tags(document["table"])
    merged.origins = {tuple(path): _place(at) for path, at in document["origins"]}
    merged.enablers = {name: _place(at) for name, at in document["enablers"].items()}
    files = tuple(
        ConfigFile(layer, Path(path), exists, ignored)
        for layer, path, exists, ignored in document["files"]
    )
    said = document["lock"]
    lock = None if said is None else {name: LockEntry(*entry) for name, entry in said.items()}
    return merged, files, lock


def _lock(config: Config) -> dict[str, Any] | None:
    if config.lock is None:
        return None
    return {
        name: [entry.distribution, entry.version, dict(entry.files)]
        for name, entry in config.lock.items()
    }


def _table(config: Config) -> dict[str, Any]:
    plugins = {
        name: {
            **_said(plugin),
            "rules": {rule: _said(about) for rule, about in plugin.rules.items()},
        }
        for name, plugin in config.plugins.items()
    }
    table = {
        "hooks": {"enabled": config.enabled, "verify": config.verify},
        "plugins": plugins,
        "telemetry": {"track_mutations": config.telemetry_track_mutations},
        "trust": {"project": config.trust_project},
        "log": _said(config.log),
        "record": _said(config.record),
    }
    tagged = _tagged(table)
    return cast("dict[str, Any]", tagged)


def _said(table: PluginConfig | RuleConfig | LogConfig | RecordConfig) -> dict[str, Any]:
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key in table.__slots__
        if (value := getattr(table, key)) is not None
    }


def _tagged(value: Any) -> Any:
    if isinstance(value, _DATES):
        return {_TAG: value.isoformat()}
    if isinstance(value, dict):
        inside = {_checked(key): _tagged(item) for key, item in value.items()}
        # A table that happens to look like a date is put into one that does not.
        return {_TAG: inside} if set(value) == {_TAG} else inside
    if isinstance(value, list | tuple):
        return [_tagged(item) for item in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise ConfigError(f"a configuration that travels cannot hold {type(value).__name__} values")


def _checked(key: object) -> str:
    if isinstance(key, str):
        return key
    raise ConfigError(f"a configuration that travels has texts as keys, not {type(key).__name__}")


def _without_tags(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_tags(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {_TAG}:
        inside = value[_TAG]
        if isinstance(inside, dict):
            return {key: _without_tags(item) for key, item in inside.items()}
        return _date(inside)
    return {key: _without_tags(item) for key, item in value.items()}


def _date(text: str) -> dt.datetime | dt.date | dt.time:
    for kind in (dt.date, dt.time, dt.datetime):
        try:
            found: dt.date | dt.time = kind.fromisoformat(text)
        except ValueError:
            continue
        if found.isoformat() == text:
            return found
    raise ValueError("no date")


def _origin(origin: Origin) -> list[str | None]:
    return [origin.layer, None if origin.file is None else str(origin.file), origin.variable]


def _place(value: list[str | None]) -> Origin:
    layer, file, variable = value
    return Origin(cast("LayerName", layer), None if file is None else Path(file), variable)
