"""The folder that relative settings begin in."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

__all__ = ["absolute", "project_folder"]

# A table of pyproject.toml is enough of a sign; hookcore itself reads and checks the file.
_TABLE: Final = re.compile(r"^\s*\[\s*tool\s*\.\s*hookcore\s*[.\]]", re.MULTILINE)


def project_folder(start: str) -> str:
    """Return the nearest folder at or above one that holds a project's configuration.

    Args:
        start: an absolute path.

    Returns:
        The folder of a ``hookcore.toml``, or of a ``pyproject.toml`` with a table
        ``[tool.hookcore]``; ``start`` when there is none.
    """
    for folder in (Path(start), *Path(start).parents):
        if (folder / "hookcore.toml").is_file():
            return str(folder)
        try:
            text = (folder / "pyproject.toml").read_text("utf-8", "replace")
        except OSError:
            continue
        if _TABLE.search(text):
            return str(folder)
    return start


def absolute(path: str, folder: str) -> str:
    """Return the absolute form of a folder in the settings.

    Args:
        path: absolute, relative, or from ``~/``.
        folder: what a relative one begins in.
    """
    expanded = os.path.expanduser(path)  # noqa: PTH111 - a string, as every path here
    return os.path.normpath(os.path.join(folder, expanded))  # noqa: PTH118 - the same
