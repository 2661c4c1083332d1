"""Writing to the terminal or into a pipe."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from .tables import GAP, fitted, records, wrapped

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
    """Print a table: fitted to a terminal, through rich if it is there; else a line for each row.

    Args:
        headers: the names of the columns; the first one's cells are never cut.
        rows: the cells; None is shown as ``-``.
    """
    cells = [["-" if cell is None else one_line(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        _print_plain(headers, cells)
        return
    width = shutil.get_terminal_size().columns
    widths = fitted(headers, cells, width)
    if widths is None:
        for line in records(headers, cells, width):
            click.echo(line)
    elif os.environ.get("TERM") == "dumb" or not _print_rich(headers, cells, widths):
        for row in ([header.upper() for header in headers], *cells):
            for line in wrapped(row, widths):
                click.echo(line)


def _print_rich(
    headers: Sequence[str], cells: Sequence[Sequence[str]], widths: Sequence[int]
) -> bool:
    try:
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    # The box puts one character between columns, and the padding the others.
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
    for header, width in zip(headers, widths, strict=True):
        table.add_column(header, overflow="fold", width=width)
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
        click.echo((" " * GAP).join(padded).rstrip())
