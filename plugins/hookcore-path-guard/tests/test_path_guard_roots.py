from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

Place = Any


@pytest.mark.parametrize("key", ["read", "write"])
def test_a_missing_folder_is_refused_by_name(place: Place, key: str) -> None:
    with pytest.raises(ValueError, match=rf"{key}: there is no folder .*nowhere: make it"):
        place.guard(**{key: ["nowhere"]})


@pytest.mark.parametrize("path", ["/", "~/..", "{root}"])
def test_a_folder_that_holds_every_home_is_refused(place: Place, path: str) -> None:
    with pytest.raises(ValueError, match="name the folders to work in"):
        place.guard(read=[path.replace("{root}", str(place.root))])


def test_all_wrong_folders_are_in_one_error(place: Place) -> None:
    with pytest.raises(ValueError, match=r"(?s)one.*two"):
        place.guard(read=["one", "two"])


def test_relative_folders_begin_in_the_project(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.project / "hookcore.toml").write_text("", "utf-8")
    monkeypatch.chdir(place.project / "src")
    guard = place.guard(read=["docs"], write=["src"])
    assert guard.judge("Read", {"file_path": "../docs/x.md"}) is None
    assert guard.judge("Read", {"file_path": "../README.md"}) is not None


def test_a_table_in_pyproject_makes_a_project(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.project / "pyproject.toml").write_text("[tool.hookcore.hooks]\n", "utf-8")
    monkeypatch.chdir(place.project / "src")
    assert place.guard(read=["docs"]).judge("Read", {"file_path": "../docs/x.md"}) is None


def test_the_project_can_be_named(place: Place) -> None:
    guard = place.guard(project=str(place.root), read=["lib"], write=["secret"])
    assert guard.judge("Write", {"file_path": str(place.root / "secret/x")}) is None


def test_home_is_written_with_a_tilde(place: Place) -> None:
    assert place.guard(read=["~/.ssh"]).judge("Read", {"file_path": "~/.ssh/id_rsa"}) is None


def test_a_root_that_is_a_link_is_what_it_leads_to(place: Place) -> None:
    place.link("plink", "proj")
    guard = place.guard(write=[str(place.root / "plink")])
    assert guard.judge("Write", {"file_path": str(place.project / "x")}) is None


def test_a_root_is_resolved_again_when_it_leads_elsewhere(place: Place) -> None:
    place.link("current", "proj")
    guard = place.guard(write=[str(place.root / "current")])
    (place.root / "current").unlink()
    place.link("current", "proj-other")
    assert guard.judge("Write", {"file_path": str(place.project / "x")}) is not None
    assert guard.judge("Write", {"file_path": str(place.root / "proj-other/x")}) is None


def test_nothing_is_inside_of_a_root_that_is_gone(place: Place) -> None:
    guard = place.guard()
    cwd = str(place.root)
    shutil.rmtree(place.project)
    assert guard.judge("Write", {"file_path": str(place.project / "x")}, cwd) is not None
    place.project.mkdir()
    assert guard.judge("Write", {"file_path": str(place.project / "x")}, cwd) is None


def test_a_root_that_becomes_a_link_out_does_not_widen_what_is_inside(place: Place) -> None:
    guard = place.guard()
    shutil.rmtree(place.project / "src")
    Path(place.project / "src").symlink_to(place.root / "secret")
    assert guard.judge("Read", {"file_path": "src/key.txt"}, str(place.project)) is not None
