"""The page: markup, style and script from `assets`, and the data between them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hookcore.disk.atomic import replace_file

from ..failure import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["check_target", "page", "write_page"]

_SCRIPTS = ("elements", "state", "overview", "trend", "diffs", "findings", "runs", "start")
"""The parts of the script, in the order in which they are read."""
_MARK = b'<meta name="generator" content="hookctl">'
_HEAD = 1024
"""Bytes at the beginning of a file in which the mark has to stand."""
# What could end the element that the data stands in, or begin another one.
_MARKUP = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def check_target(given: str) -> Path:
    """See that a page can be written to a file, before anything is done for it.

    Args:
        given: the path.

    Returns:
        The path.

    Raises:
        UsageError: there is no such folder, or the file is there and is no page of hookctl's.
    """
    file = Path(given)
    if not file.parent.is_dir():
        raise UsageError(f"--html {given}: there is no folder {file.parent}")
    if file.is_dir():
        raise UsageError(f"--html {given} is a folder: name a file in it")
    try:
        if file.exists():
            with file.open("rb") as there:
                head = there.read(_HEAD)
            if head and _MARK not in head:
                raise UsageError(
                    f"--html {given}: the file is there, and hookctl did not make it: "
                    "name another, or remove it"
                )
    except OSError as error:
        raise UsageError(f"--html {given}: {error.strerror or error}") from error
    return file


def write_page(file: Path, data: Mapping[str, Any]) -> None:
    """Write a page, whole or not at all.

    Args:
        file: where.
        data: what the page shows.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        replace_file(file, page(data).encode("ascii"))
    except OSError as error:
        raise UsageError(f"--html {file}: {error.strerror or error}") from error


def page(data: Mapping[str, Any]) -> str:
    """Make a page.

    Only the style and the script that belong to it may act: a policy in the page names their
    digests, and keeps everything else from being loaded, run or sent.

    Args:
        data: what the page shows; a value for JSON.

    Returns:
        HTML in ASCII.
    """
    style = _asset("page.css")
    script = "\n".join(_asset(f"{name}.js") for name in _SCRIPTS)
    script = f'"use strict";\n(() => {{\n{script}}})();\n'
    parts = {
        "style": style,
        "script": script,
        "style-digest": _digest(style),
        "script-digest": _digest(script),
        "data": json.dumps(data, separators=(",", ":")).translate(_MARKUP),
    }
    # In one go, so that nothing in the data is taken for a place of the markup's.
    return re.sub(r"\{\{([a-z-]+)\}\}", lambda match: parts[match[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text("ascii")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
