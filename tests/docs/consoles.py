"""Console blocks of pages: their commands, run for real, and what they print."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A line at a prompt, and what it prints according to the page."""

    line: str
    output: str


def commands(block: str) -> list[Command]:
    """Split a console block at its prompts; what follows a command is what it prints."""
    pieces = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [Command(first, rest) for first, _, rest in (piece.partition("\n") for piece in pieces)]


def run(command: Command) -> list[str]:
    """Run a command; returns what went wrong, in words."""
    done = subprocess.run(command.line, shell=True, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [f"$ {command.line}\nexit code {done.returncode}\n{done.stdout}{done.stderr}"]
    if not shows(done.stdout, command.output):
        return [f"$ {command.line}\nprints\n{done.stdout}\nand not\n{command.output}"]
    return []


def shows(printed: str, expected: str) -> bool:
    """Tell whether the expected lines are printed in this order, among others perhaps.

    `...` stands for any text in a line, and the width of gaps is free.
    """
    lines = iter(printed.splitlines())
    patterns = [re.escape(" ".join(line.split())) for line in expected.splitlines()]
    return all(
        any(
            re.fullmatch(pattern.replace(r"\.\.\.", ".*"), " ".join(line.split())) for line in lines
        )
        for pattern in patterns
    )
