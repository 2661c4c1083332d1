from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

PACKAGES = {"hookcore_specs", "hookcore", "hookctl"}


def build(checkout: Path, target: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target]
    subprocess.run(
        [*command, "--directory", str(folder)], cwd=checkout, check=True, capture_output=True
    )
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    with zipfile.ZipFile(build(checkout, "wheel", tmp_path_factory.mktemp("wheel"))) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def sdist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    with tarfile.open(build(checkout, "sdist", tmp_path_factory.mktemp("sdist"))) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def test_the_wheel_holds_exactly_the_three_packages(wheel: list[str]) -> None:
    top = {name.partition("/")[0] for name in wheel}
    assert {name for name in top if not name.endswith(".dist-info")} == PACKAGES


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_each_package_says_that_it_is_typed(wheel: list[str], package: str) -> None:
    assert f"{package}/py.typed" in wheel


def test_the_wheel_holds_every_module_of_the_checkout(wheel: list[str], checkout: Path) -> None:
    homes = [checkout, checkout / "hookspecs", checkout / "cli"]
    modules = {
        path.relative_to(home).as_posix()
        for home in homes
        for package in PACKAGES
        for path in (home / package).rglob("*.py")
    }
    assert modules == {name for name in wheel if name.endswith(".py")}


def test_the_sdist_holds_the_tests_and_the_changelog(sdist: set[str]) -> None:
    assert {"CHANGELOG.md", "LICENSE", "README.md", "dev.py", "tests/conftest.py"} <= sdist


def test_the_sdist_holds_the_sources_of_the_three_packages(sdist: set[str]) -> None:
    homes = {"hookcore", "hookspecs/hookcore_specs", "cli/hookctl"}
    assert {f"{home}/py.typed" for home in homes} <= sdist


def test_the_changelog_has_a_section_for_what_is_not_released(checkout: Path) -> None:
    lines = (checkout / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    headings = [line for line in lines if line.startswith("## ")]
    assert headings[0] == "## [Unreleased]"
