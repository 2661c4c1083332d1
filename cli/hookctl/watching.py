"""Running a command again whenever a file has changed that it depends on.

Files are looked at a few times a second: a project's own are few, and no library is needed for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .output import note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["HELP", "arguments", "watch"]

HELP = "Do it again whenever a file changes, until Ctrl-C."
_SECONDS = 0.3
_IS_VENV = "pyvenv.cfg"
_PASSED_OVER = frozenset(("__pycache__", "build", "dist", "node_modules", "site-packages"))
# Each run is a process of its own, which imports everything anew and finds what this one finds.
_CHILD = (
    "import sys; sys.path[:] = sys.argv.pop(1).split('\\n'); from hookctl.main import main; main()"
)


def arguments(ctx: click.Context, *, but: str) -> list[str]:
    """Write down again what a command was called with.

    Args:
        ctx: the command's context.
        but: the name of the option that is left out.

    Returns:
        The command's name and its arguments.
    """
    options: list[str] = []
    others: list[str] = []
    for parameter in ctx.command.params:
        value = ctx.params.get(str(parameter.name))
        if parameter.name == but or value is None or value is False:
            continue
        values = value if isinstance(value, tuple) else (value,)
        if not isinstance(parameter, click.Option):
            others += map(str, values)
        elif parameter.is_flag:
            options.append(parameter.opts[-1])
        else:
            options += [f"{parameter.opts[-1]}={one}" for one in values]
    return [str(ctx.info_name), *options, "--", *others]


def watch(
    places: Iterable[Path],
    arguments: Sequence[str],
    *,
    wait: Callable[[], object] = lambda: time.sleep(_SECONDS),
) -> None:
    """Run a command, and again after each change, until somebody interrupts it.

    Args:
        places: files, and folders with all that is in them but what is made and what is hidden.
        arguments: the arguments of ``hookctl``.
        wait: lets time pass between two looks.
    """
    watched = list(dict.fromkeys(places))
    command = [sys.executable, "-c", _CHILD, "\n".join(sys.path), *arguments]
    while True:
        before = _state(watched)
        subprocess.run(command, check=False)  # noqa: S603 - our own module
        note(f"\nWatching {', '.join(map(str, watched))}; Ctrl-C ends it.")
        while _state(watched) == before:
            wait()
        note("\n" + "=" * 40)


def _state(places: Iterable[Path]) -> dict[str, tuple[int, int]]:
    found = {}
    for file in _files(places):
        try:
            status = os.stat(file)  # noqa: PTH116 - called for each file, again and again
        except OSError:
            continue  # an editor is about to replace it
        found[file] = (status.st_mtime_ns, status.st_size)
    return found


def _files(places: Iterable[Path]) -> Iterator[str]:
    for place in places:
        if not place.is_dir():
            yield str(place)
            continue
        for folder, inner, names in os.walk(place):
            inner[:] = [] if _IS_VENV in names else [name for name in inner if _matters(name)]
            for name in names:
                if _matters(name):
                    yield os.path.join(folder, name)  # noqa: PTH118


def _matters(name: str) -> bool:
    return not (name.startswith(".") or name in _PASSED_OVER or name.endswith((".egg-info", "~")))
