from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EAGER = '''
import pytest
from hookcore import (
    HookAborted, HookManager, ToolCallContext, clear_all_hooks, get_manager, hookimpl, hookspec, on,
)


@on("pre_tool_call", tools=["ls"])
def from_the_module(ctx):
    raise HookAborted("from the module")


class Deny:
    @hookimpl
    def pre_tool_call(self, ctx):
        raise HookAborted("no")


class OwnPoints:
    @hookspec
    def own_point(self, ctx):
        """A point of a host's own."""


def fire(manager=None, tool="ls"):
    manager = manager or get_manager()
    return manager.dispatch("pre_tool_call", ToolCallContext(tool_name=tool, payload={}))


@pytest.fixture(scope="module")
def wide():
    get_manager().register(Deny(), name="wide")


def test_the_manager_fixture_is_empty_and_not_the_one_of_the_process(hook_manager):
    assert isinstance(hook_manager, HookManager)
    assert hook_manager.plugins() == ()
    assert hook_manager is not get_manager()


def test_the_events_fixture_holds_the_events_of_the_manager_fixture(hook_manager, hook_events):
    hook_manager.register(Deny(), name="deny")
    with pytest.raises(HookAborted):
        fire(hook_manager)
    assert hook_events.outcomes() == ["aborted"]


def test_a_test_changes_the_manager_of_the_process():
    told = []
    manager = get_manager()
    manager.register(Deny(), name="leaked")
    manager.subscribe(told.append)
    manager.add_hookspecs(OwnPoints)
    clear_all_hooks()
    on("pre_tool_call")(lambda ctx: None)
    assert [plugin.name for plugin in manager.plugins()] == ["test_a_test_changes_the_manager_of_the_process.<locals>.<lambda>"]
    globals()["TOLD"] = told


def test_hooks_of_a_test_are_gone_after_it():
    names = [plugin.name for plugin in get_manager().plugins()]
    assert names == ["from_the_module"]


def test_hooks_of_a_module_are_back_after_a_test_that_cleared_them():
    with pytest.raises(HookAborted, match="from the module"):
        fire()


def test_subscribers_of_a_test_hear_nothing_after_it():
    with pytest.raises(HookAborted):
        fire()
    assert TOLD == []


def test_points_of_a_test_are_gone_after_it():
    assert "own_point" not in get_manager().points
    get_manager().add_hookspecs(OwnPoints)
    assert get_manager().has_hooks("own_point") is False


def test_a_plugin_may_be_switched_off_in_a_test():
    get_manager().disable("from_the_module")
    assert fire().payload == {}


def test_a_plugin_that_a_test_switched_off_is_on_again():
    with pytest.raises(HookAborted):
        fire()


def test_a_fixture_of_a_wider_scope_registers(wide):
    with pytest.raises(HookAborted, match="no"):
        fire(tool="rm")


def test_what_a_fixture_of_a_wider_scope_registered_stays():
    assert "wide" in [plugin.name for plugin in get_manager().plugins()]
'''

LAZY = """
import sys
from hookcore import get_manager

MADE = []


def test_a_test_makes_the_manager_of_the_process():
    MADE.append(get_manager())
    assert get_manager() is MADE[0]


def test_a_manager_that_a_test_made_is_forgotten_after_it():
    assert get_manager() is not MADE[0]
"""


FAILING = """
from hookcore import hookimpl


class Broken:
    on_error = "raise"

    @hookimpl
    def pre_tool_call(self, ctx):
        raise ValueError("boom")


def test_it(hook_manager):
    hook_manager.register(Broken())
    hook_manager.call_tool("a", {}, lambda given: 1)
"""


def run(folder: Path, suite: str, *arguments: str) -> str:
    """Run inner tests in a pytest of their own, with the plugin alone; return what it says."""
    (folder / "test_inner.py").write_text(suite, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HOOKCORE_")}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-rA", "-W", "error"),
            *("-p", "hookcore.pytest_plugin", *arguments),
        ],
        cwd=folder,
        env={**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def passing(folder: Path, suite: str) -> set[str]:
    """Run inner tests and return those that pass."""
    told = run(folder, suite)
    found = set(re.findall(r"^PASSED \S+::(\w+)$", told, re.MULTILINE))
    assert found, told
    return found


@pytest.fixture(scope="module")
def passed(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of the inner tests that pass."""
    return passing(tmp_path_factory.mktemp("eager"), EAGER) | passing(
        tmp_path_factory.mktemp("lazy"), LAZY
    )


def names(suite: str) -> list[str]:
    return re.findall(r"^def (test_\w+)", suite, re.MULTILINE)


@pytest.mark.parametrize("name", [*names(EAGER), *names(LAZY)])
def test_with_the_plugin(name: str, passed: set[str]) -> None:
    assert name in passed


def test_the_plugin_imports_no_more_of_hookcore_than_its_package(tmp_path: Path) -> None:
    code = (
        "import sys, hookcore; before = set(sys.modules); import hookcore.pytest_plugin; "
        "print(*[m for m in set(sys.modules) - before if m.startswith('hookcore')])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.split() == ["hookcore.pytest_plugin"]


def test_a_traceback_leads_from_the_test_to_the_hook_without_our_frames(tmp_path: Path) -> None:
    told = run(tmp_path, FAILING)
    assert 'hook_manager.call_tool("a", {}, lambda given: 1)' in told
    assert 'raise ValueError("boom")' in told
    assert f"hookcore{os.sep}dispatch" not in told
    assert f"hookcore{os.sep}boundaries" not in told


def test_a_full_traceback_has_our_frames_too(tmp_path: Path) -> None:
    assert f"hookcore{os.sep}dispatch" in run(tmp_path, FAILING, "--full-trace")
