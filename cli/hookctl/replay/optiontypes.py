"""The values of replay's options: sizes and shares."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from hookcore.naming.suggest import did_you_mean

from .formats import NAMES
from .formats.further import further_formats

if TYPE_CHECKING:
    from .job import Shard

__all__ = ["FormatName", "read_shard", "read_size"]


class FormatName(click.ParamType[str]):
    """The name of a transcript format: one of ours, or of another distribution."""

    name = "format"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """Return the names that need no look at what is installed."""
        return f"[{'|'.join(NAMES)}|...]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, when there is such a format."""
        if value in NAMES:
            return value
        known = (*NAMES, *further_formats())
        if value not in known:
            self.fail(
                f"there is no format {value!r}{did_you_mean(value, known)}; known are "
                f"{', '.join(known)}",
                param,
                ctx,
            )
        return value

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Return the names that begin like that."""
        names = (*NAMES, *further_formats())
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


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
