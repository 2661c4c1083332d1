"""The process-wide manager, and what empties it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookcore import ConfigError, HookManager, clear_all_hooks, get_manager, hookimpl, on
from hookcore import process as _process
from hookcore.config import files
from hookcore.hooks.options import OperatorOptions


@pytest.fixture(autouse=True)
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give each test a process without a manager and without configuration."""
    monkeypatch.setattr(files, "SYSTEM_FILE", tmp_path / "none.toml")
    monkeypatch.setattr(files, "user_file", lambda: tmp_path / "none.toml")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_process, "_manager", None)
    yield
    if _process._manager is not None:
        _process._manager.close()


def names() -> list[str]:
    return [hook.plugin for hook in get_manager().hooks("pre_tool_call")]


def test_the_process_has_one_manager() -> None:
    assert get_manager() is get_manager()


def test_threads_that_ask_at_once_get_the_same_manager() -> None:
    got: list[HookManager] = []
    start = threading.Barrier(8)

    def ask() -> None:
        start.wait()
        got.append(get_manager())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(got) == 8
    assert len({id(manager) for manager in got}) == 1


def test_the_manager_is_loaded_from_the_configuration() -> None:
    Path("hookcore.toml").write_text("[telemetry]\ntrack_mutations = true\n")

    assert get_manager().tracks_mutations


def test_a_wrong_configuration_is_an_error_and_the_next_call_tries_again() -> None:
    Path("hookcore.toml").write_text("[telemetri]\n")
    with pytest.raises(ConfigError):
        get_manager()
    Path("hookcore.toml").write_text("")

    assert get_manager().plugins() == ()


def test_another_manager_knows_nothing_of_the_process_wide_one() -> None:
    @on("pre_tool_call")
    def guard(ctx: Any) -> None: ...

    assert not HookManager().has_hooks("pre_tool_call")


class Guard:
    """A class with a marked method."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    @on("pre_tool_call")
    def note(self, ctx: Any) -> None:
        self.seen.append(ctx.tool_name)

    def plain(self, ctx: Any) -> None:
        self.seen.append(ctx.tool_name)


def test_clear_all_hooks_empties_the_manager_and_tells_how_many_there_were() -> None:
    on("pre_tool_call")(lambda ctx: None)
    get_manager().register(Guard())

    assert clear_all_hooks() == 2
    assert names() == []


def test_clear_all_hooks_keeps_required_plugins() -> None:
    class Lock:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None: ...

    get_manager().register_configured(Lock(), "lock", operator=OperatorOptions(required=True))
    on("pre_tool_call")(lambda ctx: None)

    assert clear_all_hooks() == 1
    assert names() == ["lock"]


def test_after_clear_all_hooks_functions_may_be_registered_again() -> None:
    def guard(ctx: Any) -> None: ...

    on("pre_tool_call")(guard)
    clear_all_hooks()
    on("pre_tool_call")(guard)

    assert len(names()) == 1
