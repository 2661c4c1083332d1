"""The ways in which a command replays: in this process, in several, or on a cluster."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..output import note
from ..slowness import slow_imports_told
from .findings import merge
from .inputs import total_bytes
from .places import expanded
from .progress import progress
from .quiet import plain_output

if TYPE_CHECKING:
    from hookcore import HookManager

    from ..tracebacks import Failures
    from .configuration import Configuration
    from .findings import Ledger, Partial
    from .job import Shard
    from .work import Engine

__all__ = ["Way", "watched"]


@dataclass(frozen=True, slots=True)
class Way:
    """The inputs of a replay, and where and how its work is done."""

    files: tuple[str, ...]
    forced: str | None = None
    """The format to read all inputs as, or None to recognise it."""
    jobs: int = 1
    """Processes side by side; 0 for one on each core."""
    out: str | None = None
    """The folder that keeps the findings of each part."""
    on: str | None = None
    """The URL of a cluster."""
    resume: bool = False
    shard: Shard | None = None
    size: int | None = None
    """Bytes of one part in `out`, about."""

    def replay(self, configuration: Configuration, ledger: Ledger, failures: Failures) -> None:
        """Replay the inputs.

        Args:
            configuration: what judges.
            ledger: where findings and numbers go.
            failures: told of what hooks do besides letting pass, in this process.

        Raises:
            KeyboardInterrupt: it was interrupted; the ledger has what was found until then.
        """
        configuration = replace(configuration, tracked=ledger.tracks is not None)
        # What a plugin prints is no part of the report.
        with plain_output(), closing(_manager(configuration)) as manager:
            if self.jobs == 1 and self.out is None:
                self._here(manager, ledger, failures)
            else:
                self._in_parts(configuration, ledger)

    def _here(self, manager: HookManager, ledger: Ledger, failures: Failures) -> None:
        from .partitions import whole
        from .worker import replay_with

        paths = [path for given in self.files for path in expanded(given)]
        with progress(total_bytes(paths)) as on_bytes:
            partly: list[Partial] = []
            parts = (
                replay_with(
                    manager,
                    whole(path),
                    self.forced,
                    on_bytes,
                    watch=failures.add,
                    partly=partly,
                    tracked=ledger.tracks is not None,
                )
                for path in paths
            )
            try:
                merge(parts, ledger)
            except KeyboardInterrupt:
                merge(partly, ledger)
                raise

    def _in_parts(self, configuration: Configuration, ledger: Ledger) -> None:
        from .digests import code_in_force
        from .engines import engine_at, refuse_secrets
        from .job import replay_into, replay_side_by_side
        from .pool import Pool

        jobs = self.jobs or os.cpu_count() or 1
        engine: Engine = Pool(jobs, note)
        if self.on is not None:
            engine = remote = engine_at(self.on, note)
            refuse_secrets(configuration.config, remote)
            configuration = replace(configuration, code=code_in_force(configuration.config))
        if self.out is None:
            replay_side_by_side(
                configuration, ledger, self.files, engine, jobs=jobs, progress=progress
            )
            return
        missing = replay_into(
            self.out,
            configuration,
            ledger,
            self.files,
            engine,
            resume=self.resume,
            shard=self.shard,
            size=self.size,
            progress=progress,
        )
        if self.shard is not None:
            left = f"{missing} of all parts are still to be done"
            note(f"{left if missing else 'all parts are done'}; --resume without --shard sums up")


def _manager(configuration: Configuration) -> HookManager:
    from hookcore import HookManager

    with slow_imports_told():
        manager = HookManager.load(config=configuration.config)
    if not manager.plugins():
        note("no plugin is enabled, so nothing judges: hookctl enable NAME, or --plugin NAME")
    return manager


def watched(files: tuple[str, ...], plugins: tuple[str, ...]) -> list[Path]:
    """List what a replay depends on: its inputs, the configuration, and the code of plugins.

    Args:
        files: the inputs.
        plugins: the plugins that are switched on besides the enabled ones.
    """
    from hookcore.config import layer_files, read_tables
    from hookcore.discovery import discover

    from ..rows import enabled_names
    from ..schemas import package_folder

    catalog = discover()
    names = {*enabled_names(catalog, read_tables()[0]), *plugins}
    folders = [package_folder(catalog[name]) for name in names if name in catalog]
    places = [Path(path) for given in files for path in expanded(given)]
    places += [file.path for file in layer_files()]
    return places + [folder for folder in folders if folder is not None]
