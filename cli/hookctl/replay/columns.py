"""Parquet files: a run in each row."""

from __future__ import annotations

import datetime as dt
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO

from .jsontext import JSONTextError, parse_json
from .stream import BadLine, DamagedInputError, Item, UnreadableInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .partitions import Partition

__all__ = ["MAGIC", "read_rows", "row_groups"]

MAGIC = b"PAR1"
_ROWS = 64
"""Rows in memory at once."""
_AS_TEXT = ("messages", "history", "trajectory", "tools", "resourceSpans")
"""Columns whose text is JSON, where a format reads them."""


def row_groups(stream: BinaryIO, one: Partition, size: int) -> list[Partition]:
    """Cut a file where its groups of rows end.

    Args:
        stream: the file, which can be sought in.
        one: the partition that is the whole file.
        size: bytes of one partition, about.

    Returns:
        Partitions; the file alone when it cannot be read, which whoever reads it will tell.
    """
    parts: list[Partition] = []
    try:
        with _opened(stream) as file:
            about, line, filled = file.metadata, 1, 0
            for number in range(about.num_row_groups):
                group = about.row_group(number)
                if parts and filled + group.total_byte_size <= size:
                    parts[-1] = replace(parts[-1], groups=parts[-1].groups + 1)
                    filled += group.total_byte_size
                else:
                    filled = group.total_byte_size
                    parts.append(replace(one, group=number, groups=1, line=line))
                line += group.num_rows
    except UnreadableInputError:
        return [one]
    return parts or [one]


def read_rows(stream: BinaryIO, partition: Partition) -> Iterator[Item | BadLine]:
    """Read the rows of a partition.

    Args:
        stream: the file, which can be sought in.
        partition: which of its groups to read.

    Yields:
        An object for each row; its line is the number of the row, from 1.

    Raises:
        DamagedInputError: the file is cut or damaged.
        UnreadableInputError: pyarrow is not installed.
    """
    line = partition.line
    with _opened(stream) as file:
        first, count = partition.group or 0, partition.groups
        chosen = range(first, first + count if count else file.metadata.num_row_groups)
        for batch in file.iter_batches(_ROWS, row_groups=list(chosen)):
            for row in batch.to_pylist():
                yield _item(row, line)
                line += 1


@contextmanager
def _opened(stream: BinaryIO) -> Iterator[Any]:
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise UnreadableInputError(
            "it is a Parquet file: pip install 'hookcore[parquet]' to read it"
        ) from None
    try:
        with ParquetFile(stream, pre_buffer=False) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        # Arrow's own errors of reading are plain OSErrors without a number.
        if isinstance(error, OSError) and (type(error) is not OSError or error.errno is not None):
            raise
        raise DamagedInputError(
            f"it is cut off or damaged: no Parquet file ({type(error).__name__})"
        ) from None


def _item(row: dict[str, Any], line: int) -> Item | BadLine:
    value = {}
    for name, cell in row.items():
        if cell is None:
            continue
        try:
            is_json = name in _AS_TEXT and isinstance(cell, str)
            value[name] = parse_json(cell) if is_json else _plain(cell)
        except JSONTextError as error:
            return BadLine(line, f"column {name}: {error}")
    return Item(value, line=line)


def _plain(cell: Any) -> Any:
    """Write a cell as JSON would have it; what a struct does not say is left out."""
    if isinstance(cell, dict):
        return {name: _plain(item) for name, item in cell.items() if item is not None}
    if isinstance(cell, list):
        return [_plain(item) for item in cell]
    if cell is None or isinstance(cell, str | bool | int | float):
        return cell
    if isinstance(cell, dt.datetime | dt.date | dt.time):
        return cell.isoformat()
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)
