"""The policies of a folder: loaded once, and again when what decides them has changed."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from hookcore import Abort, HookAborted, HookManager, hookimpl
from hookcore_bridge.judging.facts import Deadline
from hookcore_bridge.judging.threads import TooLateError
from hookcore_bridge.serve.policies import Policies, UnloadableError, load_manager
from tests.conftest import bare_machine

__all__ = ["bare_machine"]


def judge(policies: Policies, folder: Path, seconds: float = 20.0) -> Any:
    return policies.judge_of(str(folder), Deadline(seconds))


def write(folder: Path, text: str) -> None:
    (folder / "hookcore.toml").write_text(text, encoding="utf-8")


def test_a_configuration_is_loaded_once_as_long_as_no_file_changes(bare_machine: Path) -> None:
    loads: list[str] = []

    def load(folder: str) -> HookManager:
        loads.append(folder)
        return HookManager()

    policies = Policies(load)
    first = judge(policies, bare_machine)
    (bare_machine / "other.txt").write_text("x", encoding="utf-8")
    assert judge(policies, bare_machine) is first
    assert loads == [str(bare_machine)]
    write(bare_machine, "[hooks]\n")
    assert judge(policies, bare_machine) is not first
    policies.close()


def test_a_file_that_comes_to_be_in_a_folder_above_counts(bare_machine: Path) -> None:
    below = bare_machine / "a" / "b"
    below.mkdir(parents=True)
    policies = Policies()
    first = judge(policies, below)
    write(bare_machine / "a", "[hooks]\n")
    assert judge(policies, below) is not first
    policies.close()


def test_a_configuration_that_cannot_be_loaded_denies_until_it_can_be(
    bare_machine: Path, caplog: pytest.LogCaptureFixture
) -> None:
    policies = Policies()
    judge(policies, bare_machine)
    write(bare_machine, "[plugins.nobody]\nenabled = true\n")
    for _ in range(2):
        with pytest.raises(UnloadableError, match="'hookctl doctor'"):
            judge(policies, bare_machine)
    assert len([r for r in caplog.records if "cannot be loaded" in r.message]) == 1
    assert "nobody" in caplog.text
    write(bare_machine, "[hooks]\n")
    assert judge(policies, bare_machine) is not None
    policies.close()


def test_many_who_ask_at_once_wait_for_one_load(bare_machine: Path) -> None:
    loads: list[str] = []
    go = threading.Event()

    def load(folder: str) -> HookManager:
        loads.append(folder)
        go.wait(20)
        return HookManager()

    policies, found = Policies(load), []
    threads = [
        threading.Thread(target=lambda: found.append(judge(policies, bare_machine)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    go.set()
    for thread in threads:
        thread.join()
    assert len(loads) == 1
    assert len(set(map(id, found))) == 1
    policies.close()


def test_a_load_that_takes_too_long_is_late_and_goes_on(bare_machine: Path) -> None:
    go = threading.Event()

    def load(folder: str) -> HookManager:
        go.wait(20)
        return HookManager()

    policies = Policies(load)
    with pytest.raises(TooLateError):
        judge(policies, bare_machine, 0.01)
    go.set()
    assert judge(policies, bare_machine) is not None
    policies.close()


def test_a_daemon_has_nobody_to_ask(bare_machine: Path) -> None:
    class Ask:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> Abort | None:
            ctx.request_human_input("May it?", "n")
            return None

    manager = load_manager(str(bare_machine))
    manager.register(Ask())
    with pytest.raises(HookAborted):
        manager.call_tool("t", {}, lambda arguments: None)
