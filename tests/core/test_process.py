"""The process-wide manager, and what empties it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from hookcore import ConfigError, HookManager, clear_all_hooks, get_manager, hookimpl, on
from hookcore.testing import register_configured

pytestmark = pytest.mark.usefixtures("bare_machine")


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

    register_configured(get_manager(), Lock(), "lock", required=True)
    on("pre_tool_call")(lambda ctx: None)

    assert clear_all_hooks() == 1
    assert names() == ["lock"]


def test_after_clear_all_hooks_functions_may_be_registered_again() -> None:
    def guard(ctx: Any) -> None: ...

    on("pre_tool_call")(guard)
    clear_all_hooks()
    on("pre_tool_call")(guard)

    assert len(names()) == 1
