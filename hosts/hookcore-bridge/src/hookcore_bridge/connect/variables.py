"""Variables that a project gives to the programs of a client, hooks among them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from . import files
from .client import Client
from .trusting import at, read_plain

__all__ = ["disarming_variables"]

_DISARMING = re.compile(r"LD_\w+|DYLD_\w+|BASH_ENV|BASHOPTS|SHELLOPTS|BASH_FUNC_.*")
"""Variables by which a program runs code of others, or a shell runs nothing at all."""
_LINE = re.compile(r"^\s*(?:export\s+)?([^\s=#]+?)\s*[=:]", re.MULTILINE)


def disarming_variables(client: Client, project: Path) -> Iterator[tuple[Path, str]]:
    """Yield the variables with which a project takes a client's hooks over.

    Args:
        client: the client.
        project: the project's folder.

    Yields:
        The file, and the variable's name; never its value.
    """
    for name in client.variables:
        file = project / name
        for variable in _names(file):
            if _DISARMING.fullmatch(variable):
                yield file, variable


def _names(file: Path) -> list[str]:
    if file.suffix == ".json":
        told = at(read_plain(file), ("env",))
        return list(told) if isinstance(told, dict) else []
    with contextlib.suppress(files.ClientFileError):
        return _LINE.findall(files.text_of(file, files.read(file)))
    return []
