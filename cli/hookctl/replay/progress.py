"""A progress bar on a terminal's standard error, and nothing elsewhere."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_STEP = 1 << 16
"""Bytes between two updates: drawing costs more than reading."""


@contextmanager
def progress(total: int | None) -> Iterator[Callable[[int], None] | None]:
    """Show how far reading is.

    Args:
        total: bytes to read; None when that is not known, and then there is no bar.

    Yields:
        A function to tell the bytes read, or None when nothing is shown.
    """
    if not total or not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=total, label="replaying", file=sys.stderr) as bar:
        unshown = 0

        def advance(count: int) -> None:
            nonlocal unshown
            unshown += count
            if unshown >= _STEP:
                bar.update(unshown)
                unshown = 0

        yield advance
        bar.update(unshown)
