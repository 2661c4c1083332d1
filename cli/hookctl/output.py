"""Writing to the terminal or into a pipe."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "note",
    "one_line",
    "plugins_print_to_stderr",
    "print_json",
    "print_table",
    "printable",
]

_STYLES = {"enabled": "green", "broken": "red", "missing": "red", "disabled": "bright_black"}


def print_json(value: Any) -> None:
    """Print a value as JSON.

    Args:
        value: anything; what JSON does not know is written as its ``repr``.
    """
    click.echo(json.dumps(value, indent=2, default=repr))


@contextlib.contextmanager
def plugins_print_to_stderr() -> Iterator[None]:
    """Keep what plugins print out of the answer, which a program may be reading."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def note(message: str) -> None:
    """Tell the user something that is not part of the answer.

    Args:
        message: one paragraph; it goes to standard error.
    """
    click.echo(printable(message), err=True)


def printable(text: object) -> str:
    """Make text safe for a terminal.

    Args:
        text: anything; metadata, tool names and payloads are other people's.

    Returns:
        The text with control characters and lone surrogates escaped; line ends and tabs stay.
    """
    return "".join(
        char if char.isprintable() or char in "\n\t" else _escaped(char) for char in str(text)
    )


def one_line(text: object) -> str:
    """Make text safe for a terminal where a line of its own would pass for one of ours.

    Args:
        text: as for :func:`printable`.

    Returns:
        The text with line ends and tabs escaped too.
    """
    return "".join(char if char.isprintable() else _escaped(char) for char in str(text))


def _escaped(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")


def print_table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table: through rich on a terminal, as aligned plain text otherwise.

    Args:
        headers: the names of the columns.
        rows: the cells; None is shown as ``-``.
    """
    cells = [["-" if cell is None else one_line(cell) for cell in row] for row in rows]
    if not (_on_terminal() and _print_rich(headers, cells)):
        _print_plain(headers, cells)


def _on_terminal() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _print_rich(headers: Sequence[str], cells: Sequence[Sequence[str]]) -> bool:
    try:
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for header in headers:
        table.add_column(header, overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    plain = bool(os.environ.get("NO_COLOR"))  # rich itself would still write bold
    Console(color_system=None if plain else "auto").print(table)
    return True


def _print_plain(headers: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    lines = [[header.upper() for header in headers], *cells]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(padded).rstrip())
