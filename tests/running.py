"""``hookctl`` in this process, as if in a new one, or really in one of its own."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import hookcore
import hookcore_specs
import hookctl
from hookcore.testing import as_new_process
from hookctl.main import cli

PACKAGES = [str(Path(str(p.__file__)).parents[1]) for p in (hookcore, hookcore_specs, hookctl)]


@dataclass(frozen=True)
class Result:
    """The result of a run of the command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Hookctl:
    """Runs ``hookctl`` in a folder, with the plugins of a site folder installed."""

    folder: Path
    site: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: object, stdin: str = "", **environ: str) -> Result:
        """Run it in this process, which saves a start; its children are real."""
        wanted = self.environment(**environ)
        gone = dict.fromkeys(os.environ.keys() - wanted.keys())
        with as_new_process(self.site), working_in(self.folder), warnings_to_stderr():
            done = CliRunner().invoke(
                cli,
                [str(argument) for argument in arguments],
                input=stdin,
                env={**gone, **wanted},
                prog_name="hookctl",
                catch_exceptions=False,
            )
        return Result(done.exit_code, done.stdout, done.stderr)

    def process(self, *arguments: object, stdin: str = "", **environ: str) -> Result:
        """Run it in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "hookctl", *map(str, arguments)],
            cwd=self.folder,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            encoding="utf-8",
            env=self.environment(**environ),
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Result(done.returncode, done.stdout, done.stderr)

    def environment(self, **environ: str) -> dict[str, str]:
        """Return the environment that the command runs in."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("HOOKCORE_", "XDG_"))}
        return {
            **inherited,
            "PYTHONPATH": os.pathsep.join([*PACKAGES, str(self.site)]),
            "PYTHONWARNINGS": "error",
            **self.variables,
            **environ,
        }


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Change the working folder for a block."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def warnings_to_stderr() -> Iterator[None]:
    """Log as a process does that has not set logging up; pytest has."""
    logger, handler = logging.getLogger(), logging.lastResort
    assert handler is not None
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
