"""``hookctl new``: a distribution that is green as it is made."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from hookctl.author.scaffold import KINDS

from ..running import PACKAGES


@pytest.mark.parametrize("kind", KINDS)
def test_tests_types_schema_and_wheel_are_green_as_made(
    shell: Any, kind: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    name = f"my-{kind}"
    assert shell("new", name, "--kind", kind).code == 0
    project = shell.folder / name
    site = installed(project, tmp_path_factory.mktemp("site"))
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *PACKAGES])}
    ran = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    typed = [
        sys.executable,
        "-m",
        "mypy",
        "--cache-dir",
        str(tmp_path_factory.getbasetemp() / "mypy"),
    ]
    linted = [sys.executable, "-m", "ruff", "check", "--no-cache", "--isolated"]
    formatted = [sys.executable, "-m", "ruff", "format", "--check", "--no-cache", "--isolated"]
    checked = [sys.executable, "-m", "hookctl", "check", name, "--fail-on", "warning"]
    shown = [sys.executable, "-m", "hookctl", "test", name]
    # The tools of dev.py lint are not there wherever the tests are.
    there = [command for command in (typed, linted, formatted) if find_spec(command[2]) is not None]
    for command in (ran, *there, checked, shown):
        done = subprocess.run(
            command, cwd=project, env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def installed(project: Path, site: Path) -> Path:
    """Build the wheel, and unpack it as pip would."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(site)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    (wheel,) = site.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        package = project.name.replace("-", "_")
        shipped = {
            f"{package}/{file}" for file in ("settings.schema.json", "cases.toml", "py.typed")
        }
        assert shipped <= set(archive.namelist())
        archive.extractall(site)
    return site


def test_what_was_made_and_what_comes_next_is_told(shell: Any) -> None:
    told = shell("new", "no-payments").out
    assert f"Made {shell.folder / 'no-payments'}" in told
    assert f"no-payments{os.sep}tests{os.sep}cases.toml" in told
    assert "pip install --editable" in told


def test_no_word_of_the_template_is_left(shell: Any) -> None:
    for kind in KINDS:
        shell("new", f"a-{kind}", "--kind", kind)
        for file in (shell.folder / f"a-{kind}").rglob("*"):
            assert "PACKAGE" not in file.name
            assert not file.is_file() or "@" not in file.read_text().replace(
                "@hookimpl", ""
            ).replace("@pytest", "")


@pytest.mark.parametrize(
    "name", ["No", "a_b", "1a", "json", "class", "hookcore", "../x", "a--b", ""]
)
def test_a_name_that_will_not_do_is_refused(shell: Any, name: str) -> None:
    result = shell("new", "--", name)
    assert result.code == 2
    assert list(shell.folder.iterdir()) == []


def test_what_is_there_stays_as_it_is(shell: Any) -> None:
    (shell.folder / "mine").mkdir()
    result = shell("new", "mine")
    assert result.code == 2
    assert "is there already" in result.err
    assert [path.name for path in shell.folder.iterdir()] == ["mine"]
