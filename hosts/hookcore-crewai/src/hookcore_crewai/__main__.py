"""``python -m hookcore_crewai script.py``: a CrewAI program, governed, as it is."""

from __future__ import annotations

import sys
from pathlib import Path

from hookcore import HookcoreError

from ._install import install
from ._program import CannotRunError, run_module, run_path

_USAGE = "usage: python -m hookcore_crewai (script.py | -m module) [argument ...]"


def main(arguments: list[str]) -> int:
    """Install the drop-in and run a program as ``python`` would run it.

    Args:
        arguments: the program and its arguments.

    Returns:
        2 for a wrong command line, 3 when there is no CrewAI or a policy cannot be loaded, 1 when
        there is no such module, else 0; what the program raises passes.
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
    try:
        (run_module if as_module else run_path)(program[0], program[1:])
    except CannotRunError as error:
        sys.stderr.write(f"{sys.executable}: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
