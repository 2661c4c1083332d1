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
    "compile_patterns",
    "compile_tool_patterns",
    "matches_tool",
    "sanitize_tool_name",
]

_MAX_LENGTH = 64
_GLOB_CHARACTERS = frozenset("*?[")
_CAMEL_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOT_WORD = re.compile(r"[^a-z0-9]+")


def sanitize_tool_name(name: str) -> str:
    """Return the name in the plain form that tools are compared in: ``Delete File`` is delete_file.

    Compatibility forms are unified (NFKD) and reduced to ASCII, camel case is split, the rest is
    lower-cased, and all but letters and digits becomes ``_``. A name of more than 64 characters is
    cut and ends in eight digits of its SHA-256, so that two long names stay two names. The rules
    are those of CrewAI 1.15, so that filters mean the same there.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    plain = _NOT_WORD.sub("_", _CAMEL_BOUNDARY.sub("_", plain).lower()).strip("_")
    if len(plain) <= _MAX_LENGTH:
        return plain
    digest = hashlib.sha256(plain.encode()).hexdigest()[:8]
    return f"{plain[: _MAX_LENGTH - 9]}_{digest}"


def compile_patterns(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Return a test of whether a name equals, or as a glob matches, one of ``patterns``."""
    exact = frozenset(patterns)
    globs = tuple(pattern for pattern in exact if _GLOB_CHARACTERS & set(pattern))

    def test(name: str) -> bool:
        return name in exact or any(fnmatchcase(name, pattern) for pattern in globs)

    return test


def compile_tool_patterns(patterns: Iterable[str]) -> Callable[[str, str], bool]:
    """Return a test of a tool's name, given as it is and sanitised, against ``patterns``.

    A pattern without wildcards is compared in its sanitised form too, as CrewAI's filters are.
    """
    names = tuple(patterns)
    test = compile_patterns(names)
    plain_names = frozenset(
        sanitize_tool_name(item) for item in names if not _GLOB_CHARACTERS & set(item)
    ) - {""}

    def test_tool(name: str, plain: str) -> bool:
        return test(name) or test(plain) or plain in plain_names

    return test_tool


def matches_tool(patterns: Iterable[str], name: str) -> bool:
    """Whether a tool name, as it is or sanitised, matches one of ``patterns``."""
    return compile_tool_patterns(patterns)(name, sanitize_tool_name(name))


def agent_names(agent: Any) -> tuple[str, ...]:
    """Return what an agent can be compared by: its role and its name, or the string that it is."""
    if agent is None:
        return ()
    if isinstance(agent, str):
        return (agent,) if agent else ()
    names = (_text_attribute(agent, "role"), _text_attribute(agent, "name"))
    return tuple(name for name in names if name)


def _text_attribute(agent: Any, attribute: str) -> str | None:
    try:
        value = getattr(agent, attribute, None)
    except Exception:  # noqa: BLE001 - a host's property may raise anything; it is then no name
        return None
    return value if isinstance(value, str) else None
