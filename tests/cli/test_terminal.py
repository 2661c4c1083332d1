"""The output that a person at a terminal sees."""

from __future__ import annotations

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


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_are_left_out_where_nobody_wants_them(
    guarded: Any, environ: dict[str, str]
) -> None:
    written = on_terminal(guarded, "list", **environ)
    assert "guard" in written
    assert "\x1b" not in written


def test_json_stays_json_on_a_terminal(guarded: Any) -> None:
    assert on_terminal(guarded, "list", "--json").startswith("[")
