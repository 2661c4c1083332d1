"""A project, a library and a secret beside each other, and a guard over the first two."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookcore_path_guard import Denial, PathGuard, PathGuardSettings

FILES = {
    "proj/README.md": "hello\n",
    "proj/src/app.py": "a\n",
    "proj/docs/x.md": "x\n",
    "lib/ro.txt": "lib\n",
    "secret/key.txt": "SECRET-KEY\n",
    "secret/sub/deep.txt": "SECRET-DEEP\n",
    "proj-other/s.txt": "SECRET-O\n",
    "home/.ssh/id_rsa": "SECRET-RSA\n",
}


class Place:
    """The layout on disk, and judgements in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = root / "proj"
        for name, text in FILES.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def link(self, path: str, target: str) -> None:
        (self.root / path).symlink_to(target.replace("{root}", str(self.root)))

    def guard(self, **values: Any) -> PathGuard:
        roots = {"read": [str(self.root / "lib")], "write": [str(self.project)]}
        return PathGuard(PathGuardSettings.model_validate({**roots, **values}))

    def judge(self, tool: str, arguments: object, **values: Any) -> Denial | None:
        return self.guard(**values).judge(tool, arguments, str(self.project))

    def run(self, command: str, **values: Any) -> Denial | None:
        return self.judge("Bash", {"command": command}, **values)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    root = Path(os.path.realpath(tmp_path)) / "top"
    made = Place(root)
    monkeypatch.setenv("HOME", str(root / "home"))
    monkeypatch.chdir(made.project)
    return made


Judged = Callable[[str], "Denial | None"]


@pytest.fixture
def read(place: Place) -> Judged:
    """Judge reading a path in the project."""
    return lambda path: place.judge("Read", {"file_path": path})


@pytest.fixture
def write(place: Place) -> Judged:
    """Judge writing a path in the project."""
    return lambda path: place.judge("Write", {"file_path": path, "content": ""})


@pytest.fixture
def run(place: Place) -> Judged:
    """Judge a shell command in the project."""
    return place.run
