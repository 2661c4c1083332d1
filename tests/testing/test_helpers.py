"""The helpers that ``hookcore.testing`` offers beside the recorder."""

from __future__ import annotations

import asyncio
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, ToolCallContext, get_manager, hookimpl
from hookcore.discovery import discover
from hookcore.testing import (
    HandClock,
    abandoned_threads,
    as_new_process,
    clock_by_hand,
    kept_runs,
    recorded,
    register_configured,
    run_without_waiting,
)
from hookcore.trust.guarding import ChangedCodeError, guard_imports

pytestmark = pytest.mark.usefixtures("bare_machine")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder with one made-up distribution and its module."""
    folder = tmp_path / "site"
    metadata = folder / "acme_made_up-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Name: acme-made-up\nVersion: 1.0\n")
    entry = "[hookcore.plugins]\nmade-up = acme_made_up:Plugin\n"
    (metadata / "entry_points.txt").write_text(entry)
    (folder / "acme_made_up.py").write_text("class Plugin: ...\n")
    return folder


def test_a_new_process_finds_what_lies_on_its_path(site: Path) -> None:
    before = list(sys.path)
    with as_new_process(site):
        assert discover()["made-up"].distribution == "acme-made-up"
        assert discover()["made-up"].load() is sys.modules["acme_made_up"].Plugin
    assert "acme_made_up" not in sys.modules
    assert "made-up" not in discover()
    assert sys.path == before


def test_a_new_process_has_no_manager_and_leaves_none() -> None:
    outer = get_manager()
    with as_new_process():
        assert get_manager() is not outer
    assert get_manager() is outer


def test_no_plugin_is_guarded_in_a_new_process_and_what_it_guards_is_free_at_its_end(
    site: Path,
) -> None:
    with as_new_process(site):
        source = discover()["made-up"]
        guard_imports(source, {"acme_made_up.py": "sha256:another"})
        with as_new_process(site):
            assert discover()["made-up"].load()
        with pytest.raises(ChangedCodeError, match=r"is not what hookcore\.lock says"):
            source.load()
    with as_new_process(site):
        assert discover()["made-up"].load()


def test_a_process_is_put_back_also_after_an_error(site: Path) -> None:
    before = list(sys.path)

    def fail() -> None:
        with as_new_process(site):
            discover()["made-up"].load()
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert "acme_made_up" not in sys.modules
    assert sys.path == before


class Guard:
    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None:
        ctx.state["asked"] = True
        raise HookAborted("no")


def dispatch(manager: HookManager, **fields: Any) -> Any:
    return manager.dispatch("pre_tool_call", ToolCallContext(tool_name="t", payload={}, **fields))


def test_a_plugin_is_registered_as_the_configuration_would_have_it(
    hook_manager: HookManager,
) -> None:
    name = register_configured(
        hook_manager, Guard(), "guard", distribution="acme-guard", mode="monitor", priority=7
    )
    (hook,) = hook_manager.hooks("pre_tool_call")
    assert (name, hook.distribution, hook.priority) == ("guard", "acme-guard", 7)
    with recorded(hook_manager) as events:
        dispatch(hook_manager)
    assert events.records("guard")[0].effect == "observed"


def test_the_runs_that_are_kept_are_counted(hook_manager: HookManager) -> None:
    register_configured(hook_manager, Guard(), mode="monitor")
    dispatch(hook_manager, run_id="a")
    dispatch(hook_manager, run_id="b")
    assert kept_runs(hook_manager) == 2


def test_a_hook_times_out_when_the_clock_is_advanced(hook_manager: HookManager) -> None:
    release = threading.Event()

    def wait(clock: HandClock) -> Any:
        class Slow:
            @hookimpl(timeout=0.01, on_error="deny")
            def pre_tool_call(self, ctx: Any) -> None:
                clock.advance(3600)
                release.wait(60)

        return Slow()

    with clock_by_hand() as clock:
        hook_manager.register(wait(clock))
        with pytest.raises(HookAborted, match="HookTimeoutError"):
            dispatch(hook_manager)
    assert abandoned_threads(hook_manager) == 1
    release.set()


def test_a_hook_does_not_time_out_while_the_clock_stands(hook_manager: HookManager) -> None:
    pause = threading.Event()

    class Slow:
        @hookimpl(timeout=0.01, on_error="deny")
        def pre_tool_call(self, ctx: Any) -> dict[str, bool]:
            pause.wait(0.1)
            return {"answered": True}

    hook_manager.register(Slow())
    with clock_by_hand():
        assert dispatch(hook_manager).payload == {"answered": True}


def test_hours_of_a_coroutine_are_over_at_once() -> None:
    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        began, told = loop.time(), []

        async def later(hours: int) -> None:
            await asyncio.sleep(3600 * hours)
            told.append(f"{hours} h")

        await asyncio.gather(later(2), later(1))
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 3600)
        told.append(f"{(loop.time() - began) / 3600:.2f} h")
        return told

    assert run_without_waiting(main()) == ["1 h", "2 h", "3.00 h"]


def test_a_coroutine_that_nothing_can_wake_waits_for_threads_in_real_time() -> None:
    async def main() -> str:
        return await asyncio.to_thread(lambda: "from a thread")

    assert run_without_waiting(main()) == "from a thread"
