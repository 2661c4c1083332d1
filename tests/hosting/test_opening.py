"""Opening what was checked, whatever becomes of the path meanwhile."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from hookcore.hosting import (
    ChangedError,
    OutsideError,
    open_place,
    open_verified,
    resolve_beneath,
)

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows opens nothing relative to a folder"
)


def text_of(descriptor: int) -> str:
    with os.fdopen(descriptor) as file:
        return file.read()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files, beside a secret; the process works there."""
    project = tmp_path.resolve() / "project"
    for name, text in {"src/app.py": "a\n", "d/key.txt": "plain\n", "README.md": "hello\n"}.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, "utf-8")
    secret = project.parent / "secret"
    secret.mkdir()
    (secret / "key.txt").write_text("SECRET-KEY\n", "utf-8")
    monkeypatch.chdir(project)
    return project


@pytest.fixture
def swap(project: Path) -> Callable[[], None]:
    """Put a link to the secret in the place of a folder of the same shape."""

    def swap() -> None:
        (project / "d").rename(project / "away")
        (project / "d").symlink_to("../secret")

    return swap


def test_handing_on_the_resolved_path_does_not_close_the_gap(
    project: Path, swap: Callable[[], None]
) -> None:
    path = resolve_beneath("d/key.txt", [str(project)])
    swap()
    assert Path(path).read_text("utf-8") == "SECRET-KEY\n"


def test_opening_what_was_checked_closes_the_gap(project: Path, swap: Callable[[], None]) -> None:
    checked = resolve_beneath("d/key.txt", [str(project)])
    swap()
    with pytest.raises(ChangedError, match="changed after it was checked"):
        open_place(checked)


def test_a_swap_in_the_middle_of_opening_is_seen(
    project: Path, swap: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve = os.path.realpath

    def resolved(path: str) -> str:
        result = resolve(path)
        if path.endswith("d/key.txt"):
            swap()
        return result

    monkeypatch.setattr(os.path, "realpath", resolved)
    with pytest.raises(ChangedError):
        open_verified("d/key.txt", roots=[str(project)])


def test_a_file_inside_is_opened(project: Path) -> None:
    (project / "l").symlink_to("src/app.py")
    assert text_of(open_verified("l", roots=[str(project)])) == "a\n"


def test_a_file_is_made_with_the_rights_that_were_asked_for(project: Path) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = open_verified("src/n", flags, roots=[str(project)], mode=0o600)
    os.write(descriptor, b"x")
    os.close(descriptor)
    made = project / "src/n"
    assert made.read_text() == "x"
    assert stat.S_IMODE(made.stat().st_mode) == 0o600


def test_a_folder_can_be_opened(project: Path) -> None:
    descriptor = open_verified(".", os.O_RDONLY | os.O_DIRECTORY, roots=[str(project)])
    assert sorted(os.listdir(descriptor)) == ["README.md", "d", "src"]  # noqa: PTH208 - a descriptor
    os.close(descriptor)


def test_a_descriptor_is_not_inherited(project: Path) -> None:
    descriptor = open_verified("README.md", roots=[str(project)])
    assert not os.get_inheritable(descriptor)
    os.close(descriptor)


@pytest.mark.parametrize(
    "path", ["../secret/key.txt", "/etc/passwd", "out/key.txt", "", "a\0b", "circle", "circle/x"]
)
def test_what_leads_out_or_nowhere_is_not_opened(project: Path, path: str) -> None:
    (project / "out").symlink_to("../secret")
    (project / "circle").symlink_to("circle")
    with pytest.raises(OutsideError):
        open_verified(path, roots=[str(project)])


def test_a_missing_file_is_told_as_such(project: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_verified("nothing/here", roots=[str(project)])


def test_a_relative_path_begins_in_the_given_folder(project: Path) -> None:
    found = resolve_beneath("app.py", [str(project)], cwd=str(project / "src"))
    assert found == str(project / "src/app.py")


def test_no_descriptor_is_left_open(project: Path) -> None:
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("this system has no /proc")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in ("README.md", "nothing/x", "src/app.py/x"):
        with suppress(OSError):
            os.close(open_verified(path, roots=[str(project)]))
    assert len(list(Path("/proc/self/fd").iterdir())) == before
