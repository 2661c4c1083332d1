from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from hookcore import HookManager, hookimpl
from hookcore.hosting import Handle


@dataclass
class Tool:
    """A tool of a runtime's, as a dataclass."""

    name: str = "search"

    def __deepcopy__(self, memo: Any) -> Any:
        raise AssertionError("its clients would be copied")


def test_what_is_in_a_handle_is_not_copied_for_gates_and_observers() -> None:
    seen: list[Any] = []

    class Watch:
        @hookimpl(gate=True)
        def pre_tool_call(self, ctx: Any) -> None:
            seen.append(ctx.tool)

        @hookimpl
        def tool_finished(self, ctx: Any) -> None:
            seen.append(ctx.tool.name)

    manager, handle = HookManager(), Handle(Tool())
    manager.register(Watch())
    manager.call_tool("search", {}, lambda _: "found", tool=handle)
    assert seen == [handle, "search"]


def test_attributes_are_read_through_a_handle() -> None:
    handle = Handle(Tool("find"))
    assert handle.name == "find"
    assert repr(handle) == "Handle(Tool(name='find'))"
    with pytest.raises(AttributeError, match="nothing"):
        _ = handle.nothing
