"""Matching of tool and agent names against the patterns of a hook's filters."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Any

__all__ = [
    "agent_names",
    "agent_names_of",
    "compile_patterns",
    "compile_tool_patterns",
    "matches_tool",
    "sanitize_tool_name",
    "tool_forms",
]

_GLOB_CHARACTERS = frozenset("*?[")
_CAMEL_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOT_WORD = re.compile(r"[^a-z0-9]+")


def sanitize_tool_name(name: str, max_length: int | None = 64) -> str:
    """Return the name in the plain form that tools are compared in: ``Delete File`` is delete_file.

    Compatibility forms are unified (NFKD) and reduced to ASCII, camel case is split, the rest is
    lower-cased, and all but letters and digits becomes ``_``. A longer name is cut and ends in
    eight digits of its SHA-256, so that two long names stay two names. The rules are those of
    CrewAI 1.15, so that filters mean the same there.

    Args:
        name: the name.
        max_length: the most characters of the result; None for no limit.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    plain = _NOT_WORD.sub("_", _CAMEL_BOUNDARY.sub("_", plain).lower()).strip("_")
    if max_length is None or len(plain) <= max_length:
        return plain
    digest = hashlib.sha256(plain.encode()).hexdigest()[:8]
    return f"{plain[: max_length - 9].rstrip('_')}_{digest}"


def compile_patterns(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Return a test of whether a name equals, or as a glob matches, one of ``patterns``."""
    exact = frozenset(patterns)
    globs = tuple(pattern for pattern in exact if _GLOB_CHARACTERS & set(pattern))

    def test(name: str) -> bool:
        return name in exact or any(fnmatchcase(name, pattern) for pattern in globs)

    return test


def tool_forms(name: str) -> tuple[str, ...]:
    """Return what a tool is compared as: its name, sanitised, and sanitised without being cut."""
    return tuple(dict.fromkeys((name, sanitize_tool_name(name), sanitize_tool_name(name, None))))


def compile_tool_patterns(patterns: Iterable[str]) -> Callable[[tuple[str, ...]], bool]:
    """Return a test of a tool's :func:`tool_forms` against ``patterns``.

    A pattern without wildcards is compared in its sanitised form too, as CrewAI's filters are.
    """
    names = tuple(patterns)
    test = compile_patterns(names)
    plain_names = frozenset(
        sanitize_tool_name(item) for item in names if not _GLOB_CHARACTERS & set(item)
    ) - {""}

    def test_tool(forms: tuple[str, ...]) -> bool:
        return any(test(form) for form in forms) or not plain_names.isdisjoint(forms)

    return test_tool


def matches_tool(patterns: Iterable[str], name: str) -> bool:
    """Whether a tool name, as it is or sanitised, matches one of ``patterns``."""
    return compile_tool_patterns(patterns)(tool_forms(name))


def agent_names(agent: Any) -> tuple[str, ...]:
    """Return what an agent can be compared by: its role and its name, or the string that it is."""
    if agent is None:
        return ()
    if isinstance(agent, str):
        return (agent,) if agent else ()
    names = (_text_attribute(agent, "role"), _text_attribute(agent, "name"))
    return tuple(name for name in names if name)


def agent_names_of(ctx: Any) -> tuple[str, ...]:
    """Return what a context's agent can be compared by; a host may give only ``ctx.agent_role``."""
    return agent_names(ctx.agent) or agent_names(getattr(ctx, "agent_role", None))


def _text_attribute(agent: Any, attribute: str) -> str | None:
    try:
        value = getattr(agent, attribute, None)
    except Exception:  # noqa: BLE001 - a host's property may raise anything; it is then no name
        return None
    return value if isinstance(value, str) else None
