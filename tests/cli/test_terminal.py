"""The output that a person at a terminal sees."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

pty = pytest.importorskip("pty", reason="the system has no pseudo-terminals")
pytest.importorskip("rich")


def on_terminal(shell: Any, *arguments: str, **environ: str) -> str:
    """Run the command with a terminal as its standard output, and return what it wrote."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "hookctl", *arguments],
        cwd=shell.folder,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        env=shell.environment(**{"TERM": "xterm", "COLUMNS": "120", "NO_COLOR": "", **environ}),
    ):
        os.close(theirs)
        written = b""
        while chunk := _read(ours):
            written += chunk
    os.close(ours)
    return written.decode()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


def test_a_terminal_gets_a_table_with_colours(guarded: Any) -> None:
    guarded.config.write_text("[plugins.guard]\nenabled = true\n")
    written = on_terminal(guarded, "list")
    assert "\x1b[32menabled" in written
    assert "\u2500" in written


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_keys_are_whole_on_a_narrow_terminal(guarded: Any, term: str) -> None:
    guarded.config.write_text("[plugins.guard.settings]\na_rather_long_name_of_a_setting = 1\n")
    written = on_terminal(guarded, "config", "show", COLUMNS="80", NO_COLOR="1", TERM=term)
    assert "plugins.guard.settings.a_rather_long_name_of_a_setting" in written
    assert all(len(line) <= 80 for line in written.splitlines())


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_are_left_out_where_nobody_wants_them(
    guarded: Any, environ: dict[str, str]
) -> None:
    written = on_terminal(guarded, "list", **environ)
    assert "guard" in written
    assert "\x1b" not in written


def test_json_stays_json_on_a_terminal(guarded: Any) -> None:
    assert on_terminal(guarded, "list", "--json").startswith("[")


def conversation(shell: Any, answers: list[tuple[str, str]], *arguments: str) -> tuple[int, str]:
    """Run the command with a terminal for everything; answer each question once it stands there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "hookctl", *arguments],
        cwd=shell.folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=shell.environment(TERM="xterm", NO_COLOR="1"),
        start_new_session=True,
    ) as process:
        os.close(theirs)
        written, seen = "", 0
        while chunk := _read(ours):
            written += chunk.decode()
            if answers and written.find(f"{answers[0][0]}: ", seen) >= 0:
                seen = len(written)
                os.write(ours, answers.pop(0)[1].encode())
    os.close(ours)
    return process.returncode, written.replace("\r\n", "\n")


@pytest.fixture
def wanting(shell: Any) -> Any:
    """The shell with a plugin that cannot do without two settings."""
    shell.install("kind", "")
    package = shell.site / "code_of_acme_kind"
    package.mkdir()
    (shell.site / "code_of_acme_kind.py").rename(package / "__init__.py")
    schema = {
        "required": ["address", "count"],
        "properties": {
            "address": {"type": "string", "format": "password", "description": "Where to."},
            "count": {"type": "integer", "maximum": 5},
        },
    }
    (package / "settings.schema.json").write_text(json.dumps(schema))
    return shell


def test_enable_asks_for_what_a_plugin_cannot_do_without(wanting: Any) -> None:
    code, written = conversation(
        wanting,
        [("address (text)", "hunter2\n"), ("count (whole number)", "9\n"), ("number)", "3\n")],
        "enable",
        "kind",
    )
    assert code == 0, written
    assert "hunter2" not in written
    assert "Where to." in written
    assert "count must be at most 5, not 9" in written
    assert wanting.config.read_text() == (
        '[plugins.kind]\nenabled = true\n\n[plugins.kind.settings]\naddress = "hunter2"\ncount = 3\n'
    )


def test_nothing_is_written_when_the_questions_are_broken_off(wanting: Any) -> None:
    code, _ = conversation(
        wanting, [("address (text)", "hunter2\n"), ("number)", "\x04")], "enable", "kind"
    )  # Ctrl-D
    assert code == 130
    assert not wanting.config.exists()


def test_set_asks_for_the_value_of_a_key_alone(wanting: Any) -> None:
    code, written = conversation(
        wanting, [("kind: address", "hunter2\n")], "set", "kind", "address"
    )
    assert "hunter2" not in written
    assert code == 0, written
    assert "********" in written
    assert 'address = "hunter2"' in wanting.config.read_text()
