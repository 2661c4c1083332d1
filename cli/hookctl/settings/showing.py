"""A plugin's settings as ``hookctl info`` shows them."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..masking import MASK
from .described import settings_of
from .toml import toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .described import Setting

__all__ = ["as_rows", "text_lines"]


def as_rows(schema: Mapping[str, Any] | None) -> list[dict[str, Any]] | None:
    """Return the settings for JSON; None when the package ships no schema."""
    if schema is None:
        return None
    return [{**asdict(one), "default": _default(one)} for one in settings_of(schema)]


def _default(one: Setting) -> Any:
    return MASK if one.secret and one.default else one.default


def text_lines(name: str, schema: Mapping[str, Any], width: int) -> Iterator[str]:
    """Write the settings for people.

    Args:
        name: the plugin.
        schema: the JSON Schema that its package ships.
        width: characters of a line.

    Yields:
        Lines, with nothing broken that has to be copied.
    """
    for one in settings_of(schema):
        facts = [one.type]
        if one.choices:
            facts.append(f"one of {', '.join(map(str, one.choices))}")
        if one.bounds:
            facts.append(one.bounds)
        facts.append("required" if one.required else f"default {toml(_default(one))}")
        yield from _wrapped(f"{one.key}: {'; '.join(facts)}", "  ", width)
        if one.description:
            yield from _wrapped(one.description, "      ", width)
        if one.example:
            yield f"      hookctl set {name} {_quoted(one.example)}"


def _wrapped(text: str, indent: str, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, 40),
        initial_indent=indent,
        subsequent_indent=indent if len(indent) > len("  ") else "      ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _quoted(example: str) -> str:
    import shlex

    return shlex.quote(example)
