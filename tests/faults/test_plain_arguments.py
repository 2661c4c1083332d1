"""Arguments that are judged and handed on are plain: no value that answers each as it likes (A18)."""

from __future__ import annotations

import asyncio
import collections
import enum
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from hookcore import HookManager, ToolCallContext

Add = Callable[..., str]


class LyingDict(dict[str, Any]):
    def get(self, key: str, default: Any = None) -> Any:
        return "safe"

    def __getitem__(self, key: str) -> Any:
        return "safe"


class LyingList(list[Any]):
    def __iter__(self) -> Any:
        return iter(["safe"])

    def __getitem__(self, index: Any) -> Any:
        return "safe"


class LyingTuple(tuple[Any, ...]):
    __slots__ = ()

    def __iter__(self) -> Any:
        return iter(["safe"])


class LyingText(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return other == "safe"

    def __contains__(self, part: object) -> bool:
        return False

    __hash__ = str.__hash__


class LyingBytes(bytes):
    def __contains__(self, part: object) -> bool:
        return False


class LyingSet(set[Any]):
    def __iter__(self) -> Any:
        return iter(["safe"])

    def __contains__(self, item: object) -> bool:
        return False


class LyingFrozenSet(frozenset[Any]):
    def __iter__(self) -> Any:
        return iter(["safe"])


class LyingByteArray(bytearray):
    def __contains__(self, part: object) -> bool:
        return False


class LyingNumber(int):
    def __gt__(self, other: int) -> bool:
        return False


class LyingMapping(collections.UserDict[str, Any]):
    def get(self, key: str, default: Any = None) -> Any:
        return "safe"


LIES: dict[str, tuple[Mapping[str, Any], dict[str, Any]]] = {
    "dict": (LyingDict(p="evil"), {"p": "evil"}),
    "nested": ({"o": LyingDict(p="evil")}, {"o": {"p": "evil"}}),
    "deep": (
        {"o": [{"x": (LyingDict(p="evil"),)}]},
        {"o": [{"x": ({"p": "evil"},)}]},
    ),
    "list": ({"p": LyingList(["evil"])}, {"p": ["evil"]}),
    "tuple": ({"p": LyingTuple(["evil"])}, {"p": ("evil",)}),
    "text": ({"p": LyingText("evil")}, {"p": "evil"}),
    "key": ({LyingText("evil"): 1}, {"evil": 1}),
    "bytes": ({"p": LyingBytes(b"evil")}, {"p": b"evil"}),
    "set": ({"p": LyingSet(["evil"])}, {"p": {"evil"}}),
    "frozen set": ({"p": LyingFrozenSet(["evil"])}, {"p": frozenset(["evil"])}),
    "in a set": ({"p": {LyingText("evil")}}, {"p": {"evil"}}),
    "byte array": ({"p": LyingByteArray(b"evil")}, {"p": bytearray(b"evil")}),
    "number": ({"p": LyingNumber(99)}, {"p": 99}),
    "mapping": (LyingMapping(p="evil"), {"p": "evil"}),
    "view": (MappingProxyType(LyingDict(p=LyingDict(q=1))), {"p": "safe"}),
    "in a mapping": (LyingMapping(p=LyingDict(q=1)), {"p": {"q": 1}}),
}
del LIES["view"]  # what a view of a lie says is what everybody reads in it


def kinds(value: Any) -> Any:
    """Return a value with each part's type beside it."""
    if isinstance(value, dict):
        return type(value), [(kinds(key), kinds(item)) for key, item in dict.items(value)]
    if isinstance(value, list):
        return type(value), [kinds(item) for item in list.__iter__(value)]
    if isinstance(value, tuple):
        return type(value), [kinds(item) for item in tuple.__iter__(value)]
    if isinstance(value, set):
        return type(value), [kinds(item) for item in set.__iter__(value)]
    return type(value), value


@pytest.mark.parametrize("kind", LIES)
@pytest.mark.parametrize("gate", [True, False])
@pytest.mark.parametrize("sync", [True, False])
def test_hooks_and_tools_get_plain_arguments(
    manager: HookManager, watch: Callable[..., Any], kind: str, *, gate: bool, sync: bool
) -> None:
    seen = watch("pre_tool_call", gate=gate)
    used: list[Any] = []
    given, right = LIES[kind]

    if sync:
        manager.call_tool("tool", given, used.append)
    else:
        asyncio.run(manager.acall_tool("tool", given, used.append))

    assert kinds(seen.payloads[0]) == kinds(used[0]) == kinds(right)


@pytest.mark.parametrize("kind", sorted(set(LIES) - {"mapping", "in a mapping"}))
def test_what_a_hook_puts_in_their_place_is_plain_too(
    manager: HookManager, add: Add, kind: str
) -> None:
    used: list[Any] = []
    add("pre_tool_call", lambda ctx: LIES[kind][0])

    manager.call_tool("tool", {}, used.append)

    assert kinds(used[0]) == kinds(LIES[kind][1])


def test_a_wraps_arguments_are_plain_where_gates_judge_them(manager: HookManager, add: Add) -> None:
    used: list[Any] = []

    async def around(ctx: Any, call_next: Any) -> Any:
        return await call_next({"o": [LyingDict(p="evil")]})

    add("wrap_tool_call", around)
    add("pre_tool_call", lambda ctx: None, gate=True)
    asyncio.run(manager.acall_tool("tool", {}, used.append))

    assert kinds(used[0]) == kinds({"o": [{"p": "evil"}]})


def test_a_bare_dispatch_puts_plain_arguments_back(manager: HookManager, add: Add) -> None:
    add("pre_tool_call", lambda ctx: None, gate=True)

    ctx = manager.dispatch("pre_tool_call", ToolCallContext(tool_name="x", payload=LIES["deep"][0]))

    assert kinds(ctx.payload) == kinds(LIES["deep"][1])


class Colour(str, enum.Enum):
    RED = "red"


class Point(NamedTuple):
    x: int


def test_what_is_about_its_class_keeps_it(manager: HookManager, watch: Callable[..., Any]) -> None:
    seen = watch("pre_tool_call", gate=True)
    used: list[Any] = []

    manager.call_tool("tool", {"c": Colour.RED, "p": Point(1), "d": LyingDict()}, used.append)

    assert used[0]["c"] is Colour.RED
    assert type(used[0]["p"]) is Point
    assert seen.payloads == used


def test_arguments_that_hold_themselves_are_copied(
    manager: HookManager, watch: Callable[..., Any]
) -> None:
    watch("pre_tool_call", gate=True)
    used: list[Any] = []
    given: dict[str, Any] = {"lie": LyingDict()}
    given["self"] = given

    manager.call_tool("tool", given, used.append)

    assert used[0]["self"] is used[0]


def test_arguments_that_are_plain_stay_the_hosts_own(manager: HookManager, add: Add) -> None:
    used: list[Any] = []
    given = {"a": [1]}
    add("pre_tool_call", lambda ctx: None)

    manager.call_tool("tool", given, used.append)

    assert used[0] is given
