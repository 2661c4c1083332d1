"""The files of a daemon are the user's alone, and what is in them stays the same."""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path

import pytest

from hookcore_bridge.hook.thin import UnsafeError, endpoint, surroundings
from hookcore_bridge.serve.places import Http, Places


def environment(folder: Path, **more: str) -> dict[str, str]:
    return surroundings({"HOME": "/home/me", "XDG_RUNTIME_DIR": str(folder), **more})


def test_the_folder_of_the_socket_is_the_users_alone(tmp_path: Path) -> None:
    base = Path(endpoint(environment(tmp_path)))
    assert base.parent == tmp_path / "hookcore"
    assert stat.S_IMODE(base.parent.stat().st_mode) == 0o700


def test_each_home_and_place_of_configuration_has_a_daemon_of_its_own(tmp_path: Path) -> None:
    first = endpoint(environment(tmp_path))
    assert endpoint(environment(tmp_path)) == first
    assert endpoint(environment(tmp_path, HOME="/home/other")) != first
    assert endpoint(environment(tmp_path, XDG_CONFIG_HOME="/elsewhere")) != first


def test_the_usual_places_make_no_difference(tmp_path: Path) -> None:
    usual = {"XDG_CONFIG_HOME": "/home/me/.config", "XDG_STATE_HOME": "/home/me/.local/state"}
    assert endpoint(environment(tmp_path, **usual)) == endpoint(environment(tmp_path))
    assert endpoint(environment(tmp_path, XDG_CONFIG_HOME="")) == endpoint(environment(tmp_path))


def test_the_home_is_the_users_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/repository/home")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/repository/config")
    assert surroundings({}).get("HOME") == pwd.getpwuid(os.geteuid()).pw_dir
    assert "XDG_CONFIG_HOME" not in surroundings({})


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_a_folder_that_others_can_look_into_is_refused(mode: int, tmp_path: Path) -> None:
    (tmp_path / "hookcore").mkdir()
    (tmp_path / "hookcore").chmod(mode)
    with pytest.raises(UnsafeError, match="yours alone"):
        endpoint(environment(tmp_path))


def test_a_link_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "hookcore").symlink_to(tmp_path / "real")
    with pytest.raises(UnsafeError):
        endpoint(environment(tmp_path))


def test_the_token_is_made_once_for_the_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    where = Places("/run/x")
    first = where.http()
    assert (len(first.token) > 40, first.port) == (True, 0)
    assert where.http() == first
    where.keep(Http(1234, first.token))
    assert where.http().url == "http://127.0.0.1:1234"
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for wrong in ("{}", '{"port": 70000, "token": "x"}', '{"port": 1, "token": ""}', "[]"):
        file.write_text(wrong, encoding="utf-8")
        with pytest.raises(ValueError, match="remove it"):
            where.http()


def test_of_two_that_make_the_token_at_once_both_have_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    where, link = Places("/run/x"), os.link

    def late(source: Path, target: Path) -> None:
        target.write_text('{"port": 7, "token": "the other one"}', encoding="utf-8")
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    assert where.http() == Http(7, "the other one")
    assert [path.name for path in (tmp_path / "hookcore").iterdir()] == ["bridge-x.json"]
