"""Governing a process from its start, as the environment asks: ``hookctl run`` and its children.

A folder on ``PYTHONPATH``, :data:`STARTUP`, has a ``sitecustomize`` module that calls
:func:`start`: before the first line of the program that ``hookctl run`` starts, in its children
before the first import of anything that is not Python's own.
"""

from __future__ import annotations

import atexit
import gc
import io
import json
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NoReturn

from ..process import get_manager
from .governing import Governor
from .installed import InstalledHost, installed_hosts

__all__ = ["AUTO", "RUN", "STARTUP", "Wish", "environment_for", "start"]

AUTO: Final = "HOOKCORE_AUTO"
"""The variable that governs a Python: ``1``, with ``,quiet`` and ``,untested`` after it."""
RUN: Final = "_HOOKCORE_RUN"
"""The variable for the one process that ``hookctl run`` starts, which takes it away."""
STARTUP: Final = str(Path(__file__).with_name("startup"))
"""The folder for ``PYTHONPATH``."""

_FAILED, _USAGE, _BROKEN = 1, 2, 3


@dataclass(frozen=True, kw_only=True)
class Wish:
    """The things that are asked of a governed process."""

    quiet: bool = False
    """True when nothing is to be said of what came into force; problems are told all the same."""
    accept_untested: bool = False
    require: tuple[str, ...] = field(default=())
    """The hosts that must have come into force by the end of the program."""


def environment_for(wish: Wish, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables that govern a Python and its children, to be added to its environment.

    Args:
        wish: what is asked; ``require`` holds for the first process only.
        environ: the environment as it is.
    """
    before = environ.get("PYTHONPATH")
    folders = [STARTUP, *(item for item in (before or "").split(os.pathsep) if item != STARTUP)]
    asked = (("1", True), ("quiet", wish.quiet), ("untested", wish.accept_untested))
    return {
        AUTO: ",".join(word for word, is_asked in asked if is_asked),
        RUN: json.dumps({"require": wish.require}),
        "PYTHONPATH": os.pathsep.join(folders) if before else STARTUP,
    }


def start() -> None:
    """Govern this process as its environment asks; end it when it cannot be governed.

    The process that ``hookctl run`` starts loads its policies now, any other with the first runtime
    that it imports.
    """
    run = os.environ.pop(RUN, None)
    words = [word.strip() for word in os.environ.get(AUTO, "").split(",")]
    unknown = sorted({*words} - {"", "0", "1", "quiet", "untested"})
    if unknown:
        _end(_USAGE, f"{AUTO} is 1, with ',quiet' or ',untested' after it, not {unknown[0]!r}")
    if "1" not in words:
        return
    try:
        wish = Wish(
            quiet="quiet" in words,
            accept_untested="untested" in words,
            require=() if run is None else tuple(json.loads(run)["require"]),
        )
        process = _Process(wish)
        if run is not None:
            # The processes that the program starts say nothing of their own.
            os.environ[AUTO] = environment_for(replace(wish, quiet=True))[AUTO]
            get_manager()
            atexit.register(process.at_end)
        process.governor.start()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it would leave the program ungoverned
        _end(_BROKEN, f"nothing is started: {error}")


class _Process:
    """This process, and what came into force in it."""

    def __init__(self, wish: Wish) -> None:
        self._wish = wish
        self._pid = os.getpid()
        hosts = installed_hosts()
        untested = wish.accept_untested
        self.governor = Governor(hosts, _say, self._governed, accept_untested=untested)

    def _governed(self, installed: InstalledHost) -> None:
        if self._wish.quiet or installed.host is None:
            return
        policies = ", ".join(info.name for info in get_manager().plugins() if info.enabled)
        _say(
            f"{installed.name} is in force ({installed.host.runtime} {installed.installed}, "
            f"{installed.distribution} {installed.version}) with "
            f"{f'the policies {policies}' if policies else 'no policy, since none is enabled'}"
        )

    def at_end(self) -> None:
        """Say what is to be said when the program is over, and fail when it has to."""
        if os.getpid() != self._pid:  # a fork has its parent's callbacks
            return
        # A runtime of hookcore's own needs no adapter: it declares itself.
        in_force = {*(host.name for host in self.governor.in_force), *get_manager().declared_by}
        missing = [name for name in self._wish.require if name not in in_force]
        if missing:
            _say(f"{_listed(missing)} did not come into force, which --require asks for")
            if not _has_failed():
                _flush()
                os._exit(_FAILED)
        elif not in_force and not self._wish.quiet:
            modules = ", ".join(self.governor.modules) or "no adapter is installed"
            _say(f"no adapter came into force: none of their runtimes was imported ({modules})")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _has_failed() -> bool:
    """Return whether an exception ended the program, so that its exit code tells of a failure."""
    return getattr(sys, "last_value", None) is not None


def _say(sentence: str) -> None:
    stream: Any = sys.stderr
    if stream is None:
        return
    # The names are other people's: what is not printable could pass for something else.
    lines = ["".join(c if c.isprintable() else "?" for c in line) for line in sentence.split("\n")]
    try:
        stream.write("".join(f"hookcore: {line}\n" for line in lines))
        stream.flush()
    except (OSError, ValueError):  # closed: there is nobody to tell
        return


def _flush() -> None:
    """Write what the files that are open still hold: nothing else will, where Python is left."""
    for item in gc.get_objects():
        if issubclass(type(item), io.IOBase):
            with suppress(Exception):
                item.flush()


def _end(code: int, sentence: str) -> NoReturn:
    # What is raised here would be printed by Python's start-up, which then goes on.
    _say(sentence)
    _flush()
    os._exit(code)
