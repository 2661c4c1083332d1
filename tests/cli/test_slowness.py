"""The word that a command gives when an import keeps it waiting."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookManager, PluginLoadError
from hookcore.testing import as_new_process
from hookctl.slowness import slow_imports_told

WAITS = """
from pathlib import Path
from hookcore import hookimpl

while not Path({told!r}).exists():
    pass

class Plugin:
    @hookimpl
    def output(self, ctx): ...
"""
CONFIG = {"plugins": {"slow": {"enabled": True}}}


def test_a_slow_import_is_told_with_plugin_and_distribution(shell: Any, tmp_path: Path) -> None:
    told = tmp_path / "told"
    shell.install("slow", WAITS.format(told=str(told)))
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        told.touch()

    with as_new_process(shell.site), slow_imports_told(say, seconds=0.001):
        HookManager.load(shell.folder, CONFIG).close()
    assert said == ["still importing slow (acme-slow 1.0) ..."]


@pytest.mark.parametrize("code", ["raise RuntimeError", WAITS.format(told="/")])
def test_nobody_waits_when_all_is_imported(shell: Any, code: str) -> None:
    shell.install("slow", code)
    before = threading.active_count()
    with (
        as_new_process(shell.site),
        contextlib.suppress(PluginLoadError),
        slow_imports_told(seconds=3600),
    ):
        HookManager.load(shell.folder, CONFIG).close()
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()
    assert threading.active_count() <= before
