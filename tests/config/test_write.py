"""Changing one plugin's table, with everything around it left alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from hookcore.config import set_plugin
from hookcore.config.files import parse
from hookcore.errors import ConfigError

ON = {"enabled": True}
COMMENTED = """\
# our policies
[plugins.acme]  # the first
priority = 10   # early
enabled = false # for now
on_error = "deny"

[plugins.acme.settings]
deny = [
    "a", # never
]
[hooks]
enabled = true
"""


def refused(file: Path, name: str, changes: dict[str, Any]) -> str | None:
    """Change a plugin, and return the message when that is refused."""
    try:
        set_plugin(file, name, changes)
    except ConfigError as error:
        return str(error)
    return None


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "hookcore.toml"


def test_a_missing_file_is_made_with_its_folders(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "er" / "hookcore.toml"
    assert set_plugin(file, "acme", ON)
    assert file.read_text() == "[plugins.acme]\nenabled = true\n"


def test_what_a_killed_process_left_of_this_file_goes_and_of_others_stays(file: Path) -> None:
    left, other = file.with_name(".hookcore.toml.x1.new"), file.with_name(".other.toml.x1.new")
    for path in (left, other):
        path.write_text("half")
    set_plugin(file, "acme", ON)
    assert (left.exists(), other.exists()) == (False, True)


def test_comments_order_and_spacing_are_kept(file: Path) -> None:
    file.write_text(COMMENTED)
    set_plugin(file, "acme", ON)
    assert file.read_text() == COMMENTED.replace("= false # for", "= true # for")


def test_a_new_table_comes_last_after_an_empty_line(file: Path) -> None:
    file.write_text(COMMENTED)
    set_plugin(file, "other", ON)
    assert file.read_text().startswith(COMMENTED)
    assert "\n\n[plugins.other]\nenabled = true\n" in file.read_text()


def test_none_takes_a_key_away(file: Path) -> None:
    file.write_text(COMMENTED)
    set_plugin(file, "acme", {"priority": None, "absent": None})
    assert file.read_text() == COMMENTED.replace("priority = 10   # early\n", "")


@pytest.mark.parametrize(
    "before",
    [
        "[tool.other]\nx = 1\n",
        "[tool.hookcore]\n",
        "[tool.hookcore.hooks]\nenabled = true\n",
        "[project]\nname = 'x'\n\n[tool.ruff]\nline-length = 100\n",
        "[tool.hookcore.plugins.other]\nenabled = true\n[tool.ruff]\nx = 1\n",
    ],
)
def test_in_a_pyproject_the_table_is_below_tool_hookcore(tmp_path: Path, before: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(before)
    assert set_plugin(file, "acme", ON)
    document = parse(file, file.read_bytes())
    assert document["tool"]["hookcore"]["plugins"].pop("acme") == ON
    rest = parse(file, before.encode())
    rest.setdefault("tool", {}).setdefault("hookcore", {}).setdefault("plugins", {})
    assert document == rest


def test_nothing_is_written_when_nothing_changes(file: Path) -> None:
    file.write_text("plugins.acme.enabled=true")
    before = file.stat()
    assert not set_plugin(file, "acme", ON)
    after = file.stat()  # reading may change when it was read last
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert file.read_text() == "plugins.acme.enabled=true"


def test_windows_line_ends_and_byte_order_mark_are_kept(file: Path) -> None:
    file.write_bytes(("\ufeff" + COMMENTED.replace("\n", "\r\n")).encode())
    set_plugin(file, "other", ON)
    data = file.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf# our")
    assert data.count(b"\n") == data.count(b"\r\n")


@pytest.mark.parametrize(
    "before",
    [
        "plugins.acme.enabled = false\n",
        "plugins = {acme = {enabled = false, priority = 3}}\n",
        "[plugins]\nacme = {enabled = false}\n",
        "[plugins]\nacme.priority = 3\n",
        "[plugins.acme.settings]\nx = 1\n",
        "[plugins.a]\n[hooks]\n[plugins.b]\nenabled = true\n",
        "[plugins.a]\n[hooks]\n[plugins.acme]\npriority = 3\n[telemetry]\n[plugins.b]\n",
        "[plugins.acme.settings]\nx = 1\n[hooks]\n[plugins.acme]\npriority = 1\n",
    ],
)
def test_every_form_of_toml_is_edited_or_left_alone(file: Path, before: str) -> None:
    file.write_text(before)
    expected = parse(file, before.encode())
    expected.setdefault("plugins", {}).setdefault("acme", {})["enabled"] = True
    refusal = refused(file, "acme", ON)
    if refusal is None:
        assert parse(file, file.read_bytes()) == expected
    else:
        assert "by hand" in refusal
        assert file.read_text() == before


KEYS = st.sampled_from(["acme", "b", "hooks", "plugins", "settings", "a b", "ä.x"])
VALUES = st.recursive(
    st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(KEYS, VALUES.filter(lambda v: isinstance(v, dict)), max_size=3),
    st.dictionaries(st.sampled_from(["enabled", "mode", "x"]), st.booleans() | st.none()),
)
def test_only_the_named_keys_change_whatever_else_is_there(
    tmp_path_factory: pytest.TempPathFactory, others: dict[str, Any], changes: dict[str, Any]
) -> None:
    plugins = {"plugins": {key: value for key, value in others.items() if key != "new.plugin"}}
    text = "# first\n" + tomlkit.dumps({**others, **plugins}) + "# last\n"
    file = tmp_path_factory.mktemp("write") / "hookcore.toml"
    file.write_bytes(text.encode())
    expected = parse(file, text.encode())
    table = expected["plugins"].setdefault("new.plugin", {})
    table.update({key: value for key, value in changes.items() if value is not None})
    refusal = refused(file, "new.plugin", changes)
    if refusal is not None:
        assert "by hand" in refusal
        assert file.read_bytes() == text.encode()
        return
    assert parse(file, file.read_bytes()) == expected
    assert file.read_text(encoding="utf-8").count("# first") == text.count("# first")


def test_what_is_not_toml_is_left_alone(file: Path) -> None:
    file.write_text("[plugins\n")
    with pytest.raises(ConfigError, match="not valid TOML"):
        set_plugin(file, "acme", ON)
    assert file.read_text() == "[plugins\n"


def test_permissions_are_kept(file: Path) -> None:
    file.write_text(COMMENTED)
    file.chmod(0o640)
    set_plugin(file, "acme", ON)
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "policies.toml"
    target.parent.mkdir()
    target.write_text(COMMENTED)
    file.symlink_to(target)
    set_plugin(file, "acme", ON)
    assert file.is_symlink()
    assert "enabled = true # for now" in target.read_text()


def test_a_failure_to_write_leaves_the_old_file_and_nothing_else(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(COMMENTED)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError, match="cannot be written: No space left"):
        set_plugin(file, "acme", ON)
    assert file.read_text() == COMMENTED
    assert list(file.parent.iterdir()) == [file]


def test_a_read_only_file_is_not_replaced(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(COMMENTED)
    monkeypatch.setattr(os, "access", lambda *_: False)  # for root everything is writable
    with pytest.raises(ConfigError, match="cannot be written: Permission denied"):
        set_plugin(file, "acme", ON)
    assert file.read_text() == COMMENTED


def test_processes_that_write_at_once_lose_nothing(file: Path) -> None:
    code = (
        "import sys, pathlib; from hookcore.config import set_plugin\n"
        "for i in range(10): set_plugin(pathlib.Path(sys.argv[1]), sys.argv[2] + str(i), "
        "{'enabled': True})"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(file), name]) for name in ("a", "b", "c")
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert len(parse(file, file.read_bytes())["plugins"]) == 30
