"""A terminal for tests to type at."""

from __future__ import annotations

import os
from typing import TextIO

import pytest

pty = pytest.importorskip("pty", reason="no pseudo-terminals here")


class Terminal:
    """A pseudo-terminal whose one end is the prompter's stdin."""

    def __init__(self) -> None:
        self.person, terminal = pty.openpty()
        self.stdin: TextIO = os.fdopen(terminal, "r")

    def type(self, text: str) -> None:
        os.write(self.person, text.encode())

    def close(self) -> None:
        self.stdin.close()
        os.close(self.person)
