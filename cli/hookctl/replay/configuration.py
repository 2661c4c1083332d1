"""The things that all partitions of a replay have in common, as data that can travel."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hookcore.config import Config, read_config

from ..overriding import overrides

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Configuration", "configured", "configured_by"]


@dataclass(frozen=True, slots=True)
class Configuration:
    """The plugins that judge a replay, and how its inputs are read."""

    config: Config
    forced: str | None = None
    """The format to read all inputs as, or None to recognise it."""
    code: Mapping[str, str] | None = None
    """The code that must be in force wherever work is done, as `code_in_force` names it."""
    tracked: bool = False
    """True where the moments of runs are kept, too; findings do not depend on it."""
    key: str = field(default_factory=lambda: secrets.token_hex(32), compare=False)
    """The answer of `joint_key` wherever work is done."""

    def to_json(self) -> str:
        """Write the configuration, to be read in another process.

        Returns:
            JSON; settings are in it as they were said.
        """
        code = None if self.code is None else dict(self.code)
        config = self.config.to_json()
        data = {"config": config, "forced": self.forced, "code": code, "tracked": self.tracked}
        return json.dumps({**data, "key": self.key})

    @classmethod
    def from_json(cls, text: str) -> Configuration:
        """Read what `to_json` wrote.

        Args:
            text: the JSON.

        Returns:
            An equal configuration.

        Raises:
            ConfigError: the configuration of the plugins in it is none.
        """
        data = json.loads(text)
        config = Config.from_json(data.pop("config"))
        return cls(config, **data)

    def digest(self) -> str:
        """Give a mark of everything that findings depend on, whoever said it.

        Returns:
            A text from which nothing can be read back.
        """
        plugins = {name: plugin for name, plugin in self.config.plugins.items() if plugin.enabled}
        judging = Config(
            enabled=self.config.enabled,
            plugins=plugins,
            telemetry_track_mutations=self.config.telemetry_track_mutations,
        )
        text = json.dumps([judging.to_json(), self.forced])
        # Costly to guess at, since a setting may be a secret, and a short one.
        return hashlib.scrypt(text.encode(), salt=b"hookctl replay", n=1 << 14, r=8, p=1).hex()

    def __reduce__(self) -> tuple[Any, ...]:
        return (Configuration.from_json, (self.to_json(),))


def configured(
    plugins: Sequence[str] = (),
    *,
    assignments: Sequence[str] = (),
    monitor: bool = False,
    forced: str | None = None,
) -> Configuration:
    """Read the configuration of this folder, user and environment.

    Args:
        plugins: plugins to switch on, in addition to the enabled ones.
        assignments: settings that are others than the configured ones, as ``NAME.key=value``.
        monitor: whether all plugins only watch.
        forced: the format to read all inputs as, or None to recognise it.

    Returns:
        The configuration.

    Raises:
        ConfigError: as `read_config` does.
        UsageError: a plugin is not installed, or broken, or a setting does not fit.
    """
    return configured_by(overrides(plugins, assignments), monitor=monitor, forced=forced)


def configured_by(
    tables: Mapping[str, Mapping[str, Any]],
    start: str | None = None,
    *,
    monitor: bool = False,
    forced: str | None = None,
) -> Configuration:
    """Read the configuration of a folder, of the user and of the environment.

    Args:
        tables: the tables of plugins that beat it.
        start: the folder; None for the working folder.
        monitor: whether all plugins only watch.
        forced: the format to read all inputs as, or None to recognise it.

    Returns:
        The configuration.

    Raises:
        ConfigError: as `read_config` does.
    """
    config = read_config(start, overrides={"plugins": tables})
    if monitor:
        watching = {
            name: {**tables.get(name, {}), "mode": "monitor"}
            for name, plugin in config.plugins.items()
            if plugin.enabled
        }
        config = read_config(start, overrides={"plugins": {**tables, **watching}})
    return Configuration(config, forced)
