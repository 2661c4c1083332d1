"""The folders that relative settings begin in, and what holds in each."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from ._judge import PathJudge
from ._protected import Protected
from ._refusals import Refusal
from ._roots import Root, RootError
from .settings import PathGuardSettings

__all__ = ["Projects", "absolute", "project_folder"]

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


class Projects:
    """Knows what may be read and written from where.

    Args:
        settings: the folders.

    Raises:
        ValueError: some of them are missing, or hold far more than a project.
    """

    __slots__ = ("_judges",)

    def __init__(self, settings: PathGuardSettings) -> None:
        working = os.getcwd()  # noqa: PTH109 - a string, as every path here
        given = [absolute(path, working) for path in settings.project]
        protected = Protected(settings.protected)
        problems: list[str] = []
        judges: list[tuple[Root | None, PathJudge]] = []
        for folder in given or [project_folder(working)]:
            root = _root(folder, "project", working, problems) if given else None
            read = [_root(path, "read", folder, problems) for path in settings.read]
            write = [_root(path, "write", folder, problems) for path in settings.write]
            judges.append((root, PathJudge(filter(None, read), filter(None, write), protected)))
        if problems:
            raise ValueError("; ".join(dict.fromkeys(problems)))
        self._judges = judges

    def judge_of(self, place: str) -> PathJudge:
        """Return what judges the paths of a call, with its roots looked at again.

        Args:
            place: the place of the call's working folder.

        Raises:
            Refusal: there are several projects, and the folder is in none.
        """
        found = self._judges[0]
        if len(self._judges) > 1:
            inside = [(root, judge) for root, judge in self._judges if root and root.holds(place)]
            if not inside:
                raise Refusal("folder", place)
            found = max(inside, key=lambda pair: len(pair[0].place))
        found[1].refresh()
        return found[1]


def _root(path: str, key: str, folder: str, problems: list[str]) -> Root | None:
    """Return one root, or None after adding to the problems."""
    try:
        root = Root(absolute(path, folder), key)
        if key != "project":
            root.check_width(key)
        return root
    except RootError as error:
        problems.append(str(error))
        return None
