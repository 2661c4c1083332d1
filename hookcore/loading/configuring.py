"""The manager's methods that read the configuration: at the start, and again when it changes."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ..errors import HookcoreError
from ..later import logger
from .declare import Declarations, check_declaration

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from typing_extensions import Self

    from hookcore_specs import HookDispatchedEvent

    from ..config import Config
    from ..dispatch.parts import Parts
    from ..dispatch.plans import Plans
    from .reload import Reloaded

__all__ = ["Configuring"]

WATCH_SECONDS = 1.0


class Configuring:
    """Loads what the configuration enables."""

    parts: Parts
    config: Config | None = None
    """The configuration in force, as :meth:`load` or :meth:`reload` read it."""
    register_configured: Callable[..., str]
    plugins: Callable[[], tuple[Any, ...]]
    subscribe: Callable[[Callable[[HookDispatchedEvent], object]], Callable[[], None]]
    tracks_mutations: bool
    _plans: Plans
    _reloading: threading.RLock
    _declarations: Declarations
    _start: str | Path | None = None
    _overlay: Mapping[str, Any] | Config | None = None
    _stop_watching: threading.Event | None = None
    _end_log: Callable[[], None] | None = None
    _end_record: Callable[[], None] | None = None
    _recorded: tuple[object, ...] | None = None

    @classmethod
    def load(
        cls,
        start: str | Path | None = None,
        config: Mapping[str, Any] | Config | None = None,
        *,
        watch: bool = False,
        **options: Any,
    ) -> Self:
        """Return a manager with the plugins that the configuration enables.

        Args:
            start: the folder whose project configuration counts; the working folder when None.
            config: the last layer, in the form of the TOML file; or a whole configuration.
            watch: bring changes of the configuration's files into force while the program runs, as
                :meth:`reload` does, until :meth:`close`.
            options: what the class takes.

        Raises:
            ConfigError: a configuration file, or ``config``, is wrong.
            PluginLoadError: enabled plugins cannot be loaded; it lists all of them.
        """
        manager = cls(**options)
        manager.load_configured(start, config)
        if watch:
            manager.watch()
        return manager

    def load_configured(
        self,
        start: str | Path | None = None,
        config: Mapping[str, Any] | Config | None = None,
    ) -> None:
        """Add the plugins that the configuration enables, as :meth:`load` does to a new manager."""
        self._start, self._overlay = start, config
        config = self._read()
        if config.telemetry_track_mutations:
            self.tracks_mutations = True
        if config.plugins:
            from ..discovery import discover
            from .load import load_into

            load_into(self.register_configured, config, discover())
        self._keep_log(config)
        self._keep_record(config)
        self.config = config

    def reload(self, config: Mapping[str, Any] | Config | None = None) -> Reloaded:
        """Read the configuration again and bring what has changed into force, all or nothing.

        Dispatches that run end with the plugins from before; later ones have the new ones. Plugins
        that the program registered itself stay. What the configuration in force requires stays as
        it is. The bounds of the log of decisions count from the next start.

        Args:
            config: in the place of what :meth:`load` was given.

        Returns:
            What was added, removed and changed.

        Raises:
            ConfigError: a file is wrong, or changes what only a new start may change; nothing was
                changed.
            PluginLoadError: enabled plugins cannot be loaded; nothing was changed.
        """
        from ..config import Config
        from ..discovery import discover
        from .reload import Target, reload_into

        with self._reloading:
            overlay = self._overlay
            if config is not None:
                self._overlay = config
            try:
                after = self._read()
                target = Target(self._plans, self.parts.registry, self._check)
                done = reload_into(target, self.config or Config(), after, discover())
            except BaseException:
                self._overlay = overlay
                raise
            self.tracks_mutations = after.telemetry_track_mutations
            self._keep_log(after)
            self.config = after
            try:
                self._keep_record(after)
            except HookcoreError as error:
                logger.error("traffic is not recorded any more: %s", error)
        return done

    def watch(self) -> None:
        """Bring changes of the configuration's files into force from now on, until :meth:`close`.

        The files are looked at once a second, on a thread of its own. What cannot be brought into
        force is logged, and the configuration from before stays in force.
        """
        if self._stop_watching is None:
            self._stop_watching = threading.Event()
            from .watching import watch

            watch(self, self._start, self._stop_watching, WATCH_SECONDS)

    def stop_watching(self) -> None:
        """End what :meth:`watch` began."""
        if self._stop_watching is not None:
            self._stop_watching.set()
            self._stop_watching = None

    def _read(self) -> Config:
        from ..config import Config, read_config

        if isinstance(self._overlay, Config):
            return self._overlay
        return read_config(self._start, self._overlay)

    def _check(self, record: Any) -> None:
        check_declaration(self._declarations, [record])

    def _keep_log(self, config: Config) -> None:
        if not config.log.enabled:
            if self._end_log is not None:
                self._end_log()
                self._end_log = None
            return
        from ..disk.state import is_recording

        if self._end_log is None and is_recording():
            from ..log.writer import attach  # SQLite, which nobody else should wait for

            self._end_log = attach(self, config.log)

    def _keep_record(self, config: Config) -> None:
        if not config.record.enabled and self._recorded is None:
            return
        redactors = [
            info.plugin
            for info in self.plugins()
            if info.enabled and getattr(info.plugin, "redacts", False)
        ]
        wanted = (config.record, *map(id, redactors)) if config.record.enabled else None
        if wanted == self._recorded:
            return
        if self._end_record is not None:
            self._end_record()
            self._end_record = self._recorded = None
        from ..disk.state import is_recording

        if wanted is not None and is_recording():
            from ..log.recording import begin_recording

            manager: Any = self
            self._end_record = begin_recording(manager, config.record, redactors, type(manager))
            self._recorded = wanted
