"""The guard where it works: in a manager, before real calls."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, ToolCallContext, hookimpl
from hookcore_path_guard import PathGuard

Place = Any


def manager(place: Place, **values: Any) -> HookManager:
    result = HookManager()
    result.register(place.guard(**values), name="path-guard")
    return result


def test_a_denied_tool_is_never_entered(place: Place) -> None:
    calls: list[Any] = []
    with pytest.raises(HookAborted) as caught:
        manager(place).call_tool("Write", {"file_path": "../x"}, calls.append)
    assert caught.value.source == "path-guard"
    assert calls == []


def test_an_allowed_tool_gets_its_arguments(place: Place) -> None:
    calls: list[Any] = []
    manager(place).call_tool("Write", {"file_path": "x"}, calls.append)
    assert calls == [{"file_path": "x"}]


def test_it_judges_what_other_hooks_made_of_the_call(place: Place) -> None:
    class Rewriter:
        @hookimpl
        def pre_tool_call(self, ctx: ToolCallContext) -> dict[str, Any]:
            return {"file_path": "../secret/key.txt"}

    host = manager(place)
    host.register(Rewriter())
    with pytest.raises(HookAborted):
        host.call_tool("Read", {"file_path": "README.md"}, lambda _: None)


def test_the_folder_of_the_call_is_an_attribute(place: Place) -> None:
    host = manager(place)
    ctx = ToolCallContext(
        tool_name="Read",
        payload={"file_path": "ro.txt"},
        attributes={"cwd": str(place.root / "lib")},
    )
    host.dispatch("pre_tool_call", ctx)
    ctx = ToolCallContext(
        tool_name="Read",
        payload={"file_path": "key.txt"},
        attributes={"cwd": str(place.root / "secret")},
    )
    with pytest.raises(HookAborted):
        host.dispatch("pre_tool_call", ctx)


def test_a_bridge_s_name_is_an_attribute(place: Place) -> None:
    ctx = ToolCallContext(
        tool_name="Run It",
        payload={"command": "cat ../secret/key.txt"},
        attributes={"cwd": str(place.project), "tool_aliases": ["Bash"]},
    )
    with pytest.raises(HookAborted):
        manager(place).dispatch("pre_tool_call", ctx)


def test_the_entry_point_is_the_plugin() -> None:
    [entry] = [
        entry for entry in entry_points(group="hookcore.plugins") if entry.name == "path-guard"
    ]
    assert entry.load() is PathGuard


def test_a_failure_of_the_guard_denies(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(PathGuard, "judge", fail)
    with pytest.raises(HookAborted):
        manager(place).call_tool("Read", {"file_path": "README.md"}, lambda _: None)
