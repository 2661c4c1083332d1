"""The values of replay's options: sizes and shares."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from .job import Shard

__all__ = ["read_shard", "read_size"]

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def read_size(_ctx: click.Context, _param: click.Parameter, value: str | None) -> int | None:
    """Read a number of bytes, as in 8MiB.

    Args:
        value: what was written, if anything was.

    Returns:
        Bytes.

    Raises:
        click.BadParameter: it is no size.
    """
    if value is None:
        return None
    found = re.fullmatch(r"(\d{1,12})\s*([kmg]?)(?:i?b)?", value.strip(), re.IGNORECASE)
    size = int(found[1]) * _UNITS[found[2].lower()] if found else 0
    if size < 1:
        raise click.BadParameter(f"{value!r} is no size: write for example 8MiB")
    return size


def read_shard(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Shard | None:
    """Read a share, as in 3/16.

    Args:
        value: what was written, if anything was.

    Returns:
        The share.

    Raises:
        click.BadParameter: it is no share.
    """
    if value is None:
        return None
    from .job import Shard

    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", value.strip())
    shard = Shard(int(found[1]), int(found[2])) if found else Shard(0, 0)
    if not 1 <= shard.number <= shard.of:
        raise click.BadParameter(
            f"{value!r} is no share: write for example 3/16, from 1/16 to 16/16"
        )
    return shard
