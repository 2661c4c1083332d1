"""The spool is a file that nobody else made, reads or can replace."""

from __future__ import annotations

import logging
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hookcore import HookManager, PluginLoadError
from hookcore_webhook_audit import WebhookAudit, WebhookAuditSettings
from hookcore_webhook_audit._message import Message
from hookcore_webhook_audit._private import PlaceError
from hookcore_webhook_audit._spool import Spool

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
MESSAGE = Message("msg_1", 1, b"{}")
URL = "https://a.example/T0PS3CR3T"


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    folder = tmp_path / "spool"
    folder.mkdir()
    return Spool(folder / "spool.sqlite", 1024 * 1024)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def elsewhere(file: Path) -> Path:
    """Return another file, with something in it that must stay."""
    other = file.parent / "elsewhere"
    other.write_bytes(b"precious")
    return other


def link(file: Path) -> None:
    file.symlink_to(elsewhere(file))


def link_to_nothing(file: Path) -> None:
    file.symlink_to(file.parent / "nothing")


def hard_link(file: Path) -> None:
    file.hardlink_to(elsewhere(file))


def fifo(file: Path) -> None:
    os.mkfifo(file)


def no_folder(file: Path) -> None:
    file.parent.rmdir()
    file.parent.touch()


BAD: dict[str, Callable[[Path], object]] = {
    "is a link": link,
    "is a link: remove it": link_to_nothing,
    "has a second name": hard_link,
    "is no regular file": fifo,
    "is no regular file: remove it": lambda file: file.mkdir(),
    "others can write to": lambda file: file.parent.chmod(0o777),
    "others can write to .*: run 'chmod go-w": lambda file: file.parent.chmod(0o1770),
    "is no folder": no_folder,
}


@pytest.mark.parametrize("why", BAD)
def test_a_spool_that_another_may_have_put_there_is_refused_and_not_touched(
    spool: Spool, why: str
) -> None:
    BAD[why](spool.file)
    with pytest.raises(PlaceError, match=why):
        spool.check()
    with pytest.raises(PlaceError, match=why):
        spool.add([MESSAGE])
    other = spool.file.parent / "elsewhere"
    assert not other.exists() or other.read_bytes() == b"precious"
    assert not (spool.file.parent / "nothing").exists()


def test_what_belongs_to_another_user_is_refused(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool.add([MESSAGE])
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(PlaceError, match="belongs to another user"):
        spool.count()


def test_a_file_that_others_can_read_is_closed_to_them(spool: Spool) -> None:
    spool.file.touch()
    spool.file.chmod(0o666)
    spool.check()
    assert mode(spool.file) == 0o666  # looking changes nothing
    spool.add([MESSAGE])
    assert mode(spool.file) == 0o600
    assert spool.take() == MESSAGE


def test_a_folder_is_made_for_its_owner_only_and_one_that_is_there_stays_as_it_is(
    spool: Spool,
) -> None:
    spool.file.parent.chmod(0o755)
    inside = Spool(spool.file.parent / "deeper" / "spool.sqlite", 1024 * 1024)
    for each in (spool, inside):
        each.add([MESSAGE])
    assert (mode(spool.file.parent), mode(inside.file.parent)) == (0o755, 0o700)


def test_a_folder_may_be_reached_through_a_link(spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(spool.file.parent)
    way = Spool(tmp_path / "way" / spool.file.name, 1024 * 1024)
    way.add([MESSAGE])
    assert spool.count() == 1


@pytest.mark.parametrize("on_error", ["allow", None])
def test_such_a_spool_disables_the_plugin_as_a_bad_setting_does(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    on_error: str | None,
) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    table = {"enabled": True, "settings": {"url": URL, "spool_dir": str(folder)}}
    config = {"plugins": {"webhook-audit": table | ({"on_error": on_error} if on_error else {})}}
    if on_error is None:
        with pytest.raises(PluginLoadError, match="others can write to"):
            HookManager.load(tmp_path, config)
        return
    assert HookManager.load(tmp_path, config).plugins() == ()
    assert "others can write to" in caplog.text
    assert "S3CR3T" not in caplog.text


def test_a_folder_that_is_opened_to_others_later_is_not_written_to(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = {"url": URL, "spool_dir": tmp_path / "spool", "tool_patterns": ["*"]}
    plugin = WebhookAudit(WebhookAuditSettings.model_validate(settings))
    plugin._sender._spool.add([MESSAGE])
    (tmp_path / "spool").chmod(0o777)
    with caplog.at_level(logging.ERROR):
        assert not plugin._sender._keep([Message("msg_2", 2, b"{}")])
    assert "others can write to" in caplog.text
