"""``--watch``: a command that runs again when a file has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import pytest

from hookctl.replay.command import command
from hookctl.watching import arguments, watch


def runs(
    place: Path, changes: list[Callable[[], object]], capfd: pytest.CaptureFixture[str]
) -> int:
    """Count the runs of ``hookctl --version`` while changes are made, one at each look."""

    def wait() -> None:
        if not changes:
            raise KeyboardInterrupt
        changes.pop(0)()

    with pytest.raises(KeyboardInterrupt):
        watch([place], ["--version"], wait=wait)
    return capfd.readouterr().out.count("hookctl ")


def test_it_runs_again_after_each_change(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "policy.py"
    file.write_text("1")
    changes: list[Callable[[], object]] = [
        lambda: file.write_text("22"),
        lambda: (tmp_path / "new.py").write_text("3"),
        file.unlink,
    ]
    assert runs(tmp_path, changes, capfd) == 4


def test_what_is_made_or_hidden_changes_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in (".git", "__pycache__", "x.egg-info", "venv/lib"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "venv" / "pyvenv.cfg").touch()
    changes: list[Callable[[], object]] = [
        lambda: (tmp_path / ".git" / "index").write_text("1"),
        lambda: (tmp_path / "__pycache__" / "x.pyc").write_text("1"),
        lambda: (tmp_path / ".policy.py.swp").write_text("1"),
        lambda: (tmp_path / "venv" / "lib" / "x.py").write_text("1"),
    ]
    assert runs(tmp_path, changes, capfd) == 1


def test_a_single_file_is_watched(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "runs.jsonl"
    changes: list[Callable[[], object]] = [
        lambda: file.write_text("1"),
        lambda: (tmp_path / "other").write_text("1"),
    ]
    assert runs(file, changes, capfd) == 2


def test_what_a_command_was_called_with_is_written_down_again() -> None:
    given = ["a.jsonl", "--json", "--set", "x.y=--z", "--fail-on", "abort", "--watch", "b.jsonl"]
    ctx = command.make_context("replay", given)
    written = arguments(ctx, but="again")
    assert written[0] == "replay"
    again = command.make_context("replay", written[1:])
    assert again.params == {**ctx.params, "again": False}
    assert isinstance(ctx, click.Context)
