"""CONTRIBUTING.md and SECURITY.md speak of what is there."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

PAGES = ("CONTRIBUTING.md", "SECURITY.md")
# What somebody who follows the page makes first.
MADE = (".venv/", "bench/run.py")


@pytest.fixture
def contributing(checkout: Path) -> str:
    return (checkout / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_somewhere(checkout: Path, page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (checkout / page).read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (checkout / link).exists()] == []


def test_every_path_that_is_named_exists(checkout: Path, contributing: str) -> None:
    prose = re.sub(r"```.*?```", "", contributing, flags=re.DOTALL)
    words = [word for code in re.findall(r"`([^`]+)`", prose) for word in code.split()]
    paths = [word for word in words if re.fullmatch(r"[\w.-]+(/[\w.-]+)+/?", word)]
    missing = [path for path in paths if not (checkout / path).exists()]
    assert len(paths) > 10
    assert [path for path in missing if not path.startswith(MADE)] == []


def test_every_room_of_the_house_is_in_the_picture(checkout: Path, contributing: str) -> None:
    (picture,) = re.findall(r"```text\n(.*?)```", contributing, re.DOTALL)
    rooms = {path.parent.name for path in (checkout / "hookcore").glob("*/__init__.py")}
    assert rooms - set(re.findall(r"\w+", picture)) == set()


def test_every_command_of_dev_py_exists(checkout: Path, contributing: str) -> None:
    known = runpy.run_path(str(checkout / "dev.py"))["COMMANDS"]
    assert set(re.findall(r"dev\.py (\w+)", contributing)) <= set(known)


def test_every_test_that_is_to_be_run_exists(checkout: Path, contributing: str) -> None:
    targets = re.findall(r"dev\.py test .*?((?:tests|plugins)[\w/.-]*)", contributing)
    assert len(targets) > 3
    assert [target for target in targets if not (checkout / target).exists()] == []


def test_each_host_of_the_table_has_pins_and_tests(checkout: Path) -> None:
    table = (checkout / ".ci" / "hosts" / "table").read_text(encoding="utf-8")
    hosts = [line.split() for line in table.splitlines() if not line.startswith("#")]
    for name, distribution, newest, tests in hosts:
        pins = (checkout / ".ci" / "hosts" / f"{name}.txt").read_text(encoding="utf-8")
        assert all("==" in line for line in pins.splitlines())
        assert (checkout / distribution / "pyproject.toml").is_file()
        assert (checkout / tests).is_dir()
        assert re.fullmatch(r"3\.1\d", newest)
