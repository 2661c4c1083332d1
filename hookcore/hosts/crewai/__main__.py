"""``python -m hookcore.hosts.crewai script.py``: a CrewAI program, governed, as it is."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from hookcore import HookcoreError

from ._install import install

_USAGE = "usage: python -m hookcore.hosts.crewai (script.py | -m module) [argument ...]"


def main(arguments: list[str]) -> int:
    """Install the drop-in and run a program as ``python`` would run it.

    Args:
        arguments: the program and its arguments.

    Returns:
        2 for a wrong command line, 3 when there is no CrewAI or a policy cannot be loaded, else
        0; what the program raises passes.
    """
    as_module = arguments[:1] == ["-m"]
    program = arguments[1:] if as_module else arguments
    if not program or program[0].startswith("-"):
        sys.stderr.write(f"{_USAGE}\n")
        return 2
    if not as_module and not Path(program[0]).exists():
        sys.stderr.write(f"{program[0]}: no such file\n{_USAGE}\n")
        return 2
    try:
        install()
    except (HookcoreError, ImportError) as error:
        # A policy that cannot be in force keeps the program from starting.
        sys.stderr.write(f"{program[0]} is not started: {error}\n")
        return 3
    sys.argv = program
    if as_module:
        sys.path[0] = ""
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = str(Path(program[0]).resolve().parent)
        runpy.run_path(program[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
